"""From a design to what a workshop needs: cut list, patterns at true size, brackets, pressures."""

FORMATS = "json", "csv", "dxf", "svg", "pdf", "stl"
"""What a pack can be written as."""
