"""Speed of the geometric simulator, and its shapes compared with the visibility graph."""
