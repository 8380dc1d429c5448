"""From a shipped environment to a design: plan, inspect the result, save it and load it."""

import vinewright as vw


def main() -> None:
    """Plan for ten iterations, print the actuated sections, save the run and load the design."""
    env = vw.load_environment("divider")
    # iterations=10 gives the same design on every machine. fast=True plans without errors: without it, designs
    # are refined and tried under the errors of a workshop, which takes longer.
    result = vw.plan(env, seed=1, iterations=10, fast=True, progress=True)
    if result.best is None:
        print(f"no design: {result.reason}")
        return
    print(f"{result.iterations} iterations in {result.seconds:.1f} s, {len(result.designs)} distinct designs")
    for section in result.best.sections:
        print(
            f"{1e3 * section.start:5.0f} to {1e3 * section.end:5.0f} mm: {section.side:>5}, "
            f"cells of {1e3 * section.l_0:3.0f} mm at {1e-3 * section.pressure:4.1f} kPa"
        )
    # design.json, plan.png, trajectory.npz and a checkpoint to resume the search; force replaces an earlier run
    result.save("runs/divider", force=True)
    design = vw.load_design("runs/divider")
    print(f"loaded: {design.actuators} actuator(s), {design.length:.2f} m of tube")


if __name__ == "__main__":
    main()
