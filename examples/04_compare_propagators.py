"""Compare models of the growing vine: do they agree on where the tip of a design ends?"""

import numpy as np

import vinewright as vw


def main() -> None:
    """Grow one design with three propagators and compare their tips."""
    env = vw.load_environment("divider")
    result = vw.plan(env, seed=1, iterations=10, fast=True)
    if result.best is None:
        print(f"no design: {result.reason}")
        return
    print("known propagators:", ", ".join(vw.propagators()))
    for name in ("quasistatic", "impulse", "geometric"):
        simulation = vw.simulate(result.best, env, propagator=name)
        apart = np.hypot(*(simulation.tip[:2] - result.best.tip[:2]))
        print(
            f"{name:12} reached: {simulation.reached!s:5} tip {1e3 * apart:4.0f} mm from the plan; "
            f"greatest contact force {simulation.contact_force.max():.1f} N; {simulation.ending}"
        )
    # With verify=, the planner chooses the best design that also reaches the goal with a second propagator.
    verified = vw.plan(env, seed=1, iterations=10, fast=True, verify="impulse")
    if verified.verification:
        print("verified by impulse:", verified.verification.verified)


if __name__ == "__main__":
    main()
