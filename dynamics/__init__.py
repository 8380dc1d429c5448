"""Motion of vines: parameters and state, the scene, and the propagators."""
