"""The keys of robot files: the name, unit and range of each number, and its conversion."""

from __future__ import annotations

from dynamics.tube_keys import Key

ROBOT = {
    "mass": Key("mass_kg", 0, 1e-6, 1e3, "mass carried by the tip; the tube is massless"),
    "stiffness": Key("stiffness_n_m_per_rad", 0, 0, 1e6, "moment per bend, independent of the length, K_theta"),
    "axial_damping": Key("axial_damping_n_s_per_m", 0, 0, 1e6, "force per growth rate, D_s"),
    "bending_damping": Key("bending_damping_n_m_s_per_rad", 0, 0, 1e6, "moment per bending rate, D_theta, in every direction"),
    "yield_force": Key("yield_force_n", 0, 0, 1e6, "core force below which the tube does not grow, Y_e"),
    "diameter": Key("diameter_mm", 3, 1, 1e4, "diameter of the tube, D"),
    "levers": Key("arm_diameters", 0, 0.01, 100, "distance of the actuators from the neutral axis, in diameters"),
}  # fmt: skip
GRAVITY = "gravity_m_per_s2", 1e3, "gravitational acceleration x, y, z in the base's frame; the tube grows along +z"
"""Key, greatest absolute value and meaning of the direction and size of gravity."""
PLANES = (
    "actuator_planes_deg",
    360.0,
    "angles of the three sPAMs around the tube; each alone bends it into its own plane",
)
"""Key, greatest absolute value and meaning of the positions of the actuators."""
ACTUATOR = {
    "area": Key("area_mm2", 6, 1e-3, 1e9, "tension per pressure of a sPAM at its full length"),
    "contraction": Key("contraction", 0, 1e-4, 1, "contraction at which its tension vanishes, as a share of the full length"),
}  # fmt: skip
CONTROLLER = {
    "growth_gain": Key("growth_gain_n_per_m", 0, 0, 1e9, "force per error of the length, K_p"),
    "growth_damping": Key("growth_damping_n_s_per_m", 0, 0, 1e9, "force per error of the growth rate, K_d"),
    "bend_gain": Key("bend_gain_n_m_per_rad", 0, 0, 1e9, "moment per error of u and v, K_p"),
    "bend_damping": Key("bend_damping_n_m_s_per_rad", 0, 0, 1e9, "moment per error of the rates of u and v, K_d"),
    "most_core": Key("most_core_n", 0, 1e-3, 1e6, "largest force in the core; without it there is no limit"),
    "most_tension": Key("most_tension_n", 0, 1e-3, 1e6, "largest pull of a sPAM; without it there is no limit"),
}  # fmt: skip
