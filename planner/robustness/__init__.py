"""How likely a design is to reach the goal where place, muscles and start are not quite as planned."""
