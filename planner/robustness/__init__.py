"""Robustness: the probability that a design reaches the goal when environment, actuators and start deviate from the plan."""
