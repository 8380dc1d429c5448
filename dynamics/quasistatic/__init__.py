"""Quasi-static growth with exact contact: the default propagator on CPU (paper 002, Eq. 4, without penalties)."""
