"""Actuator models: analytic models of sPAM and pouch motor, the force table for rollouts, and a neural network."""
