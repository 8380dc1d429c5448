"""OMPL's control planners and SST* on the same propagator, replay and time."""
