"""Comparison of a design's growth with two propagators: where they part, and why the goal is missed with one of them."""
