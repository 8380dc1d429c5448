"""Reports and figures of fits of the dynamic model."""
