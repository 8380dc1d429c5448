"""Tube files, written and read."""

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.actuator_file import replace_actuators, similar_actuator
from dynamics.moment import joint_moments
from dynamics.tube import RADIUS, InvalidTube, VineParams
from dynamics.tube_file import (
    difference,
    known_tubes,
    load_tube,
    parse_tube,
    similar,
    template,
    tube_content,
    tube_description,
    tube_of,
    tube_table,
    tube_text,
)
from environments.uncertainty_in_files import StatedUncertainty
from surrogate.films import OWN, Film
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

OWN_FILM = Film(OWN, 63.5e-6, 0.31e9, 11.3e6, 27e6)
ERRORS = StatedUncertainty.of(
    {"preset": "lasercut", "pressure_kpa": 0.3, "section_turn_deg": 1, "friction": [0.05, 0.2]}
)


def test_the_prototype_is_the_default_tube() -> None:
    """Every command grows the tube that is shipped under that name, to the last digit; an empty file is that tube too."""
    assert load_tube("prototype") == VineParams()
    assert parse_tube(b"schema = 1") == VineParams()
    assert similar(RADIUS) == VineParams()


def test_shipped_tubes_are_tubes() -> None:
    """There are the prototype and two smaller ones, and each says what it is."""
    assert known_tubes() == ["el-hussieny-50mm", "jitosho-24mm", "prototype"]
    for name in known_tubes():
        assert load_tube(name).radius <= RADIUS
        assert tube_description(name)
    assert load_tube("jitosho-24mm").radius == 12e-3
    thick = load_tube("el-hussieny-50mm")
    assert thick.radius == 25e-3
    assert thick.growth_force == pytest.approx(3.141593 * thick.growth_pressure * thick.radius**2 - 4.0, abs=0.02)


@pytest.mark.parametrize("actuators", [(VineParams().actuator,), (PouchMotor(45e-3), Fpam(), Spam())])
def test_every_number_is_written_and_read(actuators: tuple[Any, ...]) -> None:
    """A tube none of whose numbers is the default one reads back as it was written."""

    def changed(made: Any, factor: float) -> Any:
        parts = {field.name: getattr(made, field.name) for field in fields(made)}
        known = {
            "tail_tension": 1.2,
            "tail_drag": 3.5,
            "tip_mass": 0.12,
            "seam": 0.003,
            "tail_friction": 0.2,
            "friction": 0.3,
            "static_friction": 0.6,
            "film": "hdpe-50",
            "film_thickness": 50e-6,
            "film_modulus": 2e8,
            "bending_stiffness": 2.5,
        }
        return replace(
            made,
            **{
                name: ERRORS
                if name == "uncertainty"
                else tuple(changed(one, factor) for one in part) if name == "others"
                else OWN_FILM if isinstance(part, Film)
                else changed(part, factor) if is_dataclass(part)
                else "published" if name == "physics"
                else 0.9 * factor if name in ("least_height", "collapse_share", "thickness_share")
                else known[name] if not part else float(f"{part * factor:.9g}")
                for name, part in parts.items()
            },
        )  # fmt: skip

    for factor in (1.03, 0.97):
        params = changed(VineParams(actuator=actuators[0], others=actuators[1:]), factor)
        assert parse_tube(tube_text(params).encode()) == params
        assert tube_of(tube_content(params)) == params


def test_other_actuators_have_the_numbers_of_their_type() -> None:
    """Those that are missing are the usual ones in proportion to the tube; of each type there is one."""
    tube = parse_tube(
        b"schema = 1\nradius_mm = 12\n[[other_actuators]]\ntype = 'pouch'\nwidth_mm = 20\n[[other_actuators]]\ntype = 'cpam'"
    )
    small = similar(12e-3)
    assert tube == replace(
        small, others=(replace(similar_actuator("pouch", 12e-3), width=20e-3), similar_actuator("cpam", 12e-3))
    )
    assert replace_actuators(tube, ["pouch", "spam"]).actuators == (tube.others[0], small.actuator)
    assert replace_actuators(small, ["fpam"]) == similar(12e-3, kind="fpam")
    other = replace(tube, others=tube.others[:1])
    assert difference(tube, other).startswith("other_actuators.cpam.type cpam there, unknown here")
    changed = replace(other, others=(replace(tube.others[0], width=21e-3),))
    assert difference(changed, other) == "other_actuators.pouch.width_mm 21 there, 20 here"


def test_the_template_is_the_prototype_and_scales() -> None:
    """All but radius and pressure is a comment, so a changed radius gives a tube in proportion."""
    text = template(VineParams())
    assert parse_tube(text.encode()) == VineParams()
    assert parse_tube(text.replace("radius_mm = 33.35", "radius_mm = 3.335", 1).encode()) == similar(3.335e-3)


def test_similar_tubes_are_in_proportion() -> None:
    """At a tenth of the radius lengths are a tenth, forces a hundredth, moments a thousandth."""
    tenth, usual = similar(RADIUS / 10), VineParams()
    assert tenth.segment_length == pytest.approx(usual.segment_length / 10)
    assert tenth.hinge_length == pytest.approx(usual.hinge_length / 10)
    assert tenth.growth_force == pytest.approx(usual.growth_force / 100)
    assert tenth.growth_viscosity == pytest.approx(usual.growth_viscosity / 100)
    assert tenth.bending_viscosity == pytest.approx(usual.bending_viscosity / 1e4)  # moment times length
    assert tenth.actuator.limits.longest_cell == pytest.approx(8e-3)
    assert tenth.actuator.limits.most_pressure == usual.actuator.limits.most_pressure


def test_a_tube_that_was_scaled_reads_back_exactly() -> None:
    """Numbers with all digits: a run that is resumed grows its vines with the tube of its file."""
    for radius in np.random.default_rng(0).uniform(5, 80, 100):
        tube = parse_tube(f"schema = 1\nradius_mm = {float(radius)!r}".encode())
        assert tube_of(tube_content(tube)) == tube


def test_physics_of_a_tube() -> None:
    """Corrected if a tube file does not say; a tube that was written whole without the key is from before, and published."""
    assert parse_tube(b"schema = 1").physics == "corrected"
    assert parse_tube(b'schema = 1\nphysics = "published"') == VineParams(physics="published")
    assert {load_tube(name).physics for name in known_tubes()} == {"corrected"}
    whole = tube_content(VineParams())
    del whole["physics"], whole["actuator"]
    assert tube_table(whole=True).model_validate(whole).physics == "published"


def test_tail_of_a_tube() -> None:
    """None where a file does not say, also in a tube that was written whole before there was one; and it keeps its numbers."""
    assert not parse_tube(b"schema = 1").has_tail
    whole = {key: value for key, value in tube_content(VineParams()).items() if key != "actuator" and "tail" not in key}
    read = tube_table(whole=True).model_validate(whole).model_dump(exclude_none=True)
    assert (read["tail_tension_n"], read["tail_drag_n_per_m"], read["tail_friction"]) == (0.0, 0.0, 0.0)
    tube = parse_tube(b"schema = 1\nradius_mm = 20\ntail_tension_n = 1.5\ntail_drag_n_per_m = 2\ntail_friction = 0.3")
    assert (tube.tail_tension, tube.tail_drag, tube.tail_friction) == (1.5, 2.0, 0.3)
    assert tube.has_tail


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("physics = 'printed'", "physics = 'printed' must be 'corrected' or 'published'"),
        ("radius_mm = 0", "radius_mm = 0.0 must be greater than or equal to 0.5"),
        ("radius_mm = nan", "radius_mm = nan must be a finite number"),
        ("growth_pressure_kpa = inf", "growth_pressure_kpa = inf must be a finite number"),
        ("radius_mm = -1.0", "radius_mm = -1.0 must be greater than"),
        ("radius_m = 0.03", "unknown key radius_m (did you mean radius_mm?); allowed: radius_mm, "),
        ("growth_pressure_psi = 1.5", "unknown key growth_pressure_psi"),
        ("radius_mm = 'thick'", "radius_mm = 'thick' must be a valid number"),
        ("radius_mm = true", "radius_mm = True must be a valid number"),
        ("colour = 'red'", "unknown key colour"),
        ("friction = -0.1", "friction = -0.1 must be greater than or equal to 0"),
        ("static_friction = inf", "static_friction = inf must be a finite number"),
        (
            "friction = 0.3\nstatic_friction = 0.2",
            "static_friction = 0.2 must be at least friction = 0.3, the kinetic one",
        ),
        ("growth_share = 1.2", "growth_share = 1.2 must be at most 1"),
        ("tail_tension_n = -1", "tail_tension_n = -1.0 must be greater than or equal to 0"),
        ("tail_drag_n_per_m = -1e-9", "tail_drag_n_per_m = -1e-09 must be greater than or equal to 0"),
        ("tail_friction = -0.2", "tail_friction = -0.2 must be greater than or equal to 0"),
        ("tail_friction = nan", "tail_friction = nan must be a finite number"),
        (
            "tail_tension_n = 30",
            "tail_tension_n = 30 N must be less than the growth force of 25 N: this tube cannot drive itself",
        ),
        ("tail_tension_n = 25\nradius_mm = 30", "a growth pressure of more than 12.78 kPa would drive it"),
        ("penetration_tolerance_mm = 40", "penetration_tolerance_mm = 40 must be at most radius_mm = 33.35"),
        ("film_modulus_mpa = 200", "film_modulus_mpa = 200 needs a film_thickness_um"),
        (
            "growth_pressure_kpa = 60",
            "growth_pressure_kpa = 60 must be within the range of the wrinkling measurements",
        ),
        ("bending_stiffness_n_m2 = 1e-3", "bending stiffness EI = 0.001 N m2 must be greater than"),
        ("[actuator]\ntype = 'balloon'", "actuator.type = 'balloon' must be one of spam, pouch, fpam, cpam"),
        ("[actuator]\nwidth_mm = 40", "unknown key actuator.width_mm"),
        ("[actuator]\ntype = 'pouch'\ntube_radius_mm = 17", "unknown key actuator.tube_radius_mm"),
        (
            "[actuator]\nshortest_cell_mm = 90",
            "actuator.shortest_cell_mm = 90 must be at most actuator.longest_cell_mm = 80",
        ),
        ("[actuator]\nleast_pressure_kpa = 40", "actuator.least_pressure_kpa = 40 must be at most"),
        (
            "[actuator]\nfilm_elasticity = 1e-7",
            "actuator.film_elasticity = 1e-07 must be greater than or equal to 0.000001",
        ),
        (
            "[actuator]\nfilm_elasticity = 0.01",
            "spam.film_elasticity = 0.01 must be at most 0.00165 for limits.shortest_cell_mm = 20, limits.longest_cell_mm = 80 and ",
        ),
        (
            "[actuator]\ntype = 'pouch'\nwidth_mm = 12",
            "pouch.width_mm = 12 must be at least limits.shortest_cell_mm = 20: pouches are not longer than wide",
        ),
        (
            "[actuator]\ntype = 'cpam'\nwidth_mm = 12",
            "cpam.width_mm = 12 must be at least 2 / pi of limits.shortest_cell_mm = 20: the folds of a pouch do not overlap",
        ),
        ("[actuator]\nconstriction_radius_mm = 20", "actuator.constriction_radius_mm = 20 must be at most"),
        (
            "[actuator]\nconstriction_radius_mm = 20\ntube_radius_mm = 20",
            ": spam.constriction_radius_mm = 20 must be less than spam.tube_radius_mm = 20",
        ),
        (
            "penetration_tolerance_mm = 20\nradius_mm = 20",
            ": penetration_tolerance_mm = 20 must be less than radius_mm = 20",
        ),
        (
            "[actuator]\ncell_step_mm = 0.001",
            ": limits.cell_step_mm = 0.001 must leave fewer than 2000 steps from shortest_cell_mm = 20 to",
        ),
        ("[actuator]\npressure_step_kpa = 0.001", "steps from least_pressure_kpa = 5 to most_pressure_kpa = 35"),
        ("actuator = 3", "actuator = 3"),
        ("[[other_actuators]]\ntype = 'spam'", "actuators of a tube must be of different kinds, not spam, spam"),
        (
            "[[other_actuators]]\ntype = 'balloon'",
            "other_actuators[0].type = 'balloon' must be one of spam, pouch, fpam, cpam",
        ),
        ("[[other_actuators]]\nwidth_mm = 20", "other_actuators[0].type must be one of spam"),
        ("[[other_actuators]]\ntype = 'pouch'\ntube_radius_mm = 17", "unknown key other_actuators[0].tube_radius_mm"),
        ("[[other_actuators]]\ntype = 'pouch'\nwidth_mm = 'a'", "other_actuators[0].width_mm = 'a'"),
        (
            "[[other_actuators]]\ntype = 'pouch'\nleast_pressure_kpa = 40",
            "other_actuators[0].least_pressure_kpa = 40 must be at most",
        ),
        ("[uncertainty]\npressure_kpa = -1", "uncertainty.pressure_kpa = -1.0 must be greater than or equal to 0"),
        (
            "[uncertainty]\npresure_kpa = 1",
            "unknown key uncertainty.presure_kpa (did you mean pressure_kpa?); allowed: preset, ",
        ),
        (
            "[uncertainty]\npreset = 'wrkshop'",
            "must be one of workshop, handmade, lasercut, field, paper, none (did you mean",
        ),
        (
            "[uncertainty]\nfriction = [0.3, 0.1]",
            "uncertainty.friction = [0.3, 0.1] must have its smaller number first",
        ),
        ("[uncertainty]\nfriction = 0.1", "uncertainty.friction = 0.1 must be a valid list"),
        ("[uncertainty.obstacle.1]\nposition_mm = 1", "unknown key uncertainty.obstacle (did you mean "),
        ("uncertainty = 'workshop'", "uncertainty = 'workshop' must be a table"),
        ("radius_mm = ", "is not TOML"),
    ],
)
def test_wrong_files_are_one_line(tmp_path: Path, text: str, words: str) -> None:
    """File, key, value and what is allowed, in one line."""
    (tmp_path / "tube.toml").write_text(f"schema = 1\n{text}\n")
    with pytest.raises(InvalidTube) as error:
        load_tube(tmp_path / "tube.toml")
    assert str(error.value).startswith("tube.toml: ")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "missing key schema"),
        (b"schema = 2", "schema = 2 must be"),
        (b"\xff", "is not UTF-8"),
        (b"schema = '1'", "schema = '1'"),
    ],
)
def test_other_files_are_refused(data: bytes, words: str) -> None:
    """Empty, foreign and later files are refused."""
    with pytest.raises(InvalidTube, match=words):
        parse_tube(data)


def test_a_missing_tube_names_those_that_there_are(tmp_path: Path) -> None:
    """A typing error gets a hint; a folder is no tube."""
    with pytest.raises(InvalidTube, match=r"prototyp: not found \(did you mean prototype\?\); shipped tubes: "):
        load_tube("prototyp")
    with pytest.raises(InvalidTube, match="cannot be read"):
        load_tube(tmp_path)


def test_differences_are_reported_in_keys_of_the_file() -> None:
    """The first three, and how many more; nothing of two tubes that are the same."""
    usual = VineParams()
    assert difference(usual, VineParams()) == ""
    assert difference(usual, replace(usual, friction=0.2)) == "friction unknown there, 0.2 here"
    assert difference(usual, similar(20e-3)).startswith("radius_mm 33.35 there, 20 here; ")
    expected = "uncertainty.preset unknown there, lasercut here; uncertainty.pressure_kpa unknown there, 0.3 here"
    assert difference(usual, replace(usual, uncertainty=ERRORS)).startswith(expected)


def test_errors_of_a_tube() -> None:
    """The table is kept as it was given, and only that: files without it have the same numbers as ever, and a hint."""
    text = 'schema = 1\n[uncertainty]\npreset = "lasercut"\npressure_kpa = 0.3\nsection_turn_deg = 1\nfriction = [0.05, 0.2]\n'
    tube = parse_tube(text.encode())
    assert tube == VineParams(uncertainty=ERRORS) != VineParams()
    assert hash(tube) == hash(VineParams(uncertainty=ERRORS))
    assert tube_content(tube)["uncertainty"] == {
        "preset": "lasercut",
        "pressure_kpa": 0.3,
        "section_turn_deg": 1.0,
        "friction": [0.05, 0.2],
    }
    assert "uncertainty" not in tube_content(VineParams())
    assert "\n# [uncertainty]" in template(VineParams())
    assert "# [uncertainty]" not in tube_text(tube)
    with_hint = tube_text(VineParams()).replace("# [uncertainty]", "[uncertainty]").replace("# preset", "preset")
    assert parse_tube(with_hint.encode()) == VineParams(uncertainty=StatedUncertainty("workshop"))
    with pytest.raises(ValueError, match="uncertainty names obstacles, which a tube does not have"):
        VineParams(uncertainty=StatedUncertainty.of({"obstacle": {"1": {"size_mm": 1}}}))


def test_models_do_not_depend_on_the_errors_of_a_tube() -> None:
    """The moments of a tube are the same whatever its file says of errors."""
    with_errors, usual = joint_moments(VineParams(uncertainty=ERRORS)), joint_moments(VineParams())
    np.testing.assert_array_equal(with_errors.moment, usual.moment)
