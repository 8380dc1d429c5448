"""Reconstruction of shapes from noisy readings at the tip."""
