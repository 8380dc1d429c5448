"""Studies: many planning runs, to see what a part of the planner is worth."""
