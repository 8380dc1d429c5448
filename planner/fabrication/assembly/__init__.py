"""Parts of a build: their dimensions, limits, tolerances and printed solids."""
