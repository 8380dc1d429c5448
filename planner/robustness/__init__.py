"""How likely a design is to reach the goal when environment, actuators and start are not quite as planned."""
