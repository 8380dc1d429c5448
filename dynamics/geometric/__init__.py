"""Purely geometric growth among walls: pivots, slides and corners that hold the body (paper 003)."""
