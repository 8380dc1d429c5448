"""A custom environment built in code: define obstacles in metres, write the environment to a file and plan in it."""

import math

import vinewright as vw


def main() -> None:
    """Plan past two boxes and a round table."""
    env = vw.Environment(
        name="workbench",
        bounds=(0.0, 0.0, 1.6, 1.0),  # min_x, min_y, max_x, max_y [m]
        start=(0.1, 0.2, math.radians(20)),  # x, y [m], heading [rad] anticlockwise from the x axis
        goal=(1.4, 0.75, 0.1),  # x, y, radius [m]
        obstacles=vw.Obstacles(
            boxes=[(0.5, 0.0, 0.6, 0.25), (0.9, 0.6, 1.0, 1.0)],  # x_min, y_min, x_max, y_max
            circles=[(1.1, 0.25, 0.12)],  # x, y, radius
            walls=[(0.3, 1.0, 0.3, 0.7, 0.01)],  # x1, y1, x2, y2, thickness
        ),
    )
    vw.write_environment(env, "workbench.toml")  # for `vinewright plan workbench.toml`

    result = vw.plan(env, seed=0, iterations=8, fast=True)
    print(result.reason, "-", result.best.actuators if result.best else "no", "actuator(s)")

    # Invalid input raises an error with a one-line message.
    blocked = vw.Environment(bounds=(0, 0, 1, 1), start=(0.5, 0.5, 0), goal=(2.0, 0.5, 0.1))
    try:
        vw.plan(blocked)
    except vw.InvalidEnvironment as error:
        print("invalid:", error)


if __name__ == "__main__":
    main()
