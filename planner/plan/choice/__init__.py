"""The choice of the design to make: refinement under errors, and trials that chose nothing."""
