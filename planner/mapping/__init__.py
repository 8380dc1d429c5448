"""Mapping an unknown environment with a vine: belief, information and choice of deployments (paper 003, section 4)."""
