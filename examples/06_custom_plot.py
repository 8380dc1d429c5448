"""A custom figure: `vw.plot` draws into any Matplotlib axes, to which you can add anything."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import vinewright as vw


def main() -> None:
    """Draw a design with its shapes during growth, and its contact force over the grown length."""
    env = vw.load_environment("divider")
    result = vw.plan(env, seed=1, iterations=10, fast=True)
    if result.best is None:
        print(f"no design: {result.reason}")
        return
    simulation = vw.simulate(result.best, env)
    figure = Figure(figsize=(11, 4), layout="constrained")
    plan, forces = figure.subplots(1, 2, width_ratios=(2, 1))
    vw.plot(env, result.best, ax=plan)
    # joints: shape (T, N + 1, 2), NaN beyond the tip, in metres like the axes. Draw every second record.
    for joints in simulation.joints[::2]:
        plan.plot(joints[:, 0], joints[:, 1], color="black", linewidth=0.4, zorder=8)
    plan.set_title(f"{result.best.actuators} actuator(s)")
    forces.plot(simulation.lengths, simulation.contact_force.sum(axis=1))
    forces.set(xlabel="grown length [m]", ylabel="contact force [N]")
    FigureCanvasAgg(figure).print_png("custom.png")
    print("wrote custom.png")


if __name__ == "__main__":
    main()
