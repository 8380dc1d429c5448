"""Reduction of the spread of tips by walls (paper 002)."""
