"""Designs that reach the goal as planned may miss it if pressures, cells or obstacles deviate slightly."""

import vinewright as vw


def main() -> None:
    """Estimate the success rate of all designs of a plan, then that of the most robust one under other errors."""
    env = vw.load_environment("divider")
    result = vw.plan(env, seed=1, iterations=15, fast=True)
    if result.best is None:
        print(f"no design: {result.reason}")
        return
    estimates = [vw.robustness(design, env, trials=100) for design in result.designs]
    for design, estimate in zip(result.designs, estimates, strict=True):
        print(f"{design.actuators} actuator(s), {design.length:.2f} m: {estimate}")
    most_robust = max(range(len(estimates)), key=lambda k: estimates[k].rate)
    own = vw.Uncertainty(obstacle_position=1e-3, start_position=1e-3, pressure=300.0)
    for name, errors in (("lasercut", "lasercut"), ("field", "field"), ("my own", own)):
        estimate = vw.robustness(result.designs[most_robust], env, trials=100, uncertainty=errors)
        low, high = estimate.interval
        print(f"{name:8} errors: {100 * estimate.rate:3.0f} % reach the goal ({low:.2f} to {high:.2f})")
    # Without fast=True, vw.plan refines its designs under such errors and chooses one by its success.


if __name__ == "__main__":
    main()
