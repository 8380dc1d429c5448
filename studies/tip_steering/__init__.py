"""A vine held behind a narrow passage while its tip is steered (paper 002, supplement)."""
