"""Price of arcs along walls: how many actuators contact saves vines in random environments."""
