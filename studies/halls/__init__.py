"""How many random halls, as large as those that robots map, the planner solves."""
