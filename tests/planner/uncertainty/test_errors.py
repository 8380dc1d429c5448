"""Choice of errors: of an option, the files, or the default; and how those of single obstacles are drawn."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.objects import object_names, objects_of
from environments.uncertainty import LASERCUT, PAPER, PRESETS, WORKSHOP, ObstacleError, Uncertainty
from environments.uncertainty_in_files import StatedUncertainty
from planner.output.contents import CHECKPOINT
from planner.plan.inputs import Inputs
from planner.plan.run.checkpoint import read_checkpoint, write_checkpoint
from planner.search.run import Run
from planner.uncertainty.deviations import WorldErrors
from planner.uncertainty.errors import InvalidErrors, errors_of, named_errors, read_errors
from vinewright.console.errors import BadInput, readable_errors

TUBE = VineParams()
ROOM = Environment(
    "room",
    "",
    (0, 0, 2, 1),
    (0.1, 0.5, 0),
    (1.8, 0.5, 0.1),
    Obstacles(boxes=[(0.5, 0, 0.6, 0.3), (0.6, 0, 0.7, 0.3)], circles=[(1.2, 0.8, 0.1), (1.2, 0.3, 0.1)]),
)
TRIALS = range(50)


def given(**content: object) -> StatedUncertainty:
    return StatedUncertainty.of(content)


def test_the_preset_is_that_of_the_option_then_of_the_environment_then_of_the_tube() -> None:
    """A workshop if none names one."""
    tube, room = (
        replace(TUBE, uncertainty=StatedUncertainty("paper")),
        replace(ROOM, uncertainty=StatedUncertainty("lasercut")),
    )
    assert errors_of(ROOM, TUBE) == WORKSHOP
    assert errors_of(ROOM, tube) == PAPER
    assert errors_of(room, tube) == errors_of(room, TUBE) == LASERCUT
    assert errors_of(room, tube, StatedUncertainty("workshop")) == WORKSHOP


def test_numbers_of_all_files_count() -> None:
    """Key by key: those that are asked for, then of the environment, then of the tube, then of the preset."""
    tube = replace(TUBE, uncertainty=given(pressure_kpa=1, cell_mm=2, start_position_mm=3))
    room = replace(ROOM, uncertainty=given(cell_mm=4, start_position_mm=5))
    expected: dict[str, Any] = {"pressure": 1000.0, "cell": 4e-3, "start_position": 5e-3}
    assert errors_of(room, tube) == replace(WORKSHOP, **expected)
    assert errors_of(room, tube, StatedUncertainty("lasercut")) == replace(LASERCUT, **expected)
    asked = given(preset="paper", start_position_mm=6)
    assert errors_of(room, tube, asked) == replace(PAPER, **expected | {"start_position": 6e-3})


def test_none_is_exact_where_it_is_asked_for() -> None:
    """An option goes before the files; in a file, it is a preset like others, and its numbers count."""
    room = replace(ROOM, uncertainty=given(preset="none", cell_mm=4, obstacle={"1": {"size_mm": 3}}))
    single = ObstacleError(1, "obstacle_size", 3e-3)
    assert errors_of(room, TUBE, StatedUncertainty("none")) == Uncertainty()
    assert errors_of(room, TUBE) == Uncertainty(cell=4e-3, of_obstacles=(single,))
    assert errors_of(ROOM, TUBE, given(preset="none", cell_mm=1)) == Uncertainty(cell=1e-3)


def test_a_known_friction_is_no_guess() -> None:
    """The range of a preset is not used where tube or environment have a coefficient; a range in a file is."""
    for room, tube in ((replace(ROOM, friction=0.2), TUBE), (ROOM, replace(TUBE, friction=0.0))):
        assert errors_of(room, tube).friction is None
        assert errors_of(room, tube, StatedUncertainty("field")).friction is None
        assert errors_of(room, tube, given(friction=[0, 0.4])).friction == (0.0, 0.4)
        assert errors_of(replace(room, uncertainty=given(friction=[0.1, 0.3])), tube).friction == (0.1, 0.3)
        assert errors_of(room, replace(tube, uncertainty=given(friction=[0.1, 0.3]))).friction == (0.1, 0.3)


def test_single_obstacles_have_their_own_errors() -> None:
    """Each takes the standard normal numbers of its object, times its own deviation; all else stays to the bit."""
    assert objects_of(ROOM).tolist() == [0, 0, 1, 2]
    single = {"2": {"position_mm": 12, "rotation_deg": 0}, "4": {"size_mm": 2}}
    usual = WorldErrors.draw(ROOM, TUBE, errors_of(ROOM, TUBE), TRIALS, 7)
    other = WorldErrors.draw(ROOM, TUBE, errors_of(replace(ROOM, uncertainty=given(obstacle=single)), TUBE), TRIALS, 7)
    np.testing.assert_allclose(other.shift[:, 0], 4 * usual.shift[:, 0], rtol=1e-12)
    np.testing.assert_allclose(other.size[:, 2], 4 * usual.size[:, 2], rtol=1e-12)
    assert (other.rotation[:, 0] == 0).all()
    assert (usual.rotation[:, 0] != 0).all()
    for name, kept in (("shift", [1, 2]), ("rotation", [1, 2]), ("size", [0, 1])):
        assert getattr(other, name)[:, kept].tobytes() == getattr(usual, name)[:, kept].tobytes()
    for name in ("start", "share", "growth_pressure", "moment", "compliance", "cell", "friction"):
        assert getattr(other, name).tobytes() == getattr(usual, name).tobytes()


def test_a_frame_stands_still_where_its_percent_is_zero() -> None:
    """Its size and its position are as planned, those of all other objects are to the bit those without the exception."""
    errors = given(preset="paper", obstacle={"3": {"percent": 0}})
    usual = WorldErrors.draw(ROOM, TUBE, PAPER, TRIALS, 7)
    still = WorldErrors.draw(ROOM, TUBE, errors_of(replace(ROOM, uncertainty=errors), TUBE), TRIALS, 7)
    for name in ("shift", "share"):
        assert (getattr(still, name)[:, 1] == 0).all()
        assert (getattr(usual, name)[:, 1] != 0).all()
        assert getattr(still, name)[:, [0, 2]].tobytes() == getattr(usual, name)[:, [0, 2]].tobytes()


def test_an_error_is_that_of_its_obstacle_also_within_walls_at_the_bounds() -> None:
    """The walls of the bounds lie between polygons and circles, and have no number: the last obstacle is a circle."""
    inside = Obstacles(
        boxes=[(0.5, 0.8, 0.6, 0.9)], circles=[(1.0, 1.5, 0.1)], walls=[(1.5, 0.5, 1.5, 0.7, 0.02)], ends="round"
    )
    errors = {number: {"position_mm": size} for number, size in (("1", 4), ("2", 5), ("3", 6))}
    hall = Environment(
        "hall", bounds=(0, 0, 2, 2), start=(0.2, 0.5, 0), goal=(1.8, 0.5, 0.1), obstacles=inside, edge="wall",
        uncertainty=given(preset="none", obstacle=errors),
    )  # fmt: skip
    shift = WorldErrors.draw(hall, TUBE, errors_of(hall, TUBE), range(2000), 0).shift.std(axis=(0, 2))
    moved = dict(zip(object_names(hall), 1e3 * shift, strict=True))
    assert {name: size for name, size in moved.items() if size} == {
        "box 1": pytest.approx(4, rel=0.1), "circle 1": pytest.approx(5, rel=0.1), "wall 1": pytest.approx(6, rel=0.1),
    }  # fmt: skip


def test_the_largest_counts_of_two_numbers_for_one_object() -> None:
    """Whichever obstacle it is given for."""
    for first, second in ((9, 6), (6, 9)):
        single = {"1": {"position_mm": first}, "2": {"position_mm": second}}
        errors = errors_of(replace(ROOM, uncertainty=given(obstacle=single)), TUBE)
        drawn = WorldErrors.draw(ROOM, TUBE, errors, TRIALS, 7)
        usual = WorldErrors.draw(ROOM, TUBE, WORKSHOP, TRIALS, 7)
        np.testing.assert_allclose(drawn.shift[:, 0], 3 * usual.shift[:, 0], rtol=1e-12)


def test_draws_have_the_standard_deviations() -> None:
    """Over 4 000 worlds, those of a workshop in SI units within 4 sigma; and friction is uniform."""
    drawn = WorldErrors.draw(ROOM, TUBE, WORKSHOP, range(4000), 3)
    expected = {
        "shift": 3e-3, "rotation": math.radians(0.3), "size": 0.5e-3, "start": np.array([4e-3, 4e-3, math.radians(1.5)]), "cell": 0.3e-3,
    }  # fmt: skip
    for name, scale in expected.items():
        standard = getattr(drawn, name) / scale
        assert abs(standard.mean(axis=0)).max() < 4 / np.sqrt(4000), name
        assert abs(standard.std(axis=0) - 1).max() < 4 / np.sqrt(2 * 4000), name
    assert not np.concatenate([drawn.share.ravel(), drawn.growth_pressure, drawn.moment, drawn.compliance]).any()
    assert drawn.friction.min() >= 0
    assert drawn.friction.max() <= 0.1
    assert drawn.friction.mean() == pytest.approx(0.05, abs=4 * 0.1 / np.sqrt(12 * 4000))


def test_a_world_is_the_same_in_any_company() -> None:
    """World 17 is the same alone, among others, and with other standard deviations but for their ratio."""
    alone = WorldErrors.draw(ROOM, TUBE, WORKSHOP, [17], 3)
    among = WorldErrors.draw(ROOM, TUBE, WORKSHOP, [4, 17, 90], 3)
    double = WorldErrors.draw(ROOM, TUBE, WORKSHOP.scaled(2.0), [17], 3)
    for name in WorldErrors.__slots__:
        one = getattr(alone, name)[0]
        assert one.tobytes() == getattr(among, name)[1].tobytes()
        np.testing.assert_array_equal(getattr(double, name)[0], one * (1 if name == "friction" else 2))
    assert (WorldErrors.draw(ROOM, TUBE, WORKSHOP, [17], 4).shift != alone.shift).all()


def test_a_checkpoint_keeps_the_errors_of_both_files(tmp_path: Path) -> None:
    """A run that is resumed has them."""
    tube = replace(TUBE, uncertainty=given(preset="lasercut", pressure_kpa=1, friction=[0, 0.2]))
    room = replace(ROOM, uncertainty=given(cell_mm=4, obstacle={"3": {"size_mm": 3}}))
    inputs = Inputs(seed=1, batch=20, heuristic=False)
    run = Run.prepare(room, tube, QuasiStatic, inputs.seed, inputs.batch)
    write_checkpoint(tmp_path / CHECKPOINT, run, inputs)
    again = read_checkpoint(tmp_path)
    assert again.environment.uncertainty == room.uncertainty
    assert again.tube == tube


def test_names_of_errors() -> None:
    """The words have the preset, and whether files change it; a friction that is known does not."""
    assert named_errors(ROOM, TUBE, None) == ("workshop", WORKSHOP)
    assert named_errors(replace(ROOM, friction=0.1), TUBE, "field")[0] == "field"
    assert named_errors(replace(ROOM, uncertainty=given(cell_mm=4)), TUBE, "field")[0] == "adapted field"
    assert named_errors(replace(ROOM, uncertainty=given(friction=[0, 0.2])), TUBE, None)[0] == "adapted workshop"
    assert (
        named_errors(replace(ROOM, uncertainty=given(obstacle={"1": {"size_mm": 3}})), TUBE, None)[0]
        == "adapted workshop"
    )
    assert named_errors(replace(ROOM, uncertainty=given(cell_mm=4)), TUBE, "none") == ("none", Uncertainty())


def test_presets_by_name() -> None:
    """Each preset, and nothing where nothing is asked for."""
    assert read_errors(None) == StatedUncertainty()
    for name in PRESETS:
        assert read_errors(name) == StatedUncertainty(name)


@pytest.mark.parametrize("opening", ["", "[uncertainty]\n", 'schema = 1\nname = "bench"\n[uncertainty]\n'])
def test_files(tmp_path: Path, opening: str) -> None:
    """The keys stand in a table or at the top, also in the file of a tube."""
    (tmp_path / "errors.toml").write_text(f'{opening}preset = "lasercut"\npressure_kpa = 2\nfriction = [0, 1]\n')
    expected = StatedUncertainty.of({"preset": "lasercut", "pressure_kpa": 2.0, "friction": [0, 1]})
    assert read_errors(str(tmp_path / "errors.toml")) == expected


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"pressure_kpa = -1", "pressure_kpa = -1 must be greater than or equal to 0"),
        (b"pressure_kpa = nan", "pressure_kpa = nan must be a finite number"),
        (b"[uncertainty]\npressure_kpa = 'much'", "pressure_kpa = 'much' must be a valid number"),
        (b"[uncertainty]\npressure = 1", "unknown key pressure (did you mean pressure_kpa?); allowed: preset, "),
        (b"preset = 'none'\nfriction = [1, 0]", "friction = [1, 0] must have its smaller number first"),
        (
            b"preset = 'fild'",
            "preset = 'fild' must be one of workshop, handmade, lasercut, field, paper, none (did you mean",
        ),
        (b"[uncertainty.obstacle.1]\nsize_mm = 1", "unknown key obstacle (did you mean "),
        (b"uncertainty = 3", "must be a table"),
        (b"pressure_kpa 3", "is not TOML"),
        (b"\xff", "is not UTF-8 text"),
        (b"#" * 200_000, "is larger than the allowed"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, words: str) -> None:
    """One line with the file and the reason, which commands report with exit code 2."""
    path = tmp_path / "errors.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidErrors) as caught:
        read_errors(str(path))
    with pytest.raises(BadInput, match=r"^uncertainty "), readable_errors():
        read_errors(str(path))
    assert str(caught.value).startswith(f"uncertainty {path}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_names(tmp_path: Path) -> None:
    """The presets are listed, with a hint; a folder is no file."""
    known = "workshop, handmade, lasercut, field, paper, none, or the path of a TOML file"
    for value, end in (
        ("worksop", " (did you mean workshop?)"),
        ("xyzzy", ""),
        ("", ""),
        ("a\0b", ""),
        (str(tmp_path), ""),
    ):
        with pytest.raises(InvalidErrors) as caught:
            read_errors(value)
        assert str(caught.value) == f"uncertainty {value!r} must be one of {known}{end}"
