"""Imports of floors with known walls: error of the walls, unknown share, time and memory; some are planned in."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely.affinity import rotate, translate

from dynamics.tube import VineParams
from environments.importing.build import Imported
from environments.importing.choose import import_file
from environments.importing.cut import extract_polygons
from environments.importing.options import ImportOptions
from environments.importing.ros_map import SHADES, UNKNOWN
from planner.plan.inputs import Inputs
from planner.plan.plan import plan
from planner.plan.problem import Problem
from studies.imports import cad, drawn, indoor, maps
from studies.imports.floors import FIRST_SEED, Floor, Written
from studies.memory import largest_memory, run_apart

KINDS: dict[str, tuple[Callable[[Floor, str, Path], Written], Sequence[str]]] = {
    "robot map": (maps.write_map, list(maps.VARIANTS)),
    "CAD plan": (cad.write_cad, list(cad.VARIANTS)),
    "SVG plan": (drawn.write_drawn, list(drawn.VARIANTS)),
    "indoor map": (indoor.write_indoor, list(indoor.VARIANTS)),
}
"""Functions that write each kind of file, and their variants."""
FLOORS = (
    ("corridors", (14.0, 10.0), 700),
    ("racks", (14.0, 10.0), 600),
    ("caves", (12.0, 10.0), 900),
    ("tracks", (12.0, 10.0), 600),
)
"""Kind, width and height [m], and number of corners of the floors of the variants, by turns."""
PLANNED, MOST_PLANNED = 5, 6
"""Every so many-th variant is planned in, from another one on for each kind, so many in all."""
STEP = 0.05
"""Distance of the points of outlines whose distance from the others is measured [m]."""
PLAN_SECONDS = 15.0
"""Time budget of a plan [s]."""


@dataclass(frozen=True, slots=True)
class ImportCase:
    """A file to write and to import."""

    kind: str
    variant: str
    floor: tuple[str, tuple[float, float], int]
    seed: int
    planned: bool

    def make(self) -> Floor:
        """Make the floor."""
        return Floor(*self.floor, self.seed)


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """Outcome of an import."""

    case: ImportCase
    corners: int
    """Number of corners of the obstacles."""
    size: int
    """Size of the file, or of the map and its picture [bytes]."""
    mean: float
    """Mean distance of the true walls from those that were read [m]."""
    largest: float
    """Largest distance between the two, in both directions [m]."""
    area: float
    """Area that is free in one of the two only, over the true free area [-]."""
    unknown: float | None
    """Share of the cells of a map that are unknown [-]."""
    seconds: float
    """Time of the import [s]."""
    memory: float
    """Largest memory of the process [MB]."""
    actuators: int | None = None
    """Actuators of a plan in it; None without one, or without a design."""
    success: float | None = None
    """Share of its trials that reach the goal [-]."""
    line: tuple[tuple[float, float], ...] = ()
    """Centreline of the design [m]."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.case.kind}, {self.case.variant}: {1e3 * self.mean:.2f} mm, at most {1e3 * self.largest:.1f} mm; {self.seconds:.2f} s, "
            f"{self.memory:.0f} MB"
        )


def make_cases() -> list[ImportCase]:
    """Return one case for each variant of each kind."""
    cases, planned = list[ImportCase](), 0
    for number, (kind, (_, variants)) in enumerate(KINDS.items()):
        for k, variant in enumerate(variants):
            chosen = (k - number) % PLANNED == 0 and planned < MOST_PLANNED
            planned += chosen
            cases.append(ImportCase(kind, variant, FLOORS[k % len(FLOORS)], FIRST_SEED + len(cases), chosen))
    return cases


def run_cases(cases: Sequence[ImportCase]) -> Iterator[ImportRecord]:
    """Yield the outcome of each case, in a process of its own, whose memory is that of the import."""
    return run_apart(run_case, cases)


def import_case(case: ImportCase, folder: Path) -> tuple[Written, Imported]:
    """Write the file of a case, and import it."""
    floor = case.make()
    written = KINDS[case.kind][0](floor, case.variant, folder)
    start, goal = np.array(floor.start), np.array(floor.goal)
    turned = np.array([[np.cos(written.turn), -np.sin(written.turn)], [np.sin(written.turn), np.cos(written.turn)]])
    x, y = turned @ start[:2] + written.shift
    end_x, end_y = turned @ goal[:2] + written.shift
    begin, end = (float(x), float(y), float(start[2] + written.turn)), (float(end_x), float(end_y), float(goal[2]))
    return written, import_file(written.path, ImportOptions(start=begin, goal=end, **written.options))


def run_case(case: ImportCase) -> ImportRecord:
    """Write the file of a case, import it, and compare the walls."""
    with tempfile.TemporaryDirectory() as folder:
        floor = case.make()
        known = floor.free
        KINDS[case.kind][0](floor, case.variant, Path(folder))
        began = time.perf_counter()
        written, found = import_case(case, Path(folder))
        seconds = time.perf_counter() - began
        memory = largest_memory()
        size = sum(one.stat().st_size for one in Path(folder).iterdir())
    true = translate(rotate(known, written.turn, (0, 0), use_radians=True), *written.shift)
    mean, largest, area = measure_walls(true, found)
    unknown = None if found.backdrop is None else float((found.backdrop.pixels == SHADES[UNKNOWN]).mean())
    record = ImportRecord(
        case,
        sum(map(len, found.obstacles.polygons)),
        size,
        round(mean, 6),
        round(largest, 6),
        round(area, 6),
        None if unknown is None else round(unknown, 4),
        round(seconds, 3),
        round(memory, 1),
    )
    return _planned(record, found) if case.planned else record


def measure_walls(true: shapely.Polygon, found: Imported) -> tuple[float, float, float]:
    """Return the mean and the largest distance of the edges of the free space from the true ones, and the differing area over the true one.

    Parts of the true free space that a map does not know are left out.
    """
    solid = shapely.union_all(found.obstacles.shapes())
    parts = extract_polygons(shapely.box(*found.bounds).difference(solid))
    start = shapely.Point(found.start[:2]) if found.start else true.representative_point()
    free = min(parts, key=lambda one: one.distance(start))
    if found.backdrop is not None:
        # Of the part of a map that is unknown, nothing can be said.
        true = max(
            extract_polygons(true.intersection(free.envelope.buffer(2 * found.backdrop.pixel))),
            key=lambda one: one.area,
        )
    there, here = _distances(true, free), _distances(free, true)
    area = true.symmetric_difference(free).area / true.area
    return float(there.mean()), float(max(there.max(), here.max())), float(area)


def _distances(one: shapely.Polygon, other: shapely.Polygon) -> np.ndarray:
    """Distances of points along the edges of one polygon from the edges of another [m]."""
    points = [shapely.line_interpolate_point(ring, np.arange(0, ring.length, STEP)) for ring in shapely.get_rings(one)]
    lines = [
        line
        for ring in shapely.get_rings(other)
        for line in shapely.linestrings(
            np.stack([shapely.get_coordinates(ring)[:-1], shapely.get_coordinates(ring)[1:]], axis=1)
        )
    ]
    every = np.concatenate(points)
    index, distance = shapely.STRtree(lines).query_nearest(every, return_distance=True, all_matches=False)
    found = np.zeros(len(every))
    found[index[0]] = distance
    return found


def _planned(record: ImportRecord, found: Imported) -> ImportRecord:
    """Plan in an import, with the default options but for the time."""
    environment = found.environment("floor", VineParams().radius)
    result = plan(Problem.of(environment, VineParams(), Inputs(seed=record.case.seed, time_budget_s=PLAN_SECONDS)))
    if (best := result.best) is None:
        return record
    line = tuple((round(float(x), 4), round(float(y), 4)) for x, y in best.centerline)
    kept = {one: getattr(record, one) for one in record.__dataclass_fields__}
    tried = best.success
    return ImportRecord(
        **{**kept, "actuators": best.actuators, "success": round(tried.rate, 4) if tried else None, "line": line}
    )
