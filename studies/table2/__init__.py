"""Table 2 of paper 002: planning with and without the reverse tree."""
