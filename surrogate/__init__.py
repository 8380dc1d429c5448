"""The actuator: an analytic sPAM model, and the table that rollouts use."""
