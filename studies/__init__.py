"""Studies: experiments that evaluate the planner and its models, and reproduce published results."""
