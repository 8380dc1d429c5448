"""Defaults of the search, compared with what they were before."""
