"""Walls of real environments, found from recordings of a real tube."""
