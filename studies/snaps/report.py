"""The tables of the study, and what they say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from dynamics.quasistatic.propagator import SNAP
from dynamics.relaxations import PARTED, WAYS
from planner.output.markdown import markdown_table
from planner.output.provenance import machine
from studies.snaps.agreement import ImpulseAgreement
from studies.snaps.branches import FINEST, MOVED, PARTS, QUANTILES, SAMPLED, TOUCHING, WRONG, BranchShares
from studies.snaps.designs import PART, Snapped, Unsolved
from studies.snaps.study import ROUNDS, Found, RestCost
from vinewright.console.study import Report

ALL = "all"
STEPS = ("default", *(f"1/{part}" for part in PARTS[1:]))
WRONG_COLUMNS = "environment", "physics", "rests", "vines", *STEPS, "default against rests"
STATE_COLUMNS = (
    *("environment", "physics", "rests", "states"),
    *(f"> {1e3 * limit:g} mm" for limit in MOVED),
    *("not at rest", "farthest mm", "residual N mm, median", "90 %", "largest"),
)
DESIGN_COLUMNS = "environment", "design", "actuators", "length mm", "ends in goal", "snaps", "ambiguous", "refused"
SNAP_COLUMNS = "environment", "design", "length mm", "tip mm", "energy mJ", "moved mm", "apart mm", "ambiguous"
AGREEMENT_COLUMNS = "environment", "end", "in goal", "tips apart mm"
COST_COLUMNS = (
    *("environment", "physics", "rests", "time s", "over published", "growth steps"),
    *("at constant length", "per growth step"),
)


@dataclass(frozen=True, slots=True)
class SnapFindings:
    """Results of the study by kind."""

    branches: list[BranchShares]
    designs: list[Snapped]
    unsolved: list[Unsolved]
    agreements: list[ImpulseAgreement]
    costs: list[RestCost]

    @classmethod
    def of(cls, found: Iterable[Sequence[Found]]) -> SnapFindings:
        """Separate the results of all cases."""
        every = list(chain.from_iterable(found))
        return cls(
            [one for one in every if isinstance(one, BranchShares)],
            [one for one in every if isinstance(one, Snapped)],
            [one for one in every if isinstance(one, Unsolved)],
            [one for one in every if isinstance(one, ImpulseAgreement)],
            [one for one in every if isinstance(one, RestCost)],
        )

    def kinds(self) -> list[tuple[str, bool]]:
        """Physics and rests of the random vines."""
        return list(dict.fromkeys((one.physics, one.rests) for one in self.branches))

    def of_kind(self, kind: tuple[str, bool]) -> list[BranchShares]:
        """Return the random vines of one kind, in all environments."""
        return [one for one in self.branches if (one.physics, one.rests) == kind]


def report(found: Sequence[Sequence[Found]]) -> Report:
    """Return the tables in Markdown, and their data."""
    findings = SnapFindings.of(found)
    lines = [
        "*Without rests*, the quasi-static propagator solves one linearised step per growth, as paper 002 describes.",
        "*With rests*, it continues with steps at constant length until the vine is at rest. The default is the",
        "corrected physics with rests; the published physics has none.",
        *_wrong_lines(findings),
        *_state_lines(findings),
        *_design_lines(findings),
        *_agreement_lines(findings.agreements),
        *_cost_lines(findings.costs),
    ]
    content = {
        "branches": [one.content() for one in findings.branches],
        "designs": [one.content() for one in findings.designs],
        "without_design": {one.environment: {"refused_as_ambiguous": one.refused} for one in findings.unsolved},
        "agreements": [one.content() for one in findings.agreements],
        "costs": [one.content() for one in findings.costs],
    }
    return Report("Snaps: rests, branches and their cost", lines, content)


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if total else "-"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _wrong_lines(findings: SnapFindings) -> Iterator[str]:
    if not findings.branches:
        return
    yield from (
        "",
        "## Branches taken with longer steps",
        "",
        "Vines with random sections grow from the start of each environment, with the default step and with parts of it.",
        f"A branch is *wrong* if the growth ends in another way than with 1/{FINEST} of the step, or if the last recorded",
        f"tips are more than {1e3 * WRONG:g} mm apart. The columns of steps compare vines without rests with the same vines",
        "without rests, and vines with rests with those with rests. The last column compares the default step with",
        f"1/{FINEST} of the step with rests, of the same physics.",
        "",
        *markdown_table(WRONG_COLUMNS, map(_wrong_row, [*findings.branches, *_totals(findings)])),
        "",
        "![Share of wrong branches](branches.png)",
    )


def _totals(findings: SnapFindings) -> Iterator[BranchShares]:
    """Yield the random vines of all environments together, for each kind."""
    for kind in findings.kinds():
        own = findings.of_kind(kind)
        yield BranchShares(
            environment=ALL,
            physics=own[0].physics,
            rests=own[0].rests,
            vines=sum(one.vines for one in own),
            wrong={part: sum(one.wrong[part] for one in own) for part in PARTS},
            wrong_of_rests={part: sum(one.wrong_of_rests[part] for one in own) for part in PARTS},
            states=sum(one.states for one in own),
            unsettled=sum(one.unsettled for one in own),
            moved=tuple(sum(one.moved[k] for one in own) for k in range(len(MOVED))),
            farthest=max(one.farthest for one in own),
            residuals=tuple(chain.from_iterable(one.residuals for one in own)),
        )


def _wrong_row(one: BranchShares) -> list[str]:
    shares = [_share(one.wrong[part], one.vines) for part in PARTS]
    kind = [one.environment, one.physics, _yes(one.rests), str(one.vines)]
    return [*kind, *shares, _share(one.wrong_of_rests[1], one.vines)]


def _state_lines(findings: SnapFindings) -> Iterator[str]:
    if not findings.branches:
        return
    yield from (
        "",
        "## Recorded states that are not equilibria",
        "",
        f"Of the states that the same vines recorded with the default step, one in {SAMPLED} was held at constant length",
        "until it was at rest. The table has the share of states of which a joint moved by more than",
        f"{' and '.join(f'{1e3 * limit:g} mm' for limit in MOVED)}, the share that did not come to rest, and the longest",
        "way of a joint to its rest. *Residual*: the largest moment of a joint in the recorded state, before it was held,",
        f"that forces at contacts with a gap below {1e3 * TOUCHING:g} mm do not balance, with the forces that balance the",
        "moments best.",
        "",
        *markdown_table(STATE_COLUMNS, map(_state_row, [*findings.branches, *_totals(findings)])),
    )


def _state_row(one: BranchShares) -> list[str]:
    shares = [_share(count, one.states) for count in (*one.moved, one.unsettled)]
    residuals = [f"{1e3 * value:.3g}" for value in one.quantiles().values()] or ["-"] * len(QUANTILES)
    numbers = [f"{1e3 * one.farthest:.2f}", *residuals]
    return [one.environment, one.physics, _yes(one.rests), str(one.states), *shares, *numbers]


def _design_lines(findings: SnapFindings) -> Iterator[str]:
    designs = findings.designs
    if not designs and not findings.unsolved:
        return
    snaps = [snap for one in designs for snap in one.snaps]
    unsolved = ", ".join(f"{one.environment} ({one.refused} refused)" for one in findings.unsolved)
    yield from (
        "",
        "## Snaps of planned designs",
        "",
        f"Each environment was planned once. The first solution and the best one kept grew with 1/{PART} of the default step.",
        f"From each of their snaps, the vine relaxed in three ways: {', '.join(WAYS[:-1])} and {WAYS[-1]}",
        "(`dynamics/relaxations.py`) out of its state just before. *Moved*: the longest way of a joint to the viscous rest. A snap",
        "is *ambiguous* if a joint of two of the rests is more than",
        f"{1e3 * PARTED:g} mm apart, or if one of them was not found. The planner refuses candidates whose snaps it finds",
        "ambiguous; *refused* is the number of those in the search.",
        "",
        f"{sum(bool(one.snaps) for one in designs)} of {len(designs)} designs snap; of {len(snaps)} snaps,"
        f" {sum(snap.again for snap in snaps)} go farther than {1e3 * SNAP:g} mm by viscosity and {sum(snap.ambiguous for snap in snaps)}"
        " are ambiguous." + (f" No design was found in: {unsolved}." if unsolved else ""),
        "",
        *markdown_table(DESIGN_COLUMNS, map(_design_row, designs)),
    )
    if snaps:
        yield from ("", *markdown_table(SNAP_COLUMNS, _snap_rows(designs)))
    yield from ("", "![Where the designs snap](designs.png)")


def _design_row(one: Snapped) -> list[str]:
    ambiguous = sum(snap.ambiguous for snap in one.snaps)
    ends = "yes" if one.in_goal else f"no, {one.status.name.lower().replace('_', ' ')}"
    numbers = [
        str(one.design.actuators),
        f"{1e3 * one.design.length:.0f}",
        ends,
        str(len(one.snaps)),
        str(ambiguous),
        str(one.refused),
    ]
    return [one.environment.name, one.which, *numbers]


def _snap_rows(designs: Sequence[Snapped]) -> Iterator[list[str]]:
    for one in designs:
        for snap in one.snaps:
            tip = " ".join(f"{1e3 * value:.0f}" for value in snap.place)
            apart = f"{1e3 * snap.apart:.2f}" if math.isfinite(snap.apart) else "no rest"
            moved = f"{1e3 * snap.moved:.1f}"
            figures = [f"{1e3 * snap.length:.1f}", tip, f"{1e3 * snap.energy:.3g}", moved, apart, _yes(snap.ambiguous)]
            yield [one.environment.name, one.which, *figures]


def _agreement_lines(agreements: Sequence[ImpulseAgreement]) -> Iterator[str]:
    if not agreements:
        return
    yield from (
        "",
        "## Impulse simulator",
        "",
        "The best designs grew by one segment at a time in the impulse simulator, and were held until they were at rest before",
        f"the next. *Tips apart*: distance from the tip of the default propagator with 1/{PART} of the step.",
        f"{sum(one.in_goal for one in agreements)} of {len(agreements)} designs end in the goal.",
        "",
        *markdown_table(AGREEMENT_COLUMNS, map(_agreement_row, agreements)),
    )


def _agreement_row(one: ImpulseAgreement) -> list[str]:
    ends = one.status.name.lower().replace("_", " ")
    return [one.environment, ends, _yes(one.in_goal), f"{1e3 * one.apart:.1f}"]


def _cost_lines(costs: Sequence[RestCost]) -> Iterator[str]:
    if not costs:
        return
    yield from (
        "",
        "## Time",
        "",
        f"The same vines grew {ROUNDS} times with the default step on {machine()}, with each kind in turn. *Time* is the",
        "median; *over published* is the median ratio to the time of the published physics without rests in the same",
        "round. The vines of different kinds do not end at the same length; *growth steps* are those of all vines.",
        "",
        *markdown_table(COST_COLUMNS, map(_cost_row, costs)),
    )


def _cost_row(one: RestCost) -> list[str]:
    times = [f"{np.median(one.seconds):.3g}", f"{np.median(one.ratios):.2f}"]
    per_step = one.relaxations / max(one.steps, 1)
    counts = [f"{one.steps:,}", f"{one.relaxations:,}", f"{per_step:.2f}"]
    return [one.environment, one.physics, _yes(one.rests), *times, *counts]
