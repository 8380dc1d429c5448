"""Adaptation of a tube that is built: what can still be changed so that it reaches the goal in spite of its errors."""
