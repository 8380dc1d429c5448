"""Built tubes: what was measured when they grew, what that says about their errors, and pressures and changes that make them work."""
