"""Plans under errors: success of the chosen designs, effect of parts of the choice, and random environments."""
