"""Environments whose goals need a bend, for tubes that reach several goals."""

ROOM = """
schema = 1
name = "up"
unit = "mm"
bounds = { min = [0, 0], max = [800, 500] }
start = { position = [60, 250], heading_deg = 0 }
goal = { position = [600, 400], radius = 60 }
"""
"""An environment file whose goal needs a bend up; with 100 instead of 400, a bend down."""
