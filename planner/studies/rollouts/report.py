"""The table of rollout speeds and agreement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from planner.provenance import machine
from planner.studies.rollouts.study import PARTED, REASONS, Agreement, RolloutSpeed


def rollouts_report(
    speeds: list[RolloutSpeed], agreements: list[Agreement], command: str
) -> tuple[str, dict[str, Any]]:
    """Two tables for people, and the same figures for programs."""
    lines = [
        "# Rollouts",
        "",
        f"Made by `{command}` on {machine()}; speeds on other machines, if any, by the same command there. Vines with random",
        "sections, a third of them without actuator, grown from the start of a place; one that gets stuck ends early. Compiling",
        "apart; best of three, or one where it is long. Paper 002: about 6 s an iteration of 100 vines, on a GPU. The gradient",
        "steps are preconditioned and conjugate, where the paper's have one rate for all unknowns.",
        "",
        "| place | model | machine | device | vines | length m | time s | vine-steps/s | against quasistatic |",
        "|---|---|---|---|---|---|---|---|---|",
        *_speed_rows(speeds),
        "",
        "## Where the vines end",
        "",
        f"The same vines under `quasistatic`. The tips' distance is taken at the greatest length both recorded; beyond {PARTED * 1e3:g} mm",
        "they have parted. A parted vine is sensitive if its tip parts from itself as well, under `quasistatic` alone, when the",
        "step is halved or the pressures rise by 0.5 %: it hung on a corner, or jammed, and a hair decides which way it goes on.",
        "It was unsolved if it parts no longer with four times the inner steps: where a vine snaps, the solver was left short of",
        "the minimum. Which vines parted for which reason is in the data beside this file.",
        "",
        "| place | model | vines | length m | same end | median mm | 90 % mm | 99 % mm | largest mm | parted | "
        f"{' | '.join(REASONS)} | deepest mm |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *map(_agreement_row, agreements),
    ]
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "speeds": [{**asdict(speed), "vine_steps_per_s": round(speed.rate)} for speed in speeds],
        "agreements": [asdict(agreement) for agreement in agreements],
    }
    return "\n".join(lines) + "\n", content


def _speed_rows(speeds: list[RolloutSpeed]) -> Iterator[str]:
    base = {(speed.machine, speed.batch): speed.seconds for speed in speeds if speed.model == "quasistatic"}
    for speed in speeds:
        exact = base.get((speed.machine, speed.batch))
        ratio = f"{exact / speed.seconds:.3g}" if exact else "-"
        cells = [speed.environment, speed.model, speed.machine, speed.device, str(speed.batch), f"{speed.length_m:g}"]
        yield f"| {' | '.join([*cells, f'{speed.seconds:.3g}', f'{speed.rate:,.0f}', ratio])} |"


def _agreement_row(a: Agreement) -> str:
    figures = [f"{value:.2f}" for value in (a.median_mm, a.p90_mm, a.p99_mm, a.largest_mm)]
    counts = [str(len(a.parted)), *(str(a.count(reason)) for reason in REASONS), f"{a.deepest_mm:.2f}"]
    cells = [a.environment, a.model, str(a.vines), f"{a.length_m:g}", f"{100 * a.same_end:.1f} %"]
    return f"| {' | '.join([*cells, *figures, *counts])} |"
