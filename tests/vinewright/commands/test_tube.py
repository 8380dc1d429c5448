"""`vinewright tube`, and `--tube` of the commands that grow a vine."""

import json
import re
import resource
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from dynamics.tube_choice import choose_tube
from dynamics.tube_file import load_tube, parse_tube, similar, tube_text
from environments import Environment, load_environment, write_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.design.tube_figures import TubeFigures
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam
from vinewright.console.options import environment_and_tube

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
ROOM = Environment("room", "", [0, 0, 1, 1], [0.1, 0.5, 0.0], [0.5, 0.5, 0.05])


def write_design(params: VineParams, path: Path) -> None:
    bare = (Section(0.0, 0.4, "none", 0.0, 0.0, 0.0),)
    design = Design("room", ROOM.sha256, params, bare, np.array([0.5, 0.5, 0.0]), np.array([[0.1, 0.5], [0.5, 0.5]]))
    path.write_text(json.dumps(design_content(design)))


def test_figures_follow_from_the_numbers() -> None:
    """Closed forms: pi P R^3, EI of a film, Euler's length where shear is stiff, and similar tubes in proportion."""
    usual = TubeFigures.of(VineParams())
    assert usual.growth_force == 25.0
    assert usual.largest_moment == pytest.approx(np.pi * 10342.135939752 * 33.35e-3**3)
    assert usual.onset_moment == usual.largest_moment / 2
    assert usual.least_turning_radius == 1 / usual.curvatures[1]
    small = TubeFigures.of(similar(33.35e-4))
    for name, power in (("growth_force", 2), ("largest_moment", 3), ("bending_stiffness", 4), ("buckling_length", 1)):
        assert getattr(small, name) == pytest.approx(getattr(usual, name) / 10**power), name
    assert small.curvatures == pytest.approx(np.multiply(10, usual.curvatures), rel=1e-2)
    stiff = replace(VineParams(), film_thickness=2e-3, film_modulus=1e10)
    euler = np.pi * np.sqrt(np.pi * 33.35e-3**3 * 2e-3 * 1e10 / 25.0)
    assert TubeFigures.of(stiff).buckling_length == pytest.approx(euler, rel=1e-3)


def test_each_type_of_actuator_has_its_figures(vinewright: Vinewright, tmp_path: Path) -> None:
    """A row and a range of curvatures for each, those of a tube with this type alone; together they give the least radius."""
    pouch, fpam = PouchMotor(width=0.05), Fpam()
    (tmp_path / "mixed.toml").write_text(tube_text(VineParams(others=(pouch, fpam))))
    code, printed, _ = vinewright("tube", "show", "mixed.toml", "--json")
    assert code == 0
    derived = json.loads(printed)["derived"]
    alone = {one.kind: TubeFigures.of(VineParams(actuator=one)).curvatures for one in (Spam(), pouch, fpam)}
    assert derived["curvatures_by_type_per_m"] == {kind: pytest.approx(one) for kind, one in alone.items()}
    lows, highs = zip(*alone.values(), strict=True)
    assert derived["curvatures_per_m"] == pytest.approx([min(lows), max(highs)])
    printed = vinewright("tube", "show", "mixed.toml")[1]
    for kind, (low, high) in alone.items():
        assert re.search(rf"actuator +│ {kind} ", printed)
        assert re.search(rf"{low:.3g} to {high:.3g} 1/m[^/]*│ {kind} ", printed)


def test_show_prints_them(vinewright: Vinewright) -> None:
    """Growth force, moments, curvatures, turning radius and buckling length of a shipped tube and of a file."""
    for name, force in (("prototype", "25 N"), ("jitosho-24mm", "3.237 N")):
        code, printed, _ = vinewright("tube", "show", name)
        assert code == 0
        for words in (force, "greatest moment", "reachable curvatures", "least turning radius", "buckling length"):
            assert words in printed
    assert "jitosho-24mm" in vinewright("tube", "list")[1]


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", {}),
        ("radius_mm = 40", {"radius": "given", "segment length": "scaled from the prototype"}),
        ("radius_mm = 40\nsegment_length_mm = 20", {"radius": "given", "segment length": "given"}),
        (
            "growth_pressure_kpa = 12\nleast_height = 0.9\nphysics = 'corrected'\ncollapse_share = 1",
            dict.fromkeys(("growth pressure", "least height", "physics", "collapse"), "given"),
        ),
        ("tail_friction = 0\nfriction = 0.1", {"drag of the tail": "given", "friction": "given"}),
    ],
)
def test_show_says_where_a_value_is_from(
    vinewright: Vinewright, tmp_path: Path, text: str, origins: dict[str, str]
) -> None:
    """From the file, also where it is the usual value; scaled with a given radius; or the default."""
    (tmp_path / "some.toml").write_text(f"schema = 1\n{text}\n")
    code, printed, _ = vinewright("tube", "show", "some.toml")
    assert code == 0
    shown, name = dict[str, str](), ""
    for line in printed.splitlines():
        cells = [cell.strip() for cell in line.split("│")[1:-1]]
        if len(cells) == 3:
            name = cells[0] or name  # a long cell goes on in the next line
            shown[name] = f"{shown.get(name, '')} {cells[2]}".strip()
    names = ("radius", "growth pressure", "segment length", "least height", "collapse", "physics", "drag of the tail")
    expected = {**dict.fromkeys(names, "default"), "friction": "not set", **origins}
    assert {name: shown[name] for name in expected} == expected


def test_physics_of_the_command_line_is_given(vinewright: Vinewright) -> None:
    """It is no default."""
    assert re.search(
        r"physics +│ published +│ given ", vinewright("tube", "show", "prototype", "--physics", "published")[1]
    )


@pytest.mark.parametrize(
    ("text", "hinted"),
    [
        ("film_thickness_um = 25", True),
        ("film_thickness_um = 25\nfilm_modulus_mpa = 200", False),
        ("film = 'ldpe-60'\nfilm_modulus_mpa = 200", False),
        ("film_thickness_um = 25\nbending_stiffness_n_m2 = 0.6", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("command", ["check", "show"])
def test_a_thickness_alone_gives_a_hint(
    vinewright: Vinewright, tmp_path: Path, command: str, text: str, hinted: bool
) -> None:
    """One line, because the stiffness is then that of the fit of Wang et al.; with `--json` not on stdout."""
    (tmp_path / "some.toml").write_text(f"schema = 1\n{text}\n")
    code, printed, _ = vinewright("tube", command, "some.toml")
    lines = [
        line for line in printed.splitlines() if line.startswith("hint: film_thickness_um alone changes no stiffness")
    ]
    assert (code, len(lines)) == (0, hinted)
    code, printed, errors = vinewright("tube", command, "some.toml", "--json")
    assert "hint" not in json.loads(printed)
    assert ("hint: film_thickness_um" in errors) is hinted


def test_a_film_alone_gives_a_hint(vinewright: Vinewright, tmp_path: Path) -> None:
    """By the key that is given: its modulus in the table of films is that of a flat sheet, and sets nothing."""
    (tmp_path / "some.toml").write_text("schema = 1\nfilm = 'tpu-100'\n")
    assert (
        "\nhint: film alone changes no stiffness: give film_modulus_mpa" in vinewright("tube", "check", "some.toml")[1]
    )


def test_new_writes_a_template_and_nothing_over(vinewright: Vinewright, tmp_path: Path) -> None:
    """A file that can be used; one that is there stays, unless `--force` says otherwise."""
    assert vinewright("tube", "new", "mine.toml")[0] == 0
    assert load_tube(tmp_path / "mine.toml") == VineParams()
    (tmp_path / "mine.toml").write_text("schema = 1\nradius_mm = 20\n")
    code, _, errors = vinewright("tube", "new", "mine.toml")
    assert (code, errors.count("\n")) == (2, 1)
    assert "already exists" in errors
    assert load_tube(tmp_path / "mine.toml").radius == 20e-3
    assert vinewright("tube", "new", "mine.toml", "--force", "--like", "jitosho-24mm")[0] == 0
    assert load_tube(tmp_path / "mine.toml") == load_tube("jitosho-24mm")
    assert vinewright("tube", "new", "mine.txt")[0] == 2


@pytest.mark.parametrize(
    "text",
    [
        *("radius_m = 0.03", "radius_mm = nan", "colour = 1", "radius_mm = 0", "[actuator]\nshortest_cell_mm = 90"),
        *(
            "[actuator]\nfilm_elasticity = 1e-7",
            "[actuator]\nfilm_elasticity = 0.01",
            '[actuator]\ntype = "pouch"\nwidth_mm = 5',
        ),
    ],
)
@pytest.mark.parametrize(
    "command", [("tube", "check"), ("tube", "show"), ("simulate", "room.toml", "design.json", "--tube")]
)
def test_a_wrong_file_is_one_line_and_exit_code_2(
    vinewright: Vinewright, tmp_path: Path, text: str, command: tuple[str, ...]
) -> None:
    """A wrong unit, NaN, an unknown key, radius 0, limits reversed, and numbers that make no actuator together."""
    write_environment(ROOM, tmp_path / "room.toml")
    write_design(VineParams(), tmp_path / "design.json")
    (tmp_path / "bad.toml").write_text(f"schema = 1\n{text}\n")
    code, printed, errors = vinewright(*command, "bad.toml")
    assert (code, printed, errors.count("\n")) == (2, "", 1)
    assert errors.startswith("error: bad.toml: ")


def test_check_is_0_for_a_tube(vinewright: Vinewright) -> None:
    """Shipped tubes are tubes."""
    assert vinewright("tube", "check", "prototype")[0] == 0


def test_simulate_grows_the_tube_it_is_given(vinewright: Vinewright, tmp_path: Path) -> None:
    """Without `--tube` it is the design's own, and another tube is announced; the same one is not."""
    write_environment(ROOM, tmp_path / "room.toml")
    write_design(VineParams(friction=0.1), tmp_path / "design.json")
    (tmp_path / "same.toml").write_text("schema = 1\nfriction = 0.1\n")
    for arguments, note in (((), False), (("--tube", "same.toml"), False), (("--tube", "jitosho-24mm"), True)):
        code, printed, _ = vinewright("simulate", "room.toml", "design.json", *arguments)
        assert code == 0
        assert (
            "note: --tube jitosho-24mm is not the tube this design was made for: radius_mm 33.35 there, 12 here"
            in printed
        ) is note
    code, printed, _ = vinewright(
        "robustness", "room.toml", "design.json", "--trials", 4, "--no-sources", "--tube", "jitosho-24mm"
    )
    assert code == 0
    assert "note: --tube" in printed
    assert "--tube jitosho-24mm` on" in printed


def test_an_environment_may_name_its_tube(vinewright: Vinewright, tmp_path: Path) -> None:
    """A shipped tube by name, or a file beside the environment's, wherever the command runs; `--tube` counts before it."""
    (tmp_path / "folder").mkdir()
    write_environment(ROOM, tmp_path / "folder" / "room.toml")
    text = (tmp_path / "folder" / "room.toml").read_text()
    (tmp_path / "folder" / "thin.toml").write_text(tube_text(similar(5e-3)))
    for name, radius in (("jitosho-24mm", 12e-3), ("thin.toml", 5e-3)):
        (tmp_path / "folder" / "named.toml").write_text(text.replace('unit = "mm"', f'unit = "mm"\ntube = "{name}"'))
        environment, params = environment_and_tube(str(tmp_path / "folder" / "named.toml"), None)
        assert params.radius == radius
        assert environment.sha256 == ROOM.sha256
        assert choose_tube("prototype", environment) == VineParams()
    assert choose_tube(None, load_environment("divider")) == choose_tube(None) == VineParams()
    (tmp_path / "folder" / "named.toml").write_text(text.replace('unit = "mm"', 'unit = "mm"\ntube = "none.toml"'))
    code, _, errors = vinewright("map", "folder/named.toml")
    assert (code, errors.count("\n")) == (2, 1)
    assert "none.toml: not found" in errors


def test_a_full_disk_leaves_no_half_file(vinewright: Vinewright, tmp_path: Path) -> None:
    """Where nothing can be written, `tube new` says so in one line and leaves no file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        code, _, errors = vinewright("tube", "new", "mine.toml")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert code == 4
    assert "mine.toml cannot be written" in errors
    assert errors.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_new_writes_the_type_and_size_that_are_asked_for(vinewright: Vinewright, tmp_path: Path) -> None:
    """A template with the keys of each type, in proportion to the tube; with `--like`, the numbers of that tube."""
    assert vinewright("tube", "new", "pouch.toml", "--actuator", "pouch", "--layflat", 63)[0] == 0
    made = load_tube(tmp_path / "pouch.toml")
    assert made.radius == pytest.approx(63e-3 / np.pi)
    assert made == parse_tube(tube_text(similar(made.radius, kind="pouch")).encode())
    assert "# seam_mm = 5.0  # " in (tmp_path / "pouch.toml").read_text()
    assert vinewright("tube", "new", "mixed.toml", "--actuator", "spam,cpam", "--diameter", 50)[0] == 0
    made = load_tube(tmp_path / "mixed.toml")
    assert (made.radius, made.kinds) == (25e-3, "spam,cpam")
    assert (tmp_path / "mixed.toml").read_text().count("# film_yield_mpa") == 2
    assert vinewright("tube", "new", "like.toml", "--like", "jitosho-24mm", "--actuator", "fpam")[0] == 0
    assert load_tube(tmp_path / "like.toml").kinds == "fpam"
    assert load_tube(tmp_path / "like.toml").radius == 12e-3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--radius", 20, "--layflat", 63), "radius_mm = 20 and layflat_mm = 63 are sizes of the same tube"),
        (("--radius", 0.1), "radius_mm = 0.1 must be greater than or equal to 0.5"),
        (("--like", "prototype", "--radius", 20), "--like prototype has a size: leave out --radius"),
        (("--actuator", "balloon"), "unknown actuator 'balloon'; known: spam, pouch, fpam, cpam"),
    ],
)
def test_new_refuses_what_makes_no_tube(
    vinewright: Vinewright, tmp_path: Path, options: tuple[object, ...], words: str
) -> None:
    """Two sizes, one out of range, one of a tube that has its own, and an unknown type; nothing is written."""
    code, _, errors = vinewright("tube", "new", "mine.toml", *options)
    assert (code, errors.count("\n")) == (2, 1)
    assert words in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", ["radius_mm = 20", "diameter_mm = 40", "layflat_mm = 62.831853"])
def test_check_and_show_print_all_sizes(vinewright: Vinewright, tmp_path: Path, size: str) -> None:
    """Radius, diameter and lay-flat width, whichever is given; other lengths are then scaled."""
    (tmp_path / "some.toml").write_text(f"schema = 1\n{size}\n")
    code, printed, _ = vinewright("tube", "check", "some.toml")
    assert code == 0
    assert "some.toml: valid; radius 20 mm, diameter 40 mm, lay-flat width 62.83 mm" in printed
    printed = vinewright("tube", "show", "some.toml")[1]
    assert re.search(r"radius +│ 20 mm +│ given ", printed)
    assert re.search(r"lay-flat width +│ 62.83 mm ", printed)
    assert re.search(r"segment length +│ [\d.]+ mm +│ scaled ", printed)


def test_show_names_the_films(vinewright: Vinewright, tmp_path: Path) -> None:
    """Films of body and strips are shown, with the modulus that sets the stiffness, and whether they are assumed."""
    text = "schema = 1\nfilm = 'hdpe-50'\nfilm_modulus_mpa = 300\n[actuator]\nfilm_thickness_um = 75\n"
    (tmp_path / "some.toml").write_text(text)
    code, printed, _ = vinewright("tube", "show", "some.toml")
    assert code == 0
    assert re.search(r"film of the body +│ 50 um HDPE, E 300 MPa +│ given ", printed)
    assert re.search(r"film of the actuators +│ 75 um LDPE +│ spam", printed)
    printed = vinewright("tube", "show", "prototype")[1]
    assert re.search(r"film of the body +│ 50 um LDPE +│ assumed", printed)
    assert re.search(r"film of the actuators +│ 50 um LDPE +│ spam, assumed", printed)
