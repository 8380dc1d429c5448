"""Fabrication files: a design rounded to whole cells, with cut list, full-scale patterns and pressures."""

import vinewright as vw


def main() -> None:
    """Export a design, and print the effect of rounding and the fabrication warnings."""
    env = vw.load_environment("divider")
    result = vw.plan(env, seed=1, iterations=10, fast=True)
    if result.best is None:
        print(f"no design: {result.reason}")
        return
    formats = ["json", "csv", "svg", "pdf"]
    pack = vw.export(result.best, env, "workshop", formats, force=True)
    print("reaches the goal as fabricated:", pack.grown.reached)
    for planned, made in zip(result.best.actuated, pack.grown.design.actuated, strict=True):
        print(
            f"{planned.side}: {1e3 * planned.start:.0f} to {1e3 * planned.end:.0f} mm planned, "
            f"{1e3 * made.start:.0f} to {1e3 * made.end:.0f} mm fabricated: {(made.end - made.start) / made.l_0:.0f} cells"
        )
    for warning in pack.warnings:
        print("warning:", warning)


if __name__ == "__main__":
    main()
