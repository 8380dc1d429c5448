"""The pages of file formats: their examples can be read, their tables have every key, and the limits in them are those of the program."""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, ValidationError

from dynamics.euler_lagrange.robot_file import load_robot
from dynamics.recording import load_recording
from dynamics.tube import InvalidTube
from dynamics.tube_file import check_tube, parse_tube, tube_content
from dynamics.tube_keys import TUBE
from environments.environment_file import parse_environment
from environments.file_model import EnvironmentFile
from environments.uncertainty import Uncertainty
from planner.built.trials_file import load_trials
from planner.design.design_file import load_design, parse_design
from planner.design.estimate import Estimate, Influence, Success
from planner.fabrication.assembly import folding
from planner.fabrication.lists import cut_list
from planner.fabrication.lists import parts as parts_of_a_pack
from planner.plan.choice.front import Champion, Choice
from planner.plan.run import checkpoint, stages
from planner.uncertainty.errors import read_errors
from planner.uncertainty.shown_trials import ShownTrials
from tests.conftest import Vinewright
from vinewright.sweeps.study_file import check_study

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reference" / "formats"
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
pytest.importorskip("sphinx", reason="the extra docs is not installed")

from formats import KEYS, parts  # noqa: E402
from model_tables import kind_of, tables_of  # noqa: E402
from units import unit_of  # noqa: E402


def example(page: str) -> str:
    """The first file on a page."""
    match = re.search(
        r"^```(?:toml|json|yaml)\n(.*?)^```", (PAGES / f"{page}.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert match
    return match[1]


def keys_of(page: str, title: str) -> dict[str, str]:
    """The described keys of a file that is only written."""
    found: dict[str, str] = tomllib.loads((KEYS / f"{page}.toml").read_text())[title]
    return found


def undescribed(document: Any, keys: dict[str, str], path: str = "") -> Iterator[str]:
    """Keys of a document that are not described; what is described as a whole counts with all that is in it."""
    for key, value in document.items():
        here = f"{path}{key}"
        inner = any(known.startswith((f"{here}.", f"{here}[].")) for known in keys)
        if isinstance(value, list) and value and isinstance(value[0], dict) and inner:
            yield from undescribed(value[0], keys, f"{here}[].")
        elif isinstance(value, dict) and inner:
            yield from undescribed(value, keys, f"{here}.")
        elif not {here, f"{here}[]", f"{path}*"} & keys.keys() and not (value is None and inner):
            yield here


def test_examples_on_the_pages_are_valid(tmp_path: Path) -> None:
    """Environment, tube, robot, study, design, recording and trials are read as the commands read them."""
    assert parse_environment(example("environment").encode(), "example", 0.03).goal[2] == 0.1
    assert parse_tube(example("tube").encode()).actuator.kind == "pouch"
    assert check_study(tomllib.loads(example("study"))).plan
    assert parse_design(json.loads(example("design")), "example").actuators == 3
    (tmp_path / "robot.toml").write_text(example("robot"))
    assert load_robot(tmp_path / "robot.toml").controller.most_tension == 60.0
    (tmp_path / "recording-bench.json").touch()
    (tmp_path / "trials.toml").write_text(example("trials"))
    assert [one.reached for one in load_trials(tmp_path / "trials.toml").growths] == [True, False]
    (tmp_path / "uncertainty.toml").write_text(example("uncertainty"))
    learnt = read_errors(str(tmp_path / "uncertainty.toml")).learnt
    assert learnt is not None
    assert learnt.errors[0] == "base: heading [deg]"
    path = tmp_path / "bench.json"
    path.write_text(example("recording"))
    assert load_recording(path).times[-1] == 1.0
    assert load_recording(path).contacts[0].point == 1


def test_every_page_has_its_table() -> None:
    """Each generated table is included by the page of its name, and each page is in the index."""
    names = {*parts(), *(path.stem for path in KEYS.glob("*.toml"))}
    index = (PAGES / "index.md").read_text()
    for name in names:
        assert f"generated/formats/{name}.md" in (PAGES / f"{name}.md").read_text()
        assert re.search(rf"^{name}$", index, re.MULTILINE)
    assert names == {path.stem for path in PAGES.glob("*.md")} - {"index"}


def test_every_number_has_a_unit_and_every_key_a_description() -> None:
    """All tables of all models; a key without them stops the build of the documentation."""
    for name, some in parts().items():
        for part in some:
            for table in tables_of(part.model, part.path, {}, part.defaults):
                for row in table.rows:
                    if name != "study" or table.path != "plan":  # those have the descriptions of the options
                        assert row.meaning, (name, table.path, row.key)
                        assert row.unit or not re.search("number|integer", row.kind), (name, table.path, row.key)


@pytest.mark.parametrize("field", ["radius", "tail_friction", "least_height"])
def test_limits_in_the_table_are_those_that_are_checked(field: str) -> None:
    """A number at each end of the range of the table is read, and one just beyond is refused."""
    key = TUBE[field]
    (tube,) = (part for part in parts()["tube"] if not part.path)
    row = next(row for table in tables_of(tube.model) for row in table.rows if row.key == key.name)
    low, high = map(float, re.findall(r"[-\d.e]+", row.limits))
    for beyond in (low - 1e-3 * max(low, 1), high * 1.001):
        with pytest.raises(InvalidTube, match=key.name):
            check_tube({"schema": 1, key.name: beyond})
    usual = tube_content(check_tube({"schema": 1}))
    for end in (low, high):
        content = {**usual, "schema": 1, key.name: end, "bending_stiffness_n_m2": 1.0}
        if field != "radius":  # at its ends the other lengths of the prototype do not fit
            assert tube_content(check_tube(content))[key.name] == pytest.approx(end)


def test_limits_of_validators_are_found() -> None:
    """Those that stand in functions: lengths, the schema, boxes, and rules of a whole table."""
    tables = {table.path: table for table in tables_of(EnvironmentFile)}
    rows = {(path, row.key): row for path, table in tables.items() for row in table.rows}
    assert rows["", "schema"].limits == "1 or 2"
    assert "-10000 to 10000 m" in rows["goal", "radius"].limits
    assert "x_min < x_max" in rows["obstacles", "boxes"].limits
    assert any("at most 20000" in rule for rule in tables["obstacles"].rules)
    assert rows["goal", "radius"].unit == "`unit`"
    assert rows["start", "heading_deg"].unit == "deg"


def test_a_key_without_description_or_unit_is_noticed() -> None:
    """The table of a model says nothing about it, so that the build can complain."""

    class Bare(BaseModel):
        width: float
        width_mm: float
        """Width."""

    (table,) = tables_of(Bare)
    bare, good = table.rows
    assert (bare.meaning, bare.unit) == ("", "")
    assert good.unit == "mm"


@pytest.mark.parametrize(
    ("key", "meaning", "unit"),
    [
        ("mass_per_length_kg_per_m", "", "kg/m"),
        ("bending_viscosity_n_m2", "", "N m²"),
        ("length", "Its length [m].", "m"),
        ("tip", "x, y [m] and heading [rad].", "m, rad"),
        ("batch", "Number of vines.", "1"),
        ("width", "Width.", ""),
        ("form", "", ""),
        ("room", "", ""),
    ],
)
def test_units(key: str, meaning: str, unit: str) -> None:
    """The longest end of a key that is a unit counts, then what its description says."""
    assert unit_of(key, meaning) == unit


def test_words_of_types() -> None:
    """Lists of a known length, options, and texts of a limited length."""
    assert kind_of(list[float]).words == "list of numbers"
    assert kind_of(str | None).words == "text"
    assert kind_of(dict[str, str]).words == "table of texts"


@pytest.mark.parametrize("path", sorted(ROOT.glob("results/*/data.json")), ids=lambda path: path.parent.name)
def test_data_of_reports_begin_as_described(path: Path) -> None:
    """Each has schema and command first, and no other of the described keys is missing from the page."""
    head = list(json.loads(path.read_text()))[:3]
    assert head[:2] == ["schema", "command"]
    assert head[2] in keys_of("results", "data.json")


@pytest.mark.parametrize("name", ["spam.json", "spam-paper.json"])
def test_weights_are_described(name: str) -> None:
    """All keys of the shipped weights."""
    document = json.loads((ROOT / "surrogate" / "weights" / name).read_text())
    keys = keys_of("weights", "spam.json and spam-paper.json")
    flat = {f"layers.{key}": value for key, value in document.pop("layers").items()}
    assert not [*undescribed(document, keys)]
    assert flat.keys() == {key for key in keys if key.startswith("layers.")}


@pytest.mark.parametrize(
    ("command", "title"),
    [
        ("tube list", "vinewright tube list"),
        ("tube show prototype", "vinewright tube show"),
        ("tube check prototype", "vinewright tube check"),
        ("euler-lagrange list", "vinewright euler-lagrange list"),
        ("euler-lagrange show el-hussieny", "vinewright euler-lagrange show"),
        ("euler-lagrange check el-hussieny", "vinewright euler-lagrange check"),
        ("environments show plus", "vinewright environments show"),
        ("doctor", "vinewright doctor"),
    ],
)
def test_answers_are_described(command: str, title: str, vinewright: Vinewright) -> None:
    """Every key that the command prints with --json, and none that it never prints."""
    code, output, _ = vinewright(*command.split(), "--json")
    document = json.loads(output)
    keys = keys_of("answers", "every command") | keys_of("answers", title)
    assert code == 0
    assert not [*undescribed(document, keys)]
    optional = {"friction"} if title.endswith("environments show") else set()
    assert {key.split(".")[0].removesuffix("[]") for key in keys} - optional <= document.keys()


def test_the_folder_of_a_plan_is_described(vinewright: Vinewright, tmp_path: Path) -> None:
    """All keys of run.json, of its arrays, of solutions.json, and of the answer of a fast plan with a verification."""
    code, output, _ = vinewright(
        *("plan", "plus", "--fast", "--seed", 0, "--iterations", 8, "--verify", "geometric", "--out", "run", "--json")
    )
    assert code in (0, 3)
    document = json.loads((tmp_path / "run" / "run.json").read_text())
    keys = keys_of("run", "run.json")
    assert not [*undescribed(document, keys)]
    tops = {key.split(".")[0] for key in keys}
    assert tops == document.keys()
    assert {key for key in keys if key.startswith("verification.solutions[].")} == {
        f"verification.solutions[].{key}" for key in document["verification"]["solutions"][0]
    }
    assert {key for key in keys if key.startswith("drive.")} == {f"drive.{key}" for key in document["drive"]}
    with np.load(tmp_path / "run" / "trajectory.npz") as arrays:
        assert {*arrays.files} == keys_of("run", "trajectory.npz").keys()
        assert arrays["points"].shape[0] == arrays["length"].shape[0]
    assert not [
        *undescribed(json.loads(output), keys_of("answers", "every command") | keys_of("answers", "vinewright plan"))
    ]
    for title, written in (("checkpoint", checkpoint.ARRAYS), ("refinement", stages.ARRAYS)):
        assert keys_of("checkpoint", title).keys() == written.keys()


def test_trials_in_run_json_are_described() -> None:
    """The keys of the chosen design and of the front."""
    champion = Champion(
        load_design(ROOT / "tests" / "data" / "run-v1"), Estimate(8, 9, (Influence("heading", 0.5, (0.4, 0.6)),)), 5
    )
    choice = Choice("workshop", Uncertainty(), 0.9, [champion])
    keys = {key.removeprefix("trials.") for key in keys_of("run", "run.json") if key.startswith("trials.")}
    assert {key for key in keys if not key.startswith("front[].")} == {
        "front[]" if key == "front" else key for key in choice.content()
    }
    content = champion.content()
    (influence,) = content["influences"]
    assert {key.removeprefix("front[].") for key in keys if key.startswith("front[].")} == {
        *("influences[]" if key == "influences" else key for key in content),
        *(f"influences[].{key}" for key in influence),
    }


def test_arrays_of_trials_are_described(tmp_path: Path) -> None:
    """All arrays of trials.npz."""
    success = Success("workshop", 3, 4)
    ShownTrials(np.zeros((4, 3, 2)), np.zeros(4, bool), np.array([1]), (success,), 0, 0.9).write(
        tmp_path / "trials.npz"
    )
    with np.load(tmp_path / "trials.npz") as arrays:
        assert {*arrays.files} == keys_of("run", "trials.npz").keys()


def test_simulation_is_described(vinewright: Vinewright, tmp_path: Path) -> None:
    """All keys and columns of the folder of a simulation."""
    code, _, _ = vinewright("simulate", "plus", ROOT / "tests" / "data" / "run-v1" / "design.json", "--out", "grown")
    assert code in (0, 3)
    document = json.loads((tmp_path / "grown" / "simulation.json").read_text())
    keys = keys_of("simulation", "simulation.json")
    assert not [*undescribed(document, keys)]
    for name in ("growth.csv", "centreline.csv"):
        columns = (tmp_path / "grown" / name).read_text().splitlines()[0].split(",")
        assert columns == [*keys_of("simulation", name)]


@pytest.mark.parametrize(
    ("command", "name"),
    [(("simulate", "el-hussieny", "--seconds", 0.1), "motion"), (("track", "el-hussieny", "wanted.csv"), "tracking")],
)
def test_the_motion_of_a_robot_is_described(
    vinewright: Vinewright, tmp_path: Path, command: tuple[object, ...], name: str
) -> None:
    """All keys of the description, which the answer has too, and all columns of the table."""
    (tmp_path / "wanted.csv").write_text("time_s,s_m,theta_rad,phi_rad\n0,1,0.1,0\n0.05,0.9,0.1,0\n")
    code, output, _ = vinewright("euler-lagrange", *command, "--out", "moved", "--json")
    assert code in (0, 3)
    document = json.loads((tmp_path / "moved" / f"{name}.json").read_text())
    keys = keys_of("motion", f"{name}.json")
    assert not [*undescribed(document, keys)]
    assert {key.split(".")[0].removesuffix("[]") for key in keys} == document.keys()
    assert not [*undescribed(json.loads(output), keys | keys_of("answers", "every command"))]
    columns = (tmp_path / "moved" / "trajectory.csv").read_text().splitlines()[0].split(",")
    described = [*keys_of("motion", "trajectory.csv")]
    assert columns == (described if name == "tracking" else [one for one in described if "_reference_" not in one])


@pytest.mark.parametrize("more", [("--seconds", 0.1), ("--reference", "wanted.csv")], ids=["inputs", "reference"])
def test_several_motions_of_a_robot_are_described(
    vinewright: Vinewright, tmp_path: Path, more: tuple[object, ...]
) -> None:
    """All keys of the description, which the answer has too, and all columns of the table but that of the varied key."""
    (tmp_path / "wanted.csv").write_text("time_s,s_m,theta_rad,phi_rad\n0,1,0.1,0\n0.05,1.1,0.1,0\n")
    given = "euler-lagrange", "sweep", "el-hussieny", "--vary", "mass_kg=0.1,0.2", *more, "--out", "moved", "--json"
    code, output, _ = vinewright(*given)
    assert code == 0
    document = json.loads((tmp_path / "moved" / "motions.json").read_text())
    keys = keys_of("motion", "motions.json")
    assert keys.keys() == document.keys()
    assert not [*undescribed(json.loads(output), keys | keys_of("answers", "every command"))]
    columns = (tmp_path / "moved" / "motions.csv").read_text().splitlines()[0].split(",")
    described = [*keys_of("motion", "motions.csv")]
    assert columns[0] == "mass_kg"
    assert columns[1:] == [one for one in described if one in columns]
    own = {"greatest_bend_rad", "without_growth_s"}
    errors = {one for one in described if "_error_" in one} | {"greatest_excess_length_m"}
    assert {*described[1:]} - {*columns} == (own if "--reference" in more else errors)


@pytest.mark.parametrize("name", ["pack.json", "pressures.json"])
def test_an_old_pack_is_described(name: str) -> None:
    """No key of it is unknown; newer packs have more, which the source says."""
    document = json.loads((ROOT / "tests" / "data" / "pack-v1" / name).read_text())
    assert not [*undescribed(document, keys_of("pack", name))]


def test_tables_of_a_pack_are_described() -> None:
    """The columns of its CSV files; a type of actuator is added for mixed ones."""
    for name, columns in (
        ("parts.csv", parts_of_a_pack.COLUMNS),
        ("cut-list.csv", cut_list.CUT_COLUMNS),
        ("sections.csv", cut_list.SECTION_COLUMNS),
        ("folds.csv", folding.COLUMNS),
    ):
        assert [key for key in keys_of("pack", name) if key != "type"] == [*columns]


def test_an_unknown_key_is_refused_whatever_the_table() -> None:
    """The index of formats says so of all files: here it is an environment."""
    with pytest.raises(ValidationError):
        EnvironmentFile.model_validate({"schema": 2, "color": "red"})
