"""What particles and refinement contribute to plans under errors."""
