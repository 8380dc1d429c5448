"""Vines grown by the reference solver, kept in tests/data/reference-vines, one file an environment.

Made by `python -m tests.dynamics.reference.store [ENVIRONMENT ...]` from the root of the repository: about a minute a vine, in two
processes. Of each random vine it grows both physics, and each a second time with finer steps, to see which states depend on them.
The actuation is that of the random rollouts, rounded as it is stored.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.tube import VineParams
from environments import Environment, load_environment
from tests.dynamics.reference.shape import Floats
from tests.dynamics.reference.solver import Grown, NoStep, Reference

FOLDER = Path(__file__).parents[2] / "data" / "reference-vines"
SEGMENTS = {"plus": 80, "maze": 80, "pickone": 60, "needle": 80, "long": 80, "tube": 70, "divider": 70}
"""Number of segments of the vines in each environment."""
RANDOM = 3
"""Random vines in each."""
RECORD_EVERY = 125e-3
"""Distance between two stored states [m]."""
PHYSICS = ("corrected", "published")


@dataclass(frozen=True, slots=True)
class Case:
    """A vine to grow, or one that was."""

    environment: str
    heading_deg: float | None
    """Heading of the base; None for that of the environment."""
    sections: tuple[tuple[int, float, float], ...]
    """Number of segments, pressure [kPa] by side and cell length [mm] of each part of the tube."""
    name: str

    @property
    def passive(self) -> bool:
        """Whether it has no actuator, so that both physics agree."""
        return all(pressure == 0 for _, pressure, _ in self.sections)

    def actuation(self) -> tuple[Floats, Floats]:
        """Pressure [Pa] and cell length [m] of each segment."""
        counts = [count for count, _, _ in self.sections]
        parts = np.array([(1e3 * pressure, 1e-3 * l_0) for _, pressure, l_0 in self.sections])
        pressure, l_0 = np.repeat(parts, counts, axis=0).T
        return pressure, l_0

    def place(self) -> Environment:
        """The environment with the base turned as it should be."""
        known = load_environment(self.environment)
        heading = known.start[2] if self.heading_deg is None else np.radians(self.heading_deg)
        return Environment(
            known.name, "", known.bounds, (*known.start[:2], heading), known.goal, known.obstacles, edge=known.edge
        )

    def solver(self, physics: str, fine: bool = False) -> Reference:
        """The reference for it, at its base."""
        return Reference(self.place(), VineParams(), *self.actuation(), physics, fine)


def cases(environment: str) -> Iterator[Case]:
    """The vines of an environment."""
    from tests.dynamics.test_random_rollouts import random_actuation

    segments = SEGMENTS[environment]
    if environment == "plus":
        # Slides down and stalls where a solver does not let it come to rest, goes up where it does.
        yield Case("plus", 29.5, ((segments, 0.0, 40.0),), "passive")
    drawn = random_actuation(RANDOM, segments, seed=sorted(SEGMENTS).index(environment))
    for vine in range(RANDOM):
        rows = zip(drawn.pressure[vine], drawn.l_0[vine], strict=True)
        parts = [(len(list(same)), part) for part, same in groupby(rows)]
        sections = tuple((n, round(p * 1e-3, 1), round(l_0 * 1e3, 1)) for n, (p, l_0) in parts)
        yield Case(environment, None, sections, f"random {vine}")


@dataclass(frozen=True, slots=True)
class Stored:
    """A vine in the store."""

    case: Case
    physics: str
    status: str
    lengths: Floats
    """Lengths of the stored states [m], the last one is the final state; shape (states,)."""
    joints: list[Floats]
    """Joints of each from the base to the tip [m], shape (n + 1, 2)."""
    spread: Floats
    """Largest distance of a joint of each from that with finer steps [m], NaN if there is none of that length."""
    snaps: list[dict[str, Any]]
    """Length and tip before each motion of more than 20 mm at constant length."""

    def __str__(self) -> str:
        return f"{self.case.environment} {self.case.name} {self.physics}"


def spread(grown: Grown, finer: Grown) -> list[float | None]:
    """Largest distance between the joints of two growths in each state [mm], None where the lengths differ."""
    found: list[float | None] = []
    for k, length in enumerate(grown.lengths):
        same = k < len(finer.lengths) and abs(finer.lengths[k] - length) < 1e-4
        apart = np.hypot(*(finer.joints[k] - grown.joints[k]).T).max() if same else None
        found.append(None if apart is None else round(1e3 * float(apart), 1))
    return found


def entry(case: Case, physics: str, grown: Grown, finer: Grown) -> dict[str, Any]:
    """A vine as in the file: millimetres, degrees and kPa."""
    return {
        "vine": case.name,
        "physics": physics,
        "heading_deg": case.heading_deg,
        "sections_kpa_mm": [list(section) for section in case.sections],
        "status": grown.status,
        "spread_mm": spread(grown, finer),
        "lengths_mm": [round(1e3 * length, 4) for length in grown.lengths],
        "tip_mm": (1e3 * grown.joints[-1][-1]).round(3).tolist(),
        "snaps": [
            {"length_mm": round(1e3 * snap.length, 3), "tip_before_mm": (1e3 * snap.before).round(1).tolist()}
            for snap in grown.snaps
        ],
        "joints_mm": [(1e3 * joints).round(2).tolist() for joints in grown.joints],
    }


def stored(environment: str) -> list[Stored]:
    """The stored vines of an environment."""
    found = []
    for one in json.loads((FOLDER / f"{environment}.json").read_text())["vines"]:
        sections = tuple((int(n), float(p), float(l_0)) for n, p, l_0 in one["sections_kpa_mm"])
        case = Case(environment, one["heading_deg"], sections, one["vine"])
        joints = [1e-3 * np.array(rows) for rows in one["joints_mm"]]
        lengths = 1e-3 * np.array(one["lengths_mm"])
        apart = 1e-3 * np.array(one["spread_mm"], float)
        found.append(Stored(case, one["physics"], one["status"], lengths, joints, apart, one["snaps"]))
    return found


def grow(task: tuple[Case, str]) -> dict[str, Any] | None:
    """Grow one vine, None if it does not come to rest; called in a process of its own."""
    case, physics = task
    begun, vine = time.perf_counter(), case.solver(physics)
    try:
        grown = vine.grow(vine.longest, RECORD_EVERY)
        finer = case.solver(physics, fine=True).grow(vine.longest, RECORD_EVERY)
    except NoStep as error:
        print(f"{case.environment} {case.name} {physics} is left out: {error}", flush=True)
        return None
    taken = time.perf_counter() - begun
    print(
        f"{case.environment} {case.name} {physics}: {grown.status} at {1e3 * grown.lengths[-1]:.1f} mm, "
        f"{len(grown.snaps)} snaps, {vine.solved} solves, {taken:.0f} s",
        flush=True,
    )
    return entry(case, physics, grown, finer)


def main(names: list[str]) -> None:
    """Grow the vines of the environments and write their files."""
    FOLDER.mkdir(exist_ok=True)
    names = names or list(SEGMENTS)
    with ProcessPoolExecutor(2) as pool:
        growing = {
            name: [
                pool.submit(grow, (case, physics))
                for case in cases(name)
                for physics in PHYSICS[: 1 if case.passive else None]
            ]
            for name in names
        }
        for name in names:
            vines = [vine for one in growing[name] if (vine := one.result())]
            lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in vines)
            (FOLDER / f"{name}.json").write_text(f'{{"environment": "{name}", "vines": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
