"""Planning every environment with many seeds."""
