"""Many plans: random environments and seeds, and how to resume a search for more iterations."""

import numpy as np

import vinewright as vw


def main() -> None:
    """Plan in three random environments with two seeds each, and resume the last search."""
    rng = np.random.default_rng(7)
    for number in range(3):
        env = vw.generate_environment(rng, size=(1.6, 1.6), density=0.15, name=f"clutter-{number}")
        found = [vw.plan(env, seed=seed, iterations=6, fast=True) for seed in range(2)]
        actuators = [result.best.actuators if result.best else None for result in found]
        print(f"{env.name}: {len(env.obstacles)} obstacles; actuators by seed: {actuators}")
    last = found[-1]
    if last.best is None:
        print(f"no design: {last.reason}")
        return
    last.save("runs/clutter", force=True)
    more = vw.resume("runs/clutter", iterations=12)
    if more.best:
        cost = f"{more.best.actuators} actuator(s), {more.best.length:.2f} m"
        print(f"after {more.iterations} iterations: {cost}; improved at", [f"{m.seconds:.2f} s" for m in more.history])


if __name__ == "__main__":
    main()
