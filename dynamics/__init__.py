"""How a vine moves: its parameters and state, the scene, and the propagators."""
