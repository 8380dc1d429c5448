"""Plans whose pressures are constant, and plans in which they may change while the tube grows."""
