"""Vines whose pressures change while they grow: their search, their solutions, and variants with fewer actuators."""
