"""The table of rollout speeds and agreement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from planner.design.comparison.growths import PARTED
from planner.output.markdown import markdown_table
from studies.rollouts.study import REASONS, EarlierSpeeds, PropagatorAgreement, RolloutSpeed
from vinewright.console.study import Report

SPEEDS = (
    "environment",
    "model",
    "machine",
    "device",
    "vines",
    "length m",
    "time s",
    "vine-steps/s",
    "compared with quasistatic",
)
ENDS = (
    *(
        "environment",
        "model",
        "vines",
        "length m",
        "same end",
        "median mm",
        "90 % mm",
        "99 % mm",
        "largest mm",
        "parted",
    ),
    *REASONS,
    "deepest mm",
)


def report(
    here: Sequence[RolloutSpeed], agreements: Sequence[PropagatorAgreement], earlier: EarlierSpeeds | None = None
) -> Report:
    """Two tables in Markdown, and their data; of an earlier report the speeds on other machines."""
    speeds = [*here, *(earlier.elsewhere if earlier else [])]
    lines = [
        "Vines with random sections, a third of which have no actuator, grow from the start of the environment; a vine",
        "that gets stuck ends early. Times exclude compilation; each is the best of three runs, or of one if it takes",
        "long. Speeds on other machines, if any, were measured there with the same command. For comparison, paper 002",
        "reports about 6 s per iteration of 100 vines, on a GPU. The gradient method is a preconditioned conjugate",
        "gradient; that of the paper uses one fixed step size for all unknowns.",
        "",
        *markdown_table(SPEEDS, _speed_rows(speeds)),
        "",
        "## Where the vines end",
        "",
        "The same vines are grown with each model and with `quasistatic`, where the tube may lie on itself if the model",
        "does not know the tube's own body. The distance of the tips is measured at the",
        f"greatest length that both recorded; vines whose tips are more than {PARTED * 1e3:g} mm apart have *parted*. A",
        "parted vine is *sensitive* if its tip in `quasistatic` alone moves as far when the step is halved or the",
        "pressures rise by 0.5 %: it caught on a corner or jammed, and its further path is sensitive to initial",
        "conditions. It is *unsolved* if it no longer parts with four times as many inner steps: where a vine snaps, the",
        "solver stopped short of the minimum. `data.json` lists the parted vines with their reasons.",
        "",
        *markdown_table(ENDS, map(_agreement_row, agreements)),
    ]
    content = {
        "speeds": [{**asdict(speed), "vine_steps_per_s": round(speed.rate)} for speed in speeds],
        "agreements": [asdict(agreement) for agreement in agreements],
    }
    if earlier and earlier.elsewhere:  # the report is as old as its oldest part
        content["depends_on"] = earlier.depends_on
    return Report("Rollouts", lines, content)


def _speed_rows(speeds: Sequence[RolloutSpeed]) -> Iterator[list[str]]:
    base = {(speed.machine, speed.batch): speed.seconds for speed in speeds if speed.model == "quasistatic"}
    for speed in speeds:
        exact = base.get((speed.machine, speed.batch))
        ratio = f"{exact / speed.seconds:.3g}" if exact else "-"
        cells = [speed.environment, speed.model, speed.machine, speed.device, str(speed.batch), f"{speed.length_m:g}"]
        yield [*cells, f"{speed.seconds:.3g}", f"{speed.rate:,.0f}", ratio]


def _agreement_row(a: PropagatorAgreement) -> list[str]:
    figures = [f"{value:.2f}" for value in (a.median_mm, a.p90_mm, a.p99_mm, a.largest_mm)]
    counts = [str(len(a.parted)), *(str(a.count(reason)) for reason in REASONS), f"{a.deepest_mm:.2f}"]
    cells = [a.environment, a.model, str(a.vines), f"{a.length_m:g}", f"{100 * a.same_end:.1f} %"]
    return [*cells, *figures, *counts]
