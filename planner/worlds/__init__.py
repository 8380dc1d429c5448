"""Worlds that are not quite as planned, and the growth of designs in them."""
