"""A steered, growing vine in space as a point mass on an arc (paper 004)."""
