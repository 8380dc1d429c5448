"""Reports and pictures of fits of the dynamic model."""
