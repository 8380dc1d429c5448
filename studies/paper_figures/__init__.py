"""Figures 2c, 4 and 8 of paper 002."""
