"""Films and sizes in tube files: what is given, what is assumed, and what reads back."""

import math
import re
from typing import Any

import numpy as np
import pytest

from dynamics.actuator_file import actuator_table, replace_actuators
from dynamics.moment import joint_moments
from dynamics.tube import RADIUS, InvalidTube, VineParams
from dynamics.tube_file import difference, parse_tube, similar, template, tube_content, tube_of, tube_table, tube_text
from dynamics.tube_keys import ACTUATORS, LIMITS, STRIP_FILM
from surrogate.films import FILMS, OWN, Film
from surrogate.films import STRIP_FILM as ASSUMED
from surrogate.pouch import PouchMotor
from surrogate.registry import actuators

FABRIC = FILMS["ripstop-tpu-130"]


def tube(text: str) -> VineParams:
    return parse_tube(f"schema = 1\n{text}\n".encode())


@pytest.mark.parametrize("name", FILMS)
def test_every_film_makes_tubes_and_strips(name: str) -> None:
    """With the numbers of the film, which read back; tubes are no stiffer and no heavier for it."""
    made = tube(f"film = '{name}'\n[actuator]\ntype = 'pouch'\nfilm = '{name}'")
    assert made.wall == made.actuator.film == FILMS[name]
    assert made.elastic_stiffness is None
    np.testing.assert_array_equal(joint_moments(made).moment, joint_moments(VineParams()).moment)
    assert tube_content(made)["film"] == tube_content(made)["actuator"]["film"] == name
    assert parse_tube(tube_text(made).encode()) == tube_of(tube_content(made)) == made
    assert made.inertia == VineParams().inertia


def test_nothing_given_is_assumed_and_not_written() -> None:
    """The prototype has no film, and the film of its strips is an assumption; files stay as they were."""
    usual = VineParams()
    assert usual.wall == usual.actuator.film == ASSUMED
    assert usual.elastic_stiffness is None
    content = tube_content(usual)
    assert "film" not in content
    assert not {"film", *(key.name for key in STRIP_FILM.values())} & content["actuator"].keys()
    given = tube("[actuator]\nfilm = 'ldpe-50'")
    assert given.actuator.film == FILMS["ldpe-50"]
    assert difference(usual, given) == "actuator.film unknown there, ldpe-50 here"


@pytest.mark.parametrize("kind", ACTUATORS)
def test_whole_files_without_films_are_read(kind: str) -> None:
    """Designs that were written before there were these keys have the assumed films."""
    content = tube_content(replace_actuators(VineParams(), [kind]))
    part = actuator_table(kind, whole=True).model_validate(content.pop("actuator")).model_dump(exclude_none=True)
    read = tube_table(whole=True).model_validate(content).model_dump(exclude_none=True)
    assert tube_of({**read, "actuator": part}) == replace_actuators(VineParams(), [kind])


@pytest.mark.parametrize(
    ("text", "film"),
    [
        ("film_thickness_um = 75", Film("ldpe-50", 75e-6, 0.2e9, 9.2e6, 20e6)),
        ("film_thickness_um = 50", FILMS["ldpe-50"]),
        ("film = 'hdpe-25'\nfilm_modulus_mpa = 900", Film("hdpe-25", 25e-6, 0.9e9, 14.5e6, 24.5e6)),
        ("film = 'tpu-100'\nfilm_yield_mpa = 4.2", Film("tpu-100", 100e-6, 12e6, 4.2e6, 60e6)),
        ("film = 'tpu-50'\nfilm_strength_mpa = 30", Film("tpu-50", 50e-6, 12e6, 5e6, 30e6)),
        (
            "film = 'ripstop-tpu-130'\nfilm_thickness_um = 260\nfilm_strength_mpa = 40",
            Film("ripstop-tpu-130", 260e-6, *(FABRIC.modulus / 2, FABRIC.strength / 2, 40e6)),
        ),
        (
            "film_thickness_um = 63.7\nfilm_modulus_mpa = 310.1\nfilm_yield_mpa = 11.3\nfilm_strength_mpa = 27",
            Film(OWN, 63.7e-6, 310.1e6, 11.3e6, 27e6),
        ),
        (
            "film_thickness_um = 50\nfilm_modulus_mpa = 200\nfilm_yield_mpa = 9.2\nfilm_strength_mpa = 20",
            Film(OWN, 50e-6, 0.2e9, 9.2e6, 20e6),
        ),
    ],
)
def test_numbers_replace_those_of_the_film(text: str, film: Film) -> None:
    """In both tables of actuators, exactly; all four without a name are an own film, written by its numbers."""
    first = tube(f"[actuator]\ntype = 'cpam'\n{text}")
    other = tube(f"[[other_actuators]]\ntype = 'cpam'\n{text}")
    assert first.actuator.film == other.others[0].film == film
    assert other.actuator.film == ASSUMED
    for made in (first, other):
        assert parse_tube(tube_text(made).encode()) == tube_of(tube_content(made)) == made


def test_thickness_and_modulus_of_the_body() -> None:
    """A thickness replaces that of the film; with a modulus the two give EI = pi R^3 t E, which a measured EI replaces."""
    assert tube("film_thickness_um = 50").elastic_stiffness is None
    assert tube("film_thickness_um = 70").wall == Film("ldpe-50", 70e-6, 0.2e9, 9.2e6, 20e6)
    made = tube("film = 'hdpe-50'\nfilm_modulus_mpa = 500")
    assert made.wall == Film("hdpe-50", 50e-6, 0.5e9, 14.5e6, 24.5e6)
    assert made.elastic_stiffness == pytest.approx(math.pi * RADIUS**3 * 50e-6 * 0.5e9)
    made = tube("film = 'hdpe-50'\nfilm_modulus_mpa = 500\nfilm_thickness_um = 40")
    assert made.elastic_stiffness == pytest.approx(math.pi * RADIUS**3 * 40e-6 * 0.5e9)
    joint = joint_moments(made)
    assert joint.elasticity.stiffness * joint.length == pytest.approx(made.elastic_stiffness, rel=1e-3)
    assert tube("film = 'ldpe-60'\nfilm_modulus_mpa = 200\nbending_stiffness_n_m2 = 0.7").elastic_stiffness == 0.7


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("film = 'pvc-50'", "film = 'pvc-50' must be 'ldpe-40', 'ldpe-50'"),
        ("[actuator]\nfilm = 'ldpe'", "actuator.film = 'ldpe' must be 'ldpe-40'"),
        ("[[other_actuators]]\ntype = 'pouch'\nfilm = 3", "other_actuators[0].film = 3"),
        ("[actuator]\nfilm_thickness_um = 0", "actuator.film_thickness_um = 0.0 must be greater than or equal to 1"),
        (
            "[actuator]\nfilm_yield_mpa = 30",
            "actuator.film_yield_mpa = 30 must be at most actuator.film_strength_mpa = 20",
        ),
        ("radius_mm = 20\nlayflat_mm = 63", "radius_mm = 20 and layflat_mm = 63 are sizes of the same tube: give only one of"),
        ("diameter_mm = 40\nlayflat_mm = 63", "diameter_mm = 40 and layflat_mm = 63 are sizes of the same tube"),
        ("layflat_mm = 0", "layflat_mm = 0.0 must be greater than or equal to 1.6"),
        ("diameter_mm = 3000", "diameter_mm = 3000.0 must be less than or equal to 2000"),
    ],
)  # fmt: skip
def test_wrong_films_and_sizes_are_refused(text: str, words: str) -> None:
    """One line with the key, its value and what is allowed."""
    with pytest.raises(InvalidTube, match=re.escape(words)) as error:
        tube(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("key", "share"), [("layflat_mm", math.pi), ("diameter_mm", 2.0)])
@pytest.mark.parametrize("radius", [0.8e-3, 12e-3, 900e-3])
def test_lay_flat_width_and_diameter_are_sizes(key: str, share: float, radius: float) -> None:
    """Half the circumference and twice the radius; the tube is that of the radius in everything, and is written with it."""
    made = tube(f"{key} = {1e3 * share * radius!r}")
    assert made.radius == pytest.approx(radius, rel=1e-14)
    assert made.segment_length == pytest.approx(similar(radius).segment_length)
    text = tube_text(made)
    assert parse_tube(text.encode()) == made
    assert re.search(r"^radius_mm = ", text, re.MULTILINE)
    assert not re.search(rf"^{key} = ", text, re.MULTILINE)


@pytest.mark.parametrize("kind", ACTUATORS)
def test_the_template_has_every_key_of_the_type(kind: str) -> None:
    """All but radius, pressure and type are comments; without their signs they are the numbers that count without them."""
    usual = similar(20e-3, kind=kind)
    text = template(usual)
    of_type = text[text.index("[actuator]") : text.index("# [[other_actuators]]")]
    for key in (*ACTUATORS[kind].values(), *STRIP_FILM.values(), *LIMITS.values()):
        assert re.search(rf"^# {key.name} = [\d.e-]+  # {re.escape(key.meaning)}$", of_type, re.MULTILINE), key.name
    assert '\n# film = "ldpe-50"  # ' in of_type
    assert f"# Films: {', '.join(FILMS)}.\n" in text
    bare = re.sub(r"^# (?=[a-z_0-9]+ = [^ ])(?!diameter|layflat|preset|type)", "", text, flags=re.MULTILINE)
    assert len(re.findall(r"^# \w", bare, re.MULTILINE)) < len(re.findall(r"^# \w", text, re.MULTILINE)) - 25
    made, same = tube_content(parse_tube(bare.encode())), tube_content(parse_tube(text.encode()))
    assert made["actuator"].pop("film") == "ldpe-50"
    assert made == same


@pytest.mark.parametrize("kind", ACTUATORS)
def test_the_hint_for_other_types_can_be_used(kind: str) -> None:
    """It names a type that the tube does not have yet."""
    text = template(similar(RADIUS, kind=kind))
    with_hint = text.replace("# [[other_actuators]]", "[[other_actuators]]").replace('\n# type = "', '\ntype = "')
    assert len(parse_tube(with_hint.encode()).actuators) == 2


def test_films_of_python_are_those_of_files() -> None:
    """Every type has a film, and a file keeps it."""
    for kind, make in actuators().items():
        made: Any = make
        params = VineParams(actuator=made(film=FILMS["hdpe-25"]))
        assert tube_of(tube_content(params)) == params, kind
    assert VineParams(actuator=PouchMotor()).actuator.film == ASSUMED
