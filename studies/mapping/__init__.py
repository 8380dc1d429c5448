"""Mapping policies compared (paper 003)."""
