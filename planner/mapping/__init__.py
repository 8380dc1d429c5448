"""Mapping an unknown place with a vine: what its deployments saw of it, and which to send next (paper 003, section 4)."""
