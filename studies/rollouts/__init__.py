"""Speed of the propagators and their agreement."""
