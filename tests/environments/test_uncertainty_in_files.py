"""The table `[uncertainty]` of environment files."""

from dataclasses import replace
from pathlib import Path

import pytest
import shapely

from environments import (
    Environment,
    InvalidEnvironment,
    Obstacles,
    check_environment,
    load_environment,
    write_environment,
)
from environments.uncertainty_in_files import UNSTATED, StatedUncertainty

ROOM = """\
schema = 2
unit = "{unit}"
[bounds]
min = [0, 0]
max = [1000, 800]
[start]
position = [100, 100]
heading_deg = 90
[goal]
position = [700, 600]
radius = 50
[obstacles]
boxes = [[300, 0, 400, 500]]
polygons = [[[500, 100], [600, 100], [600, 200], [550, 150], [500, 200]]]
circles = [[600, 400, 50], [800, 400, 50]]
walls = [[200, 700, 400, 700, 0], [100, 600, 200, 600, 10]]
ends = "{ends}"
"""
TABLE = """
[uncertainty]
preset = "field"
pressure_kpa = 1
friction = [0.05, 0.3]
"""


def room(folder: Path, errors: str = TABLE, ends: str = "flat", unit: str = "mm") -> Path:
    path = folder / "room.toml"
    path.write_text(ROOM.format(ends=ends, unit=unit) + errors)
    return path


def test_a_table_is_read_and_written(tmp_path: Path) -> None:
    """Read, written, read again and replaced in part, it is the same; the hash is that of the file without it."""
    environment = load_environment(
        room(tmp_path, TABLE + '[uncertainty.obstacle."circle 1"]\nposition_mm = 7\nsize_mm = 2\n')
    )
    given = environment.uncertainty
    assert given.preset == "field"
    assert given.numbers == (("pressure_kpa", 1.0), ("friction", (0.05, 0.3)))
    plain = load_environment(room(tmp_path, ""))
    assert plain.uncertainty == UNSTATED
    assert environment.sha256 == plain.sha256
    write_environment(environment, tmp_path / "again.toml")
    again = load_environment(tmp_path / "again.toml")
    assert again.uncertainty == given == replace(again, friction=0.3).uncertainty
    assert again.sha256 == environment.sha256
    write_environment(plain, tmp_path / "plain.toml")
    assert "uncertainty" not in (tmp_path / "plain.toml").read_text()


@pytest.mark.parametrize("ends", ["flat", "round"])
@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("box 1", (0.35, 0.25)), ("polygon 1", (0.55, 0.12)), ("circle 1", (0.6, 0.4)), ("circle 2", (0.8, 0.4)),
        ("wall 1", (0.3, 0.7)), ("wall 2", (0.15, 0.6)),
    ],
)  # fmt: skip
def test_obstacles_have_their_names_in_the_file(
    tmp_path: Path, ends: str, name: str, point: tuple[float, float]
) -> None:
    """Kind and number among those of its kind: also where a wall with flat ends is a polygon, and in the file that is written."""
    path = room(tmp_path, f'[uncertainty.obstacle."{name}"]\nrotation_deg = 2\n', ends)
    for file in ("again.toml", "last.toml"):
        environment = load_environment(path)
        ((found, part),) = environment.uncertainty.obstacles
        assert part == (("rotation_deg", 2.0),)
        assert environment.obstacles.shapes()[found - 1].distance(shapely.Point(point)) < 1e-9
        assert environment.obstacles.name(found - 1) == name
        path = tmp_path / file
        write_environment(replace(environment, goal=(0.7, 0.6, 0.06)), path)  # another room: its file is made again


def test_errors_do_not_have_the_unit_of_the_file(tmp_path: Path) -> None:
    """Millimetres remain millimetres in a file in metres."""
    text = room(tmp_path, "[uncertainty]\nobstacle_position_mm = 7\n", unit="m").read_text()
    assert load_environment(
        room(tmp_path, text[text.index("[uncertainty") :], unit="m")
    ).uncertainty == StatedUncertainty.of({"obstacle_position_mm": 7})


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ("[uncertainty]\npressure_kpa = -1", "uncertainty.pressure_kpa = -1 must be greater than or equal to 0"),
        ("[uncertainty]\npressure_kpa = nan", "uncertainty.pressure_kpa = nan must be a finite number"),
        ("[uncertainty]\npressure_kpa = 1001", "uncertainty.pressure_kpa = 1001 must be less than or equal to 1000"),
        ("[uncertainty]\npressure_kpa = true", "uncertainty.pressure_kpa = True must be a valid number"),
        ("[uncertainty]\npressure_kpa = '1'", "uncertainty.pressure_kpa = '1' must be a valid number"),
        (
            "[uncertainty]\npresure_kpa = 1",
            "unknown key uncertainty.presure_kpa (did you mean pressure_kpa?); allowed: preset,",
        ),
        (
            "[uncertainty]\npreset = 'feild'",
            "uncertainty.preset = 'feild' must be one of workshop, handmade, lasercut, field, paper, none (did you mean field?)",
        ),
        (
            "[uncertainty]\nfriction = [0.2, 0.1]",
            "uncertainty.friction = [0.2, 0.1] must have its smaller number first",
        ),
        ("[uncertainty]\nfriction = [0.2]", "uncertainty.friction = [0.2] must have at least 2 items"),
        ("[uncertainty]\nfriction = [0, inf]", "uncertainty.friction[1] = inf must be a finite number"),
        ("[uncertainty]\nfriction = 0.1", "uncertainty.friction = 0.1 must be a valid list"),
        ("[uncertainty]\nobstacle = 3", "uncertainty.obstacle = 3 must be a table"),
        ("[uncertainty.obstacle]\n'wall 1' = 1", "uncertainty.obstacle.'wall 1' = 1 must be a table"),
        ("[[uncertainty]]\npressure_kpa = 1", "uncertainty = [{'pressure_kpa': 1}] must be a table"),
        (
            "[uncertainty.obstacle.'wall 3']\nsize_mm = 1",
            "uncertainty names obstacle 'wall 3', which is not there; those of this file: "
            "box 1, polygon 1, circles 1 to 2, walls 1 to 2",
        ),
        (
            "[uncertainty.obstacle.4]\nsize_mm = 1",
            'uncertainty names obstacle 4 by a number; write [uncertainty.obstacle."circle 2"]',
        ),
        (
            "[uncertainty.obstacle.7]\nsize_mm = 1",
            "uncertainty names obstacle 7, which is not there; those of this file: box 1, polygon 1",
        ),
        (
            "[uncertainty.obstacle.0]\nsize_mm = 1",
            "uncertainty names obstacle 0, which is not there; those of this file: box 1",
        ),
        ("[uncertainty.obstacle.-1]\nsize_mm = 1", "uncertainty names obstacle '-1', which is not there"),
        ("[uncertainty.obstacle.first]\nsize_mm = 1", "uncertainty names obstacle first, which is not there"),
        (f"[uncertainty.obstacle.{'9' * 5000}]\nsize_mm = 1", "which is not there"),
        (
            "[uncertainty.obstacle.'circle 2']\nsize_mm = -1",
            "uncertainty.obstacle.'circle 2'.size_mm = -1 must be greater than or equal to 0",
        ),
        (
            "[uncertainty.obstacle.'circle 2']\npositon_mm = 1",
            "unknown key uncertainty.obstacle.'circle 2'.positon_mm (did you mean position_mm?); "
            "allowed: position_mm, rotation_deg, size_mm, percent",
        ),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, errors: str, words: str) -> None:
    """In one line that gives file, key, value and range."""
    with pytest.raises(InvalidEnvironment) as caught:
        load_environment(room(tmp_path, errors))
    assert str(caught.value).startswith("room.toml: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_the_table_needs_the_newer_schema_and_obstacles(tmp_path: Path) -> None:
    """In a file of schema 1 it is refused; a file without obstacles has none to name."""
    path = room(tmp_path)
    path.write_text(path.read_text().replace("schema = 2", "schema = 1"))
    with pytest.raises(InvalidEnvironment, match=r"^room.toml: uncertainty needs schema = 2$"):
        load_environment(path)
    bare = ROOM.partition("[obstacles]")[0].format(unit="mm")
    path.write_text(bare + "[uncertainty.obstacle.1]\nsize_mm = 1\n")
    with pytest.raises(InvalidEnvironment, match="names obstacle 1, which is not there; those of this file: none"):
        load_environment(path)


def test_an_environment_built_in_code_has_errors_too() -> None:
    """It is checked, and may not name an obstacle that is not there."""
    given = StatedUncertainty.of({"preset": "lasercut", "obstacle": {"1": {"position_mm": 5}}})
    shape = {"bounds": (0, 0, 2, 1), "start": (0.1, 0.5, 0), "goal": (1.8, 0.5, 0.1)}
    environment = Environment(**shape, obstacles=Obstacles(circles=[(1, 0.5, 0.1)]), uncertainty=given)  # type: ignore[arg-type]
    check_environment(environment)
    assert replace(environment, name="other").uncertainty == given
    with pytest.raises(
        InvalidEnvironment, match="uncertainty names obstacle 1, which is not there; this environment has 0"
    ):
        replace(environment, obstacles=Obstacles())
