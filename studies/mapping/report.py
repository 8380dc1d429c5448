"""Tables of the mapping study, with the published values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import product
from typing import Any

import numpy as np

from planner.mapping.belief import PRIOR
from planner.output.markdown import markdown_table
from studies.mapping.study import (
    ACTIONS,
    DEPLOYMENTS,
    KINDS,
    LENGTH,
    LOST,
    RADIUS,
    REPEATS,
    SIDE,
    MappingCase,
    MappingRecord,
)
from surrogate.kernels.compiled import Floats
from vinewright.console.study import Report

NAMES = {"ideal": "Ideal", "monte-carlo": "Monte-Carlo", "information-gain": "Information gain", "random": "Random"}
PAPER = {"nominal": "64.1 (7.7)", "area only": "51.2 (7.18)", "wall only": "7.1 (2.46)"}
"""Published scores of Monte-Carlo in uniform environments with straight tubes (paper 003, Table 2)."""
PAPER_TURNS = {("uniform", "monte-carlo"): 6.44, ("non-uniform", "monte-carlo"): 9.70, ("uniform", "random"): 4.67,
               ("non-uniform", "random"): 7.40}  # fmt: skip
"""Published gain in score from turns [points] (paper 003, section 5.3)."""


def of_kind(records: Sequence[MappingRecord], kind: str, actions: str, policy: str, **other: Any) -> Floats:
    """Scores of one kind of case after each deployment, shape (environments, DEPLOYMENTS).

    Args:
        other: Other fields of `MappingCase` that differ from their defaults.
    """
    return np.array([r.scores for r in _same_settings(records, MappingCase(kind, 0, actions, policy, **other))])


def random_band(records: Sequence[MappingRecord], kind: str, actions: str) -> tuple[Floats, Floats]:
    """Mean score of random deployments, and their standard deviation within an environment, averaged over all environments."""
    some = _same_settings(records, MappingCase(kind, 0, actions, "random"))
    return np.mean([r.scores for r in some], axis=0), np.mean([r.spread for r in some], axis=0)


def _same_settings(records: Sequence[MappingRecord], case: MappingCase) -> list[MappingRecord]:
    """Return the records of cases that differ only in their environment, in the order of the environments."""
    some = [record for record in records if replace(record.case, number=case.number) == case]
    return sorted(some, key=lambda record: record.case.number)


def first_ahead(records: Sequence[MappingRecord], kind: str, actions: str, policy: str) -> int | None:
    """Number of deployments from which the mean of a policy stays more than one standard deviation above that of Random."""
    mean, spread = random_band(records, kind, actions)
    behind = np.flatnonzero(of_kind(records, kind, actions, policy).mean(axis=0) <= mean + spread)
    first = int(behind[-1]) + 2 if len(behind) else 1
    return first if first <= DEPLOYMENTS else None


def difference(one: Floats, other: Floats) -> tuple[float, float]:
    """Mean difference of the final scores in the same environments, and its standard error."""
    apart = one[:, -1] - other[:, -1]
    return float(apart.mean()), float(apart.std(ddof=1) / np.sqrt(len(apart)))


def report(records: Sequence[MappingRecord], loop: float) -> Report:
    """Tables in Markdown, and their data.

    Args:
        records: Records of all cases.
        loop: Computing time of one choice among the turning actions [s].
    """
    environments = len(of_kind(records, "uniform", "straight", "ideal"))
    lines = [
        f"As in paper 003, section 4.2, an environment of 1 m by 1 m is mapped by {DEPLOYMENTS} deployments from two",
        f"launch points. The score is 0 for the prior and 100 for the true map. Scores are means over {environments}",
        f"environments, with the standard deviation over them in brackets. Random is repeated {REPEATS} times in each",
        "environment; its second deviation is that of the repeats, averaged over the environments.",
        "",
        f"Assumed here: tubes of {1e3 * RADIUS:g} mm radius and {LENGTH:g} m length, square obstacles of {SIDE:g} m in",
        f"uniform environments, a prior of {PRIOR:g}, and walls on all sides except that of the launch points, which the",
        "policies know. The paper does not give these values, and of its Table 1 it gives only those quoted here, so scores",
        "cannot agree exactly. They depend on the prior (it weights occupied against free cells), on the size of the",
        "obstacles (their interior cannot be observed), on the sides (a tube that slides along them sweeps a large area),",
        "and on the area that counts as swept (here the axis of the tube, not its width); see the last table. The side of",
        "the squares and the walls were chosen to approximate the paper's Table 2. So the scores themselves are no test;",
        "the order of the policies and the gain from turns are.",
        "",
        "Two details are not described in the paper. In sampled environments, contact in a cell that is known to be free",
        "does not count: the convex hull of a group of cells may cover such cells, and a deployment towards them would",
        "seem the most informative. And no policy except Random deploys a tube whose result is already known because",
        "another tube ended before its turn.",
        "",
        f"One choice (570 actions in each of 5 sampled environments, sampling and scoring included) takes {loop:.2f} s.",
        "",
        "## Table 1: final scores",
        "",
        *markdown_table(
            ["policy", *(f"{kind}, {actions}" for kind, actions in product(KINDS, ACTIONS))],
            [
                [name, *(_cell(records, *kind, policy) for kind in product(KINDS, ACTIONS))]
                for policy, name in NAMES.items()
            ],
        ),
        "",
        "Paper: Monte-Carlo in uniform environments with straight tubes 64.1 (7.7).",
        "",
        "Number of deployments after which the mean score stays above that of Random by more than its deviation within an",
        "environment (paper: 5 to 10; on average never in non-uniform environments with straight tubes):",
        "",
    ]
    for policy in ("monte-carlo", "information-gain"):
        found = [(kind, actions, first_ahead(records, kind, actions, policy)) for kind in KINDS for actions in ACTIONS]
        when = "; ".join(f"{kind}, {actions}: {first or 'never'}" for kind, actions, first in found)
        lines.append(f"* {NAMES[policy]}: {when}")
    lines += ["", *_differences(records), "", *_table_2(records), "", *_lost_lines(records), ""]
    lines += ["![Scores](mapping.png)", "", "![An environment, mapped](mapping-example.png)"]
    content = {
        "loop_s": round(loop, 4),
        "records": [asdict(r.case) | {"scores": r.scores.round(3).tolist(), "spread": r.spread.round(3).tolist(),
                                      "seconds": round(r.seconds, 3)} for r in records],
    }  # fmt: skip
    return Report("Mapping with vines", lines, content)


def _cell(records: Sequence[MappingRecord], kind: str, actions: str, policy: str, **other: Any) -> str:
    final = of_kind(records, kind, actions, policy, **other)[:, -1]
    within = f"; {random_band(records, kind, actions)[1][-1]:.1f}" if policy == "random" and not other else ""
    return f"{final.mean():.1f} ({final.std(ddof=1):.1f}{within})"


def _differences(records: Sequence[MappingRecord]) -> list[str]:
    lines = [
        "## Gain from turns and from the choice of deployments",
        "",
        "Differences of final scores in the same environments, with their standard error. Information gain chooses by the",
        "entropy of the cells that are seen for the first time; all unseen cells have the same prior, so this is",
        "equivalent to their number.",
        "",
    ]
    rows = []
    for policy, name in NAMES.items():
        cells = []
        for kind in KINDS:
            turning, straight = (of_kind(records, kind, actions, policy) for actions in ("turning", "straight"))
            published = PAPER_TURNS.get((kind, policy))
            cells += [_text(difference(turning, straight)), f"{published:+.2f}" if published else ""]
        rows.append([f"{name}, turning - straight", *cells])
    for one, other in (("monte-carlo", "random"), ("information-gain", "monte-carlo")):
        for actions in ACTIONS:
            cells = []
            for kind in KINDS:
                both = (of_kind(records, kind, actions, policy) for policy in (one, other))
                cells += [_text(difference(*both)), ""]
            rows.append([f"{NAMES[one]} - {NAMES[other]}, {actions}", *cells])
    return [*lines, *markdown_table(("", "uniform", "paper", "non-uniform", "paper"), rows)]


def _text(found: tuple[float, float]) -> str:
    return f"{found[0]:+.1f} ± {found[1]:.1f}"


def _table_2(records: Sequence[MappingRecord]) -> list[str]:
    lines = [
        "## Table 2: half of the information",
        "",
        "Monte-Carlo in uniform environments with straight tubes, if only the free area, or only the touched walls, are",
        "used from each deployment, both for the map and for the choice of the next deployment.",
        "",
    ]
    means, rows = [], []
    for information in ("area only", "wall only", "nominal"):
        scores = of_kind(records, "uniform", "straight", "monte-carlo", information=information)
        means.append(scores[:, -1].mean())
        if information == "nominal":
            rows.append(["area only + wall only", f"{means[0] + means[1]:.1f}", "58.3"])
        cell = _cell(records, "uniform", "straight", "monte-carlo", information=information)
        rows.append([information, cell, PAPER[information]])
    nominal = of_kind(records, "uniform", "straight", "monte-carlo")[:, -1].mean()
    more = nominal - means[0] - means[1]
    lines += markdown_table(("information", "score", "paper"), rows)
    return [*lines, "", f"Both together score {more:+.1f} relative to the sum of the two (paper: +5.8)."]


def _lost_lines(records: Sequence[MappingRecord]) -> list[str]:
    lines = [
        "## Effect of the values that the paper does not give",
        "",
        "Final scores in uniform environments with straight tubes, for squares of another side, another prior, and open",
        "environments: these have no walls at their sides, and a tube ends at the boundary.",
        "",
    ]
    rows = []
    for side, prior, closed in LOST:
        other: dict[str, Any] = {"side": side, "prior": prior, "closed": closed}
        kinds = [("uniform", "straight", policy) for policy in ("monte-carlo", "random")]
        cells = [_cell(records, *kind, **other) for kind in kinds]
        difference_text = _text(difference(*(of_kind(records, *kind, **other) for kind in kinds)))
        rows.append([f"{side:g}", f"{prior:g}", "closed" if closed else "open", *cells, difference_text])
    columns = "side m", "prior", "environment", "Monte-Carlo", "Random", "Monte-Carlo - Random"
    return [*lines, *markdown_table(columns, rows)]
