"""Ablations: planning with one part of the search disabled or changed at a time."""
