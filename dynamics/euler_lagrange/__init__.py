"""A steered, growing vine as a point mass on an arc: in space (paper 004), and as a propagator in the plane."""
