"""Environments from existing files: maps of robots, drawings and photographs."""
