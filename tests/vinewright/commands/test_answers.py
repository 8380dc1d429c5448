"""The results of commands: with --json one document on stdout, what was not met in the last line, tables in narrow terminals."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.recording import load_recording, write_recording
from planner.design.design_file import load_design
from planner.output.folder import write_json
from vinewright.cli import main

pytestmark = pytest.mark.usefixtures("small_pictures")

Ran = tuple[int, str, str]
Run = Callable[..., Ran]
OSCILLATION = Path(__file__).parents[2] / "data" / "oscillation.json"
UNITS = re.compile(r"_(mm|m|g|n|s|percent|deg|rad|kpa|kg_per_m|per_m|n_m|n_m2|pa|mm_per_s|g_per_m|m_per_s2|rms_m)$")
GO_ON = r"\. To go on, plan longer: vinewright plan --resume unmet --iterations 8; or make it as it is: vinewright export unmet --out pack"
PLAN = "plan", "small.toml", "--iterations", 4, "--batch", 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small_environment: Callable[[str], str]) -> Path:
    """A folder with a small environment, a goal that is not hit at once, one to the side, a walled-in one, and errors."""
    made = tmp_path_factory.mktemp("answers")
    (made / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    (made / "far.toml").write_text(small_environment("[]").replace("radius = 60", "radius = 1"))
    turned = small_environment("[]").replace("[500, 230], radius = 60", "[400, 400], radius = 60")
    (made / "turn.toml").write_text(turned)
    (made / "crooked.toml").write_text("start_heading_deg = 20.0")
    (made / "walled.toml").write_text(small_environment("[[300, 0, 330, 500]]"))
    return made


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command in that folder: exit code, stdout, stderr."""
    monkeypatch.chdir(folder)

    def ran(*arguments: object) -> Ran:
        monkeypatch.setattr("sys.argv", ["vinewright", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return ran


@pytest.fixture
def planned(folder: Path, run: Run) -> Path:
    """The folder of a run in the small environment, planned once."""
    if not (folder / "runs" / "small").exists():
        assert run(*PLAN)[0] == 0
    return folder / "runs" / "small"


@pytest.fixture
def short(folder: Path, planned: Path) -> Path:
    """Make a run of the design with a tube that ends 200 mm earlier."""
    content = json.loads((planned / "design.json").read_text())
    length = content["tube"]["length_mm"] - 200
    content["sections"] = [one for one in content["sections"] if one["start_mm"] < length]
    content["tube"]["length_mm"] = content["cost"]["length_mm"] = content["sections"][-1]["end_mm"] = length
    write_json(folder / "short.json", content)
    return folder / "short.json"


def document(ran: Ran, code: int = 0) -> Any:
    """The document of a command, after the checks that hold for all."""
    assert ran[0] == code, ran[2]
    assert ran[1].count("\n{") == 0  # one document
    read = json.loads(ran[1])
    assert read["met"] == (code == 0)
    assert (read["reason"] is None) == read["met"]
    if not read["met"]:
        assert ran[2].splitlines()[-1] == f"not met: {read['reason']}"
    return read


def numbers(content: Any, key: str = "") -> Iterator[tuple[str, float]]:
    """All floating-point numbers of a document, with the last key above them."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield from numbers(value, name)
    elif isinstance(content, list):
        for value in content:
            yield from numbers(value, key)
    elif isinstance(content, float):
        yield key, content


def test_a_plan_as_json(run: Run, folder: Path) -> None:
    """The design of the folder, with units in the keys; progress goes to stderr."""
    ran = run(*PLAN, "--out", "json", "--json")
    read = document(ran)
    assert "planning small" in ran[2]
    assert "resume with" in ran[2]
    assert (read["found"], read["wrote"], read["iterations"]) == (True, ["json"], 4)
    assert read["design"] == json.loads((folder / "json" / "design.json").read_text())
    assert read["length_mm"] == pytest.approx(1e3 * load_design(folder / "json").length)
    dimensionless = {
        "density",
        "friction",
        "tail_friction",
        "growth_share",
        "least_height",
        "collapse_share",
        "thickness_share",
        "hinge_length",
        "film_elasticity",
        "threshold",
        "interval",
        "interval_95",
    }
    for key, _ in numbers(read):
        assert UNITS.search(key) or key in dimensionless, key


@pytest.mark.parametrize(("environment", "words"), [("far", "the nearest tip ended"), ("walled", "walled in")])
def test_no_solution_as_json(run: Run, environment: str, words: str) -> None:
    """A document with `"found": false` and the reason, exit code 3."""
    read = document(run("plan", f"{environment}.toml", "--iterations", 1, "--batch", 5, "--json"), 3)
    assert read["found"] is False
    assert read["reason"].startswith("no solution: ")
    assert words in read["reason"]


def test_errors_have_no_document(run: Run) -> None:
    """Bad input is a line on stderr and exit code 2, also with --json."""
    for arguments in (("plan", "nowhere"), ("tube", "check", "none.toml"), ("environments", "show", "nowhere")):
        code, printed, errors = run(*arguments, "--json")
        assert (code, printed, errors.count("\n")) == (2, "", 1)
        assert errors.startswith("error: ")


def test_simulate_as_json(run: Run, planned: Path, short: Path) -> None:
    """The document has the content of `simulation.json`, and the files; a miss has one too."""
    read = document(run("simulate", "small.toml", planned, "--out", "sim", "--json"))
    assert read["wrote"] == ["sim"]
    assert read.items() >= json.loads(Path("sim/simulation.json").read_text()).items()
    assert read["length_mm"] == pytest.approx(1e3 * load_design(planned).length)
    read = document(run("simulate", "small.toml", short, "--json"), 3)
    assert not read["reached"]
    tip, goal = np.array(read["tip_mm"]), np.array([500, 230])
    assert read["reason"] == f"with quasistatic the design ends {np.hypot(*(tip - goal)) - 60:.0f} mm outside the goal"


def test_export_as_json(run: Run, planned: Path, short: Path) -> None:
    """The pack and its files; a design that misses the goal with whole cells ends with exit code 3."""
    read = document(run("export", planned, "--out", "pack", "--formats", "csv", "--allow-limit", "--json"))
    assert read["files"] == ["parts.csv", "cut-list.csv", "sections.csv", "schedule.csv"]
    assert all(Path("pack", name).exists() for name in read["files"])
    assert read["reaches_goal"] is True
    code, printed, _ = run(
        "export", short, "--env", "small.toml", "--out", "missing", "--formats", "csv", "--allow-limit"
    )
    assert (code, printed.splitlines()[-1]) == (3, "not met: the design with whole cells misses the goal")


def test_robustness_as_json(run: Run, planned: Path) -> None:
    """The data of the report."""
    arguments = "robustness", "small.toml", planned, "--trials", 2, "--levels", 5, "--no-sources", "--out", "robust"
    read = document(run(*arguments, "--json"))
    assert read["wrote"] == ["robust/robustness-small"]
    assert read.items() >= json.loads(Path("robust/robustness-small/data.json").read_text()).items()
    assert read["success"]["5 % / 5 %"]["trials"] == 2


def test_lists_as_json(run: Run) -> None:
    """Environments, tubes and this installation."""
    environments = document(run("environments", "list", "--json"))["environments"]
    assert {"plus", "maze"} <= {one["name"] for one in environments}
    shown = document(run("environments", "show", "small.toml", "--picture", "small.png", "--json"))
    assert (shown["goal_mm"], shown["goal_radius_mm"], shown["bounds_mm"]) == ([500, 230], 60, [[0, 0], [700, 500]])
    assert shown["wrote"] == ["small.png"]
    tubes = document(run("tube", "list", "--json"))["tubes"]
    assert "prototype" in [one["name"] for one in tubes]
    tube = document(run("tube", "show", "prototype", "--json"))
    assert tube["derived"]["full_force_n"] == pytest.approx(np.pi * 1.5 * 6894.757293168 * 33.35e-3**2)
    assert tube["derived"]["least_turning_radius_mm"] == pytest.approx(1e3 / tube["derived"]["curvatures_per_m"][1])
    assert document(run("tube", "check", "prototype", "--json"))["valid"] is True
    doctor = document(run("doctor", "--json"))
    assert doctor["packages"]["numpy"] == np.__version__
    assert doctor["extras"]["fab"]["missing"] == []


def test_map_as_json(run: Run) -> None:
    """The content of the map file."""
    read = document(run("map", "small.toml", "--policy", "random", "--deployments", 1, "--json"))
    assert read["wrote"] == ["maps/small"]
    assert read.items() >= json.loads(Path("maps/small/map.json").read_text()).items()
    assert len(read["deployments"]) == 1


def test_a_fit_that_does_not_converge_as_json(run: Run, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The content of the fit, exit code 3 and the solver's status."""
    monkeypatch.setattr("planner.recordings.identification.problem.MOST_ITERATIONS", 1)
    read = load_recording(OSCILLATION)
    few = replace(read, times=read.times[:12], centerlines=read.centerlines[:12])
    write_recording(few, folder / "few.json")
    found = document(run("fit", "few.json", "--bodies", 4, "--out", "fit", "--json"), 3)
    assert found["converged"] is False
    assert re.fullmatch(r"the fit did not converge \(.+ after \d+ iterations\)", found["reason"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target-actuators", 0), r"the design has \d actuators?, at most 0 were asked"),
        (
            ("--uncertainty", "crooked.toml", "--success", 100),
            rf"(\d+) of 20 trials reach the goal, 100 % wanted{GO_ON}",
        ),
    ],
)
def test_what_a_plan_does_not_meet(run: Run, options: tuple[object, ...], words: str, folder: Path) -> None:
    """Exit code 3, and the very last line says what was asked; the design is written nevertheless."""
    code, printed, _ = run("plan", "turn.toml", "--iterations", 4, "--batch", 20, "--out", "unmet", "--force", *options)
    last = printed.splitlines()[-1]
    assert (code, bool(re.fullmatch(f"not met: {words}", last))) == (3, True), last
    assert printed.count("vinewright plan --resume unmet --iterations 8") == 1
    content = json.loads((folder / "unmet" / "run.json").read_text())
    if "--success" in options:
        assert f"not met: {content['trials']['chosen']['reached']} of 20" in last


@pytest.mark.parametrize("width", [60, 80])
def test_tables_are_whole_in_narrow_terminals(
    run: Run, planned: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No header and no cell is cut, and no line of a table is longer than the terminal."""
    monkeypatch.setenv("COLUMNS", str(width))
    several = {
        ("environments", "list"): ["obstacles", "description", "building", "corridors"],
        ("tube", "list"): ["pressure", "prototype", "el-hussieny-50mm"],
        ("tube", "show", "prototype"): ["computed", "equilibrium", "curvatures"],
        ("doctor",): ["propagators", "quasistatic,"],
        ("simulate", "small.toml", planned): ["pressure", "curvature", "radius"],
        ("export", planned, "--out", "narrow", "--formats", "csv", "--allow-limit", "--force"): [
            "pressure",
            "curvature",
            "radius",
        ],
        ("map", "small.toml", "--policy", "random", "--deployments", 1): ["launch", "angle", "score"],
    }
    for arguments, words in several.items():
        code, printed, _ = run(*arguments)
        assert code == 0
        assert "…" not in printed
        assert set(words) <= set(re.split(r"[\s│┃]+", printed)), arguments
        if arguments[0] in ("environments", "tube"):
            assert max(map(len, printed.splitlines())) <= width
