"""Built designs: what was measured of them on a bench."""
