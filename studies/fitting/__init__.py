"""The dynamic model fitted to known motion and to the published wall experiment."""
