"""Fabrication files for a design: cut list, full-scale patterns, brackets and pressures."""

FORMATS = "json", "csv", "dxf", "svg", "pdf", "stl"
"""Output formats of a fabrication pack."""
