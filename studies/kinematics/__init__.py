"""Tip-wall collisions: the kinematic rules compared with the other propagators."""
