"""The chain of paper 002 as it is written, and the default one, on the same card."""
