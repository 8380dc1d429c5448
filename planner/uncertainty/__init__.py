"""Growth where nothing is exact: errors, the deviations drawn from them, trials of designs, and what decides their success."""
