"""The study of imports: what it measures, and the files that it writes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from ezdxf.filemanagement import readfile

from environments.importing.build import build_obstacles
from environments.importing.options import ImportOptions
from environments.importing.traced import Tracing
from studies.imports.cad import write_cad
from studies.imports.floors import Floor
from studies.imports.indoor import _degrees
from studies.imports.report import report
from studies.imports.study import KINDS, make_cases, measure_walls, run_case

FLOOR = Floor("corridors", (9.0, 8.0), 500, 3)


def test_errors_of_walls_are_distances_and_areas() -> None:
    """A room of 2 x 1 m of which one of the long sides is 10 mm off, and a pillar that is missing."""
    true = shapely.box(0.1, 0.1, 2.1, 1.1)
    solid = shapely.box(0, 0, 3, 2).difference(shapely.box(0.1, 0.1, 2.1, 1.11))
    options = ImportOptions(start=(0.5, 0.5, 0.0), goal=(1.5, 0.5, 0.1))
    found = build_obstacles("room.dxf", Tracing((solid,), bounds=(0.0, 0.0, 3.0, 2.0)), options=options)
    mean, largest, area = measure_walls(true, found)
    assert mean == pytest.approx(0.01 * 2 / 6, rel=0.05)
    assert largest == pytest.approx(0.01, abs=1e-6)
    assert area == pytest.approx(0.02 / 2, abs=1e-9)
    pillar = true.difference(shapely.box(0.8, 0.4, 0.9, 0.5))
    assert measure_walls(pillar, found)[1] > 0.3


def test_a_cad_plan_has_the_walls_of_its_floor(tmp_path: Path) -> None:
    """By ezdxf alone: the outlines on A-WALL enclose the area of the walls, in the unit of the drawing."""
    write_cad(FLOOR, "outlines on A-WALL, around start and goal", tmp_path)
    lines = readfile(tmp_path / "plan.dxf").modelspace().query('LWPOLYLINE[layer=="A-WALL"]')
    areas = sorted(shapely.Polygon(np.array(line.get_points("xy"))).area / 1e6 for line in lines)
    solid = sum(wall.area for wall in FLOOR.walls)
    assert areas[-1] == pytest.approx(72)
    # The outer edge, less the free space with its islands.
    assert areas[-1] - areas[-2] + sum(areas[:-2]) == pytest.approx(solid, rel=1e-6)


def test_degrees_are_those_of_the_ellipsoid() -> None:
    """A degree of latitude at the equator is 110 574 m long, at 60 degrees north 111 412 m; of longitude there 55 800 m."""
    for latitude, meridian, parallel in ((0.0, 110_574.0, 111_320.0), (60.0, 111_412.0, 55_800.0)):
        east, north = _degrees(np.array([[100.0, 0.0], [0.0, 100.0]]), latitude) - _degrees(np.zeros((1, 2)), latitude)
        assert 100 / north[1] == pytest.approx(meridian, rel=2e-4)
        assert 100 / east[0] == pytest.approx(parallel, rel=2e-4)


def test_every_kind_is_imported_and_reported() -> None:
    """One variant of each kind: drawings to a tenth of a millimetre, maps to a cell; there are at least 30 files and six plans."""
    cases = make_cases()
    assert len(cases) >= 30
    assert sum(case.planned for case in cases) == 6
    records = []
    for kind in KINDS:
        case = next(case for case in cases if case.kind == kind)
        records.append(run_case(replace(case, floor=("corridors", (9.0, 8.0), 500), planned=False)))
    for record in records:
        assert record.largest < (0.05 if record.case.kind == "robot map" else 2e-4)
        assert record.area < (0.03 if record.case.kind == "robot map" else 1e-4)
    lines = report(records).lines
    assert any(line.startswith("| robot map: trinary, PGM | corridors |") for line in lines)
