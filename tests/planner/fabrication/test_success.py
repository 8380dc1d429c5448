"""Words of a pack on the trials of its design: on the cover, on the console and in pack.json."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles, load_environment, write_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content, load_design
from planner.design.estimate import Success
from planner.design.replay import grow_designs
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.success import PackSuccess
from planner.fabrication.guide.cover import WARNING, draw_cover
from planner.fabrication.guide.paper import Template
from planner.fabrication.pack import Pack
from planner.fabrication.pattern.layout import pattern_of
from planner.uncertainty.errors import named_errors
from planner.uncertainty.trials import EVALUATING, Worlds, grow_trials

Vinewright = Callable[..., tuple[int, str, str]]
WEAKEST = "obstacle 4, 3 mm to the left"
UNTRIED = "not tried under errors: run `vinewright robustness ENV DESIGN`"


def texts_of(example: Build, environment: Environment, success: PackSuccess) -> tuple[str, str]:
    """All text of a cover, and the red part of it."""
    template = Template("a4", example, pattern_of(example), environment, True, (), success)
    pages = draw_cover(template, np.full((30, 40, 3), 255), dict.fromkeys(template.tiles(), 1))
    texts = [text for page in pages for text in page.figure.texts]
    red = [text.get_text() for text in texts if text.get_color() == WARNING]
    return " ".join(text.get_text() for text in texts), " ".join(red)


@pytest.mark.parametrize(
    ("reached", "trials", "warns"), [(940, 1000, False), (80, 100, False), (799, 1000, True), (0, 100, True)]
)
def test_the_cover_states_the_success(
    example: Build, shipped: dict[str, Environment], reached: int, trials: int, warns: bool
) -> None:
    """In words, with the weakest point; in red below 80 %, with what to do. A pack of an older version was not tried itself."""
    success = PackSuccess(Success("workshop", reached, trials, WEAKEST), True)
    text, red = texts_of(example, shipped["plus"], success)
    counted = f"{trials:,}".replace(",", " ")
    assert f"The planned design reaches the goal in {100 * reached // trials} % (" in text
    assert f"of {counted} trials under workshop errors; weakest: {WEAKEST}." in text
    assert "Rounded to whole cells, as in this pack, it was not tried itself." in text
    assert ("Less than 80 % of the trials of this design reach the goal." in red) == warns
    assert ("Plan again with a longer --time-budget" in text) == warns
    assert bool(success.warning) == warns


def test_what_counts_is_the_design_with_whole_cells(example: Build, shipped: dict[str, Environment]) -> None:
    """Success as made comes first, and the warning is by it, whatever that of the planned design is."""
    good, poor = Success("workshop", 97, 100), Success("workshop", 61, 100, WEAKEST)
    for planned, made in ((good, poor), (poor, good), (None, poor), (None, good)):
        success = PackSuccess(planned, True, made)
        text, red = texts_of(example, shipped["plus"], success)
        assert f"Rounded to whole cells, as in this pack, the design {made.words}." in text
        assert "not tried" not in text
        assert (f"As planned, it {planned.words}." if planned else "As planned") in text or not planned
        assert bool(red) == bool(success.warning) == (made is poor)
        trials = success.content()["trials_as_made"]
        assert (trials["reached"], trials["trials"]) == (made.reached, 100)


def test_the_cover_says_what_was_not_tried(example: Build, shipped: dict[str, Environment]) -> None:
    """A design without trials is no reason for a red frame; one that was not rounded was tried as it is made."""
    text, red = texts_of(example, shipped["plus"], PackSuccess(None, True))
    assert f"N{UNTRIED[1:]}" in text
    assert not red
    text, red = texts_of(example, shipped["plus"], PackSuccess(Success("workshop", 95, 100), False))
    assert "This design reaches the goal in 95 %" in text
    assert "Rounded" not in text
    assert not red


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Path]:
    """Writes a design in an empty room around its tip."""

    def make(cells: float, success: Success | None) -> Path:
        params = VineParams()
        room = Environment(
            "room", "", np.array([-0.5, -0.5, 1.5, 1.5]), np.zeros(3), np.array([1.0, 0.0, 0.1]), Obstacles()
        )
        end = round(0.4 + cells * 0.03, 6)
        sections = (
            Section(0.0, 0.4, "none", 0.0, 0.0, 0.0),
            Section(0.4, end, "left", 1.5, 0.03, 20e3),
            Section(end, 1.0, "none", 0.0, 0.0, 0.0),
        )
        design = Design("room", "0" * 64, params, sections, np.zeros(3), np.zeros((1, 2)))
        grown = grow_designs([design], room, QuasiStatic(room, params))[0].design
        room = replace(room, goal=np.array([*grown.tip[:2], 0.15]))
        (tmp_path / "made").mkdir()
        write_environment(room, tmp_path / "made" / "environment.toml")
        sha256 = load_environment(tmp_path / "made" / "environment.toml").sha256
        content = design_content(replace(grown, sha256=sha256, success=success))
        (tmp_path / "made" / "design.json").write_text(json.dumps(content))
        return tmp_path / "made"

    return make


def test_export_tells_what_the_design_says(vinewright: Vinewright, made: Callable[..., Path]) -> None:
    """The trials of the planned design, and those of the design with whole cells, by which a low success is a warning and refuses
    nothing; pack.json and design.json hold them, `show` prints them.
    """
    folder = made(9.4, Success("workshop", 61, 100, WEAKEST))
    code, out, _ = vinewright("export", folder, "--out", "pack", "--formats", "json", "--trials", 40)
    assert code == 0
    assert (
        f"this design, as planned, reaches the goal in 61 % (51-70) of 100 trials under workshop errors; weakest: {WEAKEST}"
        in out
    )
    content = json.loads(Path("pack/pack.json").read_text())
    assert content["trials"] == {
        "errors": "workshop", "reached": 61, "trials": 100, "interval_95": [0.512, 0.6998], "weakest": WEAKEST,
    }  # fmt: skip
    assert content["rounded"] is True
    made = content["trials_as_made"]
    assert (made["errors"], made["trials"]) == ("workshop", 40)
    # The tubes of the acceptance test are the same, with the same errors.
    assert made["reached"] == json.loads(Path("pack/pressures.json").read_text())["acceptance"]["reached"]
    design = load_design(Path("pack"))
    assert design.success == Success("workshop", made["reached"], 40, made["weakest"])
    assert f"Rounded to whole cells, as in this pack, the design {design.success.words}. As planned, it" in out
    assert (made["reached"] < 32) == any(warning.startswith("Less than 80 %") for warning in content["warnings"])
    _, out, _ = vinewright("show", "pack")
    assert f"Rounded to whole cells, as in this pack, the design {design.success.words}" in out


def test_a_pack_is_tried_where_it_grows(made: Callable[..., Path]) -> None:
    """The share of trials is that of trials that are grown one by one, of the rounded design and not of the planned one."""
    folder = made(9.4, Success("workshop", 100, 100))
    design, room = load_design(folder), load_environment(folder / "environment.toml")
    pack = Pack.of(design, room, QuasiStatic(room, design.params), trials=30)
    assert pack.success.made is None
    told = list[tuple[int, int]]()
    tried = pack.with_trials(lambda done, total: told.append((done, total)))
    assert told == [(30, 30)]
    uncertainty = named_errors(room, design.params, "workshop")[1]
    each = [
        grow_trials(pack.grown.design, Worlds.draw(room, design.params, uncertainty, [EVALUATING + k], 0)).reached[0]
        for k in range(30)
    ]
    assert tried.success.made is not None
    assert tried.success.made.reached == sum(each)
    assert tried.with_trials() is tried


def test_a_straight_tube_is_tried_too(vinewright: Vinewright, tmp_path: Path) -> None:
    """Without actuators there is no acceptance test, but there are trials; far from the goal, none reaches it."""
    params = VineParams()
    sections = (Section(0.0, 1.0, "none", 0.0, 0.0, 0.0),)
    for name, goal, low, high in (("ahead", 1.0, 28, 30), ("beside", 0.6, 0, 0)):
        place = np.array([goal, 0.0 if name == "ahead" else 0.9, 0.2])
        room = Environment("room", "", np.array([-0.5, -1.5, 1.5, 1.5]), np.zeros(3), place, Obstacles())
        design = Design("room", "0" * 64, params, sections, np.zeros(3), np.zeros((1, 2)))
        grown = grow_designs([design], room, QuasiStatic(room, params))[0].design
        (tmp_path / name).mkdir()
        write_environment(room, tmp_path / name / "environment.toml")
        sha256 = load_environment(tmp_path / name / "environment.toml").sha256
        (tmp_path / name / "design.json").write_text(json.dumps(design_content(replace(grown, sha256=sha256))))
        code, out, _ = vinewright(
            "export", tmp_path / name, "--out", f"pack-{name}", "--formats", "csv,json", "--trials", 30
        )
        assert code == (0 if high else 3)
        made = json.loads(Path(f"pack-{name}/pack.json").read_text())["trials_as_made"]
        assert low <= made["reached"] <= high
        assert f"of 30 trials under {made['errors']} errors" in out


def test_a_likely_design_has_no_warning(vinewright: Vinewright, made: Callable[..., Path]) -> None:
    """One that consists of whole cells keeps its trials, so that a pack made from the pack has them too."""
    folder = made(10, Success("lasercut", 80, 100))
    code, out, _ = vinewright("export", folder, "--out", "pack", "--formats", "json", "--trials", 20)
    assert code == 0
    assert "under lasercut errors" in out
    assert "not tried" not in out
    assert "Less than 80 %" not in out
    assert json.loads(Path("pack/pack.json").read_text())["rounded"] is False
    assert load_design(Path("pack")).success == Success("lasercut", 80, 100)


def test_trials_elsewhere_do_not_count(vinewright: Vinewright, made: Callable[..., Path]) -> None:
    """With another environment, and with other tubes, the planned design was not tried: only the pack is."""
    folder = made(10, Success("workshop", 95, 100))
    design = load_design(folder)
    for extra in (("--stock", "90,60mm"), ("--env", "plus", "--force")):
        vinewright("export", folder, "--out", "pack", "--formats", "json", "--trials", 20, "--force", *extra)
        content = json.loads(Path("pack/pack.json").read_text())
        assert content["trials"] is None, extra
        assert content["trials_as_made"]["trials"] == 20, extra
    assert design.success


def test_a_design_without_trials_says_so(vinewright: Vinewright, made: Callable[..., Path]) -> None:
    """`export` tries it; `simulate` and `show` print what the file says, and nothing if that is nothing."""
    folder = made(10, None)
    code, out, _ = vinewright("export", folder, "--out", "pack", "--formats", "json", "--trials", 20)
    assert code == 0
    content = json.loads(Path("pack/pack.json").read_text())
    assert content["trials"] is None
    assert content["trials_as_made"]["trials"] == 20
    assert "This design reaches the goal in" in out
    environment, said = folder / "environment.toml", "this design, as planned, reaches the goal in 95 %"
    for arguments in (("simulate", environment, folder), ("show", folder)):
        code, out, _ = vinewright(*arguments)
        assert code == 0
        assert "as planned" not in out
    content = json.loads((folder / "design.json").read_text())
    content["trials"] = {"errors": "workshop", "reached": 95, "trials": 100}
    (folder / "design.json").write_text(json.dumps(content))
    for arguments in (
        ("simulate", environment, folder),
        ("show", folder),
        ("robustness", environment, folder, "--trials", 2),
    ):
        code, out, errors = vinewright(*arguments)
        assert code == 0, errors
        assert out.count(said) == 1
