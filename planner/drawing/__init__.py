"""Figures of plans and environments, and animations."""
