"""The force table and the network compared with the analytic model."""
