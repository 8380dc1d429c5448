"""Fabrication files for a design: cut list, full-scale patterns, brackets and pressures."""

FORMATS = "json", "csv", "dxf", "svg", "pdf", "stl"
"""Output formats of a fabrication pack."""
ON_REQUEST = "sofa", "bench"
"""Formats that are written only if they are named: for other programs, or large, and not needed to build."""
GUIDE = "pdf"
"""Format of the builder's guide, which is written last, because it names the files of the others."""
KNOWN = *FORMATS, *ON_REQUEST
