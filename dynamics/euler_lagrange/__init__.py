"""A steered, growing vine as a point mass on an arc: in 3D (paper 004), and as a planar propagator."""
