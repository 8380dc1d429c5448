"""Many plans, on all cores: random environments and seeds, and how many actuators each plan needs."""

import vinewright as vw


def main() -> None:
    """Plan in three random environments with two seeds each. Run it again: what is done is not computed again."""
    study = {
        "schema": 1,
        "environments": {"random": {"density": 0.15, "seed": [0, 1, 2], "width_mm": 1000, "height_mm": 1000}},
        "plan": {"fast": True, "iterations": 6, "seed": [0, 1]},
    }
    rows = vw.sweep(study, "runs/sweep")  # scheduler="tcp://10.0.0.5:8786" uses the workers of a Dask cluster
    seeds = sorted({row["seed"] for row in rows})
    print("actuators".ljust(22), *(f"seed {seed}" for seed in seeds))
    for environment in dict.fromkeys(row["environment"] for row in rows):
        found = {row["seed"]: row["actuators"] for row in rows if row["environment"] == environment}
        print(
            str(environment).ljust(22), *(("-" if found[seed] is None else str(found[seed])).rjust(6) for seed in seeds)
        )


if __name__ == "__main__":  # the workers import this file
    main()
