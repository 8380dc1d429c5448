"""Numbers of the tube chosen on all recordings but one, and judged on that one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from dynamics.recording import Recording
from dynamics.tube import VineParams
from planner.output.markdown import markdown_table
from studies.validation.recordings import deploy
from studies.validation.variants import change_tube

CHOICES: dict[str, tuple[float | None, ...]] = {
    "bending_stiffness": (None, 0.4, 0.6, 0.9, 1.3),
    "collapse_share": (1.0, 0.9, 0.8, 0.7, 0.6),
    "friction": (0.0, 0.1),
    "least_height": (1.0, 0.5),
}
"""Values of the free numbers, fields of `VineParams`; all combinations are tried. The first ones are the default's."""
NAMES = {
    "bending_stiffness": "EI N m2",
    "collapse_share": "folds at",
    "friction": "friction",
    "least_height": "least height",
}

Numbers = tuple[float | None, ...]
"""One value of each of `CHOICES`."""


@dataclass(frozen=True, slots=True)
class TubeError:
    """Error of a tube on one recording."""

    recording: str
    numbers: Numbers
    error: float
    """Mean over the frames [m]."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "recording": self.recording,
            **dict(zip(CHOICES, self.numbers, strict=True)),
            "mean_mm": round(1e3 * self.error, 3),
        }


def list_combinations() -> list[Numbers]:
    """Return all combinations, the default's first."""
    return list(product(*CHOICES.values()))


def run_left_out(recordings: Sequence[Recording]) -> Iterator[TubeError]:
    """Simulate every recording with every combination."""
    for recording in recordings:
        for numbers in list_combinations():
            make = partial(change_tube, numbers=dict(zip(CHOICES, numbers, strict=True)))
            done = deploy(recording, "", make, VineParams(radius=recording.tube_radius))
            yield TubeError(recording.name, numbers, done.mean)


def choose_without(trials: Sequence[TubeError], left_out: str) -> Numbers:
    """Return the combination with the smallest mean error over the other recordings; the earlier one of `list_combinations` if equal."""
    errors: dict[Numbers, list[float]] = {}
    for one in trials:
        if one.recording != left_out:
            errors.setdefault(one.numbers, []).append(one.error)
    return min(errors, key=lambda numbers: float(np.mean(errors[numbers])))


def report(trials: Sequence[TubeError]) -> list[str]:
    """Return a table as lines of Markdown: what is chosen without each recording, and its error there."""
    names = list(dict.fromkeys(one.recording for one in trials))
    error = {(one.recording, one.numbers): 1e3 * one.error for one in trials}
    usual = list_combinations()[0]
    rows, gains = [], []
    for name in names:
        numbers = choose_without(trials, name)
        best = min(error[name, other] for other in list_combinations())
        gains.append(error[name, usual] - error[name, numbers])
        values = ["fit" if value is None else f"{value:g}" for value in numbers]
        rows.append([name, *values, *(f"{each:.1f}" for each in (error[name, numbers], error[name, usual], best))])
    default = np.mean([error[name, usual] for name in names])
    lines = [
        f"{len(list_combinations())} tubes with other stiffness, collapse, friction and dents. For each recording, the numbers are those",
        "with the smallest mean error on the *other* recordings; they have not seen the one that they are judged on. *Best*: the",
        "smallest error of any of the tubes on this recording, which is chosen with hindsight.",
        "",
        *markdown_table(["left out", *NAMES.values(), "error mm", "default mm", "best mm"], rows),
        "",
        f"The mean error on the recordings left out is {default - np.mean(gains):.1f} mm, with the default {default:.1f} mm; nearer in "
        f"{sum(gain > 0 for gain in gains)} of {len(names)} recordings, by at most {max(0.0, *gains):.1f} mm, and farther by at most "
        f"{max(0.0, *(-gain for gain in gains)):.1f} mm.",
    ]
    return lines
