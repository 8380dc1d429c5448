"""Environments from the files in which people have them: maps of robots, drawings and photographs."""
