"""Designs chosen by their success in trials with errors."""
