"""Whether the planner finds the fewest actuators possible."""
