"""A plan: its options, the search, and the choice of the design to make."""
