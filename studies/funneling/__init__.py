"""How walls reduce the spread of tips (paper 002)."""
