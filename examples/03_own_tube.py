"""Custom tubes: the effect of the growth pressure and of the type of actuator on the design."""

import vinewright as vw


def main() -> None:
    """Plan with three tubes in the same environment."""
    env = vw.load_environment("plus")
    print("shipped tubes:", ", ".join(vw.known_tubes()))  # vw.load_tube("tube.toml") loads your own
    tubes = {
        "prototype": vw.load_tube("prototype"),
        "growth pressure of 14 kPa": vw.VineParams(growth_pressure=14e3),
        "pouch motors": vw.VineParams(actuator=vw.PouchMotor()),
    }
    for name, tube in tubes.items():
        result = vw.plan(env, tube, seed=1, iterations=8, fast=True)
        if result.best is None:
            print(f"{name}: no design: {result.reason}")
        else:
            print(f"{name}: {result.best.actuators} actuator(s), {result.best.length:.2f} m")


if __name__ == "__main__":
    main()
