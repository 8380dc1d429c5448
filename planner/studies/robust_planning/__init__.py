"""Robust planning: designs chosen by their success rate in trials with errors."""
