"""Designs: what is built, how it grows as planned, its files, and where two propagators part."""
