"""Shapes reconstructed from tip readings with noise."""
