"""What a workshop needs: a design rounded to whole cells, with cut list, patterns at true size and pressures."""

import vinewright as vw


def main() -> None:
    """Export a design and print what to know before it is fabricated."""
    env = vw.load_environment("divider")
    result = vw.plan(env, seed=1, iterations=10)
    if result.best is None:
        print(f"no design: {result.reason}")
        return
    pack = vw.export(result.best, env, "workshop", formats=["json", "csv", "svg", "pdf"])
    print("as made it reaches the goal:", pack.grown.reached)
    for planned, made in zip(result.best.actuated, pack.grown.design.actuated, strict=True):
        print(
            f"{planned.side}: {1e3 * planned.start:.0f} to {1e3 * planned.end:.0f} mm planned, "
            f"{1e3 * made.start:.0f} to {1e3 * made.end:.0f} mm made: {(made.end - made.start) / made.l_0:.0f} cells"
        )
    for warning in pack.warnings:
        print("warning:", warning)


if __name__ == "__main__":
    main()
