"""The command line, as a user meets it: in a process of its own where that may matter, else in this one."""

import contextlib
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from environments import load_environment
from planner.design.design_file import load_design
from tests.command_line import vinewright_in
from tests.waiting import LONGEST

pytestmark = pytest.mark.usefixtures("small_pictures")

Completed = subprocess.CompletedProcess[str]
Vinewright = Callable[..., Completed]
COMMAND = [sys.executable, "-c", "from vinewright.cli import main; main()"]


@pytest.fixture
def vinewright(vinewright: Callable[..., tuple[int, str, str]]) -> Vinewright:
    """The command line in this process, whose results are read like those of another one."""
    return lambda *arguments: subprocess.CompletedProcess(arguments, *vinewright(*arguments))


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A finished run in the divider, and what was printed."""
    folder, printed = tmp_path_factory.mktemp("plan"), io.StringIO()
    asked = "plan", "divider", "--fast", "--iterations", 12, "--seed", 1, "--out", folder / "run"
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        assert vinewright_in(folder, patch, *asked) == 0
    return folder / "run", printed.getvalue()


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    """Help answers without NumPy, Numba, SciPy, shapely, matplotlib, torch or ompl."""
    code = (
        "import sys\nfrom vinewright.cli import main\nsys.argv = ['vinewright', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('heavy:', [m for m in ('numpy', 'numba', 'scipy', 'shapely', 'matplotlib', 'torch', 'ompl') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
    assert "heavy: []" in done.stdout
    for command in (
        "plan",
        "simulate",
        "robustness",
        "export",
        "funnel",
        "environments",
        "bench",
        "reproduce",
        "surrogate",
        "doctor",
    ):
        assert command in done.stdout


def test_plan_writes_the_run_folder(planned: tuple[Path, str]) -> None:
    """All eight files, with the promised keys, agreeing with each other."""
    folder, _ = planned
    assert sorted(entry.name for entry in folder.iterdir()) == [
        "checkpoint.npz", "design.json", "environment.toml", "plan.png", "run.json", "solutions.json", "solutions.png",
        "trajectory.npz",
    ]  # fmt: skip
    run = json.loads((folder / "run.json").read_text())
    for key in (
        "seed",
        "versions",
        "device",
        "time_to_first_s",
        "iterations",
        "vine_steps",
        "history",
        "replayed",
        "rejected",
        "ambiguous",
    ):
        assert key in run
    design = json.loads((folder / "design.json").read_text())
    assert set(design) == {"schema", "environment", "tube", "actuator", "sections", "predicted", "cost"}
    assert run["iterations"] == 12
    assert run["history"][-1][1:] == [design["cost"]["actuators"], design["cost"]["length_mm"]]
    solutions = json.loads((folder / "solutions.json").read_text())["solutions"]
    own = ("jump_mm", "obstacles_left", "obstacles_right")
    assert solutions[0] == {**design, **{key: solutions[0][key] for key in own}}
    assert solutions[0]["jump_mm"] is None or len(solutions[0]["jump_mm"]) == 3
    assert len(solutions) >= 1
    assert all((folder / name).read_bytes()[:4] == b"\x89PNG" for name in ("plan.png", "solutions.png"))


def test_trajectory_is_the_growth_of_the_design(planned: tuple[Path, str]) -> None:
    """Points are NaN beyond the grown part, lengths are those of their film, and the last one is the predicted shape."""
    folder, _ = planned
    design = json.loads((folder / "design.json").read_text())
    made, heading = load_design(folder), float(load_environment("divider").start[2])
    with np.load(folder / "trajectory.npz") as file:
        points, length = file["points"], file["length"]
    assert points.shape[0] == len(length)
    assert points.shape[2] == 2
    assert length[-1] == pytest.approx(design["tube"]["length_mm"] * 1e-3)
    for joints, grown in zip(points, length, strict=True):
        joints = joints[~np.isnan(joints[:, 0])]
        assert made.film(joints, heading).sum() == pytest.approx(grown)
    last = points[-1][~np.isnan(points[-1][:, 0])]
    assert np.abs(last * 1e3 - design["predicted"]["centerline_mm"]).max() < 1e-3


def test_plan_prints_a_table_for_makers(planned: tuple[Path, str]) -> None:
    """Plain progress without a terminal, then the sections as they stand in the design."""
    folder, printed = planned
    design = json.loads((folder / "design.json").read_text())
    for section in design["sections"]:
        assert re.search(rf"{section['start_mm']:.0f} .* {section['end_mm']:.0f} .* {section['side']} ", printed)
    assert f"{design['cost']['actuators']} actuator" in printed
    assert "replayed at an eighth of the step" in printed
    assert "actuators have no thickness" not in " ".join(printed.split())
    assert "\x1b" not in printed


def test_simulate_grows_the_design_again(vinewright: Vinewright, planned: tuple[Path, str], tmp_path: Path) -> None:
    """The design reaches the goal within a millimetre of its prediction; trajectory, tables, picture and GIF are written."""
    folder, _ = planned
    done = vinewright("simulate", "divider", folder, "--out", "sim", "--animate", "grow.gif")
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "sim" / "simulation.json").read_text())
    assert result["reached"]
    assert result["status"] == "grown"
    assert result["from_predicted_mm"] < 1.0
    assert (tmp_path / "sim" / "plan.png").exists()
    assert "wrote sim/: simulation.json, trajectory.npz, growth.csv, centreline.csv, plan.png" in done.stdout
    tip = (tmp_path / "sim" / "growth.csv").read_text().splitlines()[-1].split(",")
    assert [float(part) for part in tip[:3]] == [result["length_mm"], *result["tip_mm"]]
    assert (tmp_path / "sim" / "centreline.csv").read_text().splitlines()[-1].split(",")[:3] == tip[:3]
    assert (tmp_path / "grow.gif").read_bytes()[:3] == b"GIF"


def test_simulate_with_inertia(vinewright: Vinewright, planned: tuple[Path, str], tmp_path: Path) -> None:
    """The impulse propagator grows the design to nearly the same place, with thin actuators; how its steps are solved is no free choice."""
    (tmp_path / "thin.toml").write_text("schema = 1\nthickness_share = 0\n")
    ends = []
    for name in ("quasistatic", "impulse"):
        chosen = ["simulate", "divider", planned[0], "--tube", "thin.toml", "--propagator", name]
        done = vinewright(*chosen, "--out", name)
        assert done.returncode in (0, 3), done.stdout + done.stderr  # designs end just inside the goal's edge
        result = json.loads((tmp_path / name / "simulation.json").read_text())
        assert result["status"] == "grown"
        ends.append(result["tip_mm"][:2])
    assert 0 < math.dist(*ends) < 20
    refused = vinewright(*chosen, "--qp", "guess")
    assert refused.returncode == 2
    assert "'guess'; known: banded, osqp" in refused.stderr
    other = vinewright("simulate", "divider", planned[0], "--qp", "osqp")
    assert other.returncode == 2
    assert "--qp osqp is for --propagator impulse" in other.stderr


def test_plan_with_pouches(vinewright: Vinewright, tmp_path: Path) -> None:
    """Asked for pouches, the plan, its table and its inputs speak of pouches, and `simulate` grows them to the goal again."""
    done = vinewright("plan", "maze", "--actuator", "pouch", "--fast", "--first", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "pouch mm" in done.stdout
    assert json.loads((tmp_path / "run" / "run.json").read_text())["inputs"]["actuator"] == "pouch"
    design = json.loads((tmp_path / "run" / "design.json").read_text())
    assert design["actuator"]["type"] == "pouch"
    assert design["actuator"]["width_mm"] == 60.0
    actuated = [section for section in design["sections"] if section["side"] != "none"]
    assert actuated
    assert all(20 <= section["l0_mm"] <= 60 for section in actuated)
    again = vinewright("simulate", "maze", "run")
    assert again.returncode == 0, again.stderr
    assert "reaches the goal" in again.stdout
    assert "pouch mm" in again.stdout


def test_simulate_elsewhere_says_so(vinewright: Vinewright, planned: tuple[Path, str]) -> None:
    """In an environment it was not made for a design is grown with a note, and exit code 3 if it misses."""
    folder, _ = planned
    done = vinewright("simulate", "maze", folder / "design.json")
    assert done.returncode == 3
    assert "made for another environment (divider)" in done.stdout
    assert "misses the goal" in done.stdout


WALLED_IN = """
schema = 1
unit = "mm"
bounds = { min = [0, 0], max = [1000, 1000] }
start = { position = [200, 200], heading_deg = 0 }
goal = { position = [800, 800], radius = 50 }
obstacles = { walls = [[700, 700, 900, 700, 0], [900, 700, 900, 900, 0], [900, 900, 700, 900, 0], [700, 900, 700, 700, 0]] }
"""


@pytest.mark.slow
def test_no_solution_is_exit_code_3(vinewright: Vinewright, tmp_path: Path) -> None:
    """A goal that is not reached in time ends with what to try and how to go on, and with nothing but the checkpoint."""
    done = vinewright("plan", "building", "--iterations", 1, "--batch", 20)
    assert done.returncode == 3
    assert re.search(r"no solution: iterations done after .* s, 1 iteration; ", done.stdout)
    assert "--time-budget" in done.stdout
    assert os.listdir(tmp_path / "runs" / "building") == ["checkpoint.npz"]
    go_on = "plan", "--resume", "runs/building", "--iterations", 2
    assert f"resume with: vinewright {' '.join(map(str, go_on))}\n" in done.stdout
    done = vinewright(*go_on)
    assert done.returncode == 3
    assert "resumed after iteration 1, " in done.stdout
    assert "2 iterations" in done.stdout


def test_a_walled_in_goal_is_reported_at_once(vinewright: Vinewright, tmp_path: Path) -> None:
    """No search is begun where none can succeed: exit code 3, with what to do."""
    (tmp_path / "walled.toml").write_text(WALLED_IN)
    done = vinewright("plan", "walled.toml")
    assert done.returncode == 3
    assert "walled: the goal is walled in: no path as wide as the tube leads from the start to it" in done.stdout
    assert "and no narrower one either; open a passage wider than 66.7 mm" in done.stdout
    assert "planning" not in done.stdout
    assert os.listdir(tmp_path) == ["walled.toml"]


@pytest.mark.parametrize("heuristic", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_run_says_what_guided_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], heuristic: bool
) -> None:
    """The reverse tree's size and time are kept with the run, or that there was none; OMPL says nothing of its own."""
    option = "--heuristic" if heuristic else "--no-heuristic"
    assert vinewright_in(tmp_path, monkeypatch, "plan", "divider", option, "--fast", "--first", "--out", "run") == 0
    printed, errors = capfd.readouterr()
    assert errors == ""
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["inputs"]["heuristic"] == heuristic
    if not heuristic:
        assert run["reverse_tree"] is None
        return
    assert run["reverse_tree"]["vertices"] > 12
    assert f"guided by a reverse tree of {run['reverse_tree']['vertices']} vertices" in printed
    assert 0 < run["reverse_tree"]["seconds"] < run["time_to_first_s"]
    assert "ompl" in run["versions"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_cuda_that_is_not_there_is_reported(vinewright: Vinewright) -> None:
    """Without a CUDA device `--device cuda` says so and exits with 2."""
    done = vinewright("plan", "maze", "--propagator", "penalty", "--device", "cuda")
    assert done.returncode == 2
    assert done.stderr == "error: device cuda: PyTorch finds no CUDA device here; use --device cpu or auto\n"


@pytest.mark.parametrize("options", [
    [],
    pytest.param(["--solver", "gradient"], marks=pytest.mark.slow),
    pytest.param(["--surrogate", "network"], marks=pytest.mark.slow),
])  # fmt: skip
def test_simulate_with_penalties(
    vinewright: Vinewright, small_environment: Callable[[str], str], tmp_path: Path, options: list[str]
) -> None:
    """The penalty propagator grows a design of the exact one to the same place, by both solvers and surrogates.

    Designs end just inside the goal's edge, nearer than gradient steps are exact: this one is a segment longer.
    """
    text = small_environment("[[150, 0, 180, 190]]").replace("[500, 230]", "[300, 400]")
    (tmp_path / "small.toml").write_text(text)
    chosen = ["--iterations", 12, "--batch", 20, "--seed", 5, "--physics", "published"]
    done = vinewright("plan", "small.toml", "--fast", *chosen, "--out", "run")
    assert done.returncode == 0, done.stderr
    design = json.loads((tmp_path / "run" / "design.json").read_text())
    assert design["sections"][0]["pressure_kpa"] > 0
    for part, key in ((design["tube"], "length_mm"), (design["sections"][-1], "end_mm")):
        part[key] += 25.0
    (tmp_path / "longer.json").write_text(json.dumps(design))
    found = []
    for name, chosen in (("exact", []), ("penalty", ["--propagator", "penalty", *options])):
        done = vinewright("simulate", "small.toml", "longer.json", "--out", name, *chosen)
        assert done.returncode == 0, done.stdout + done.stderr
        found.append(json.loads((tmp_path / name / "simulation.json").read_text()))
    assert np.hypot(*np.subtract(*(simulation["tip_mm"] for simulation in found))) < 20
    assert min(simulation["greatest_contact_force_n"] for simulation in found) > 0


@pytest.mark.parametrize(
    ("device", "name"),
    [
        pytest.param("cpu", "cpu, ", marks=pytest.mark.slow),
        pytest.param("cuda", "NVIDIA", marks=pytest.mark.gpu),
    ],
)
def test_plan_with_penalties(vinewright: Vinewright, tmp_path: Path, device: str, name: str) -> None:
    """The search runs on the penalty propagator, the run says with which choices, and the design holds under the exact one."""
    options = ["--propagator", "penalty", "--device", device, "--first", "--batch", 20, "--time-budget", 300]
    done = vinewright("plan", "divider", "--fast", *options, "--out", "run")
    assert done.returncode == 0, done.stderr
    content = json.loads((tmp_path / "run" / "run.json").read_text())
    assert content["inputs"].items() >= {"propagator": "penalty", "solver": "newton", "surrogate": "table"}.items()
    assert "torch" in content["versions"]
    assert content["device"].startswith(name)
    assert vinewright("simulate", "divider", "run").returncode == 0


def start_plan(tmp_path: Path) -> subprocess.Popen[str]:
    """A plan of a minute, past its first progress line with a solution."""
    process = subprocess.Popen(
        [*COMMAND, "plan", "divider", "--fast", "--time-budget", "60", "--out", "run"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout
    for line in process.stdout:
        if "actuator" in line:
            return process
    raise AssertionError("no solution was found")


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupt_keeps_what_was_found(tmp_path: Path, number: int) -> None:
    """Ctrl-C and SIGTERM end the search early: the best design so far is saved whole, exit code 0."""
    process = start_plan(tmp_path)
    process.send_signal(number)
    printed, errors = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, errors
    assert "wrote run" in printed
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["inputs"]["stopped"] == "interrupted"
    assert (tmp_path / "run" / "design.json").exists()
    assert printed.endswith("resume with: vinewright plan --resume run\n")


@pytest.mark.slow
def test_a_killed_run_leaves_no_folder(tmp_path: Path) -> None:
    """Killed outright in the middle of the search, nothing half-written stands in the place of the run."""
    process = start_plan(tmp_path)
    process.kill()
    process.communicate(timeout=LONGEST)
    assert not (tmp_path / "run").exists()


def test_environments_can_be_made_and_planned(vinewright: Vinewright, tmp_path: Path) -> None:
    """`environments new` writes a file that `show` and `plan` accept; the same seed writes the same file."""
    for name in ("a.toml", "b.toml"):
        assert vinewright("environments", "new", name, "--seed", 4, "--density", 0.1).returncode == 0
    one, other = (re.sub("name = .*", "", (tmp_path / name).read_text()) for name in ("a.toml", "b.toml"))
    assert one == other
    shown = vinewright("environments", "show", "a.toml", "--picture", "a.png")
    assert "goal" in shown.stdout
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert vinewright("plan", "a.toml", "--iterations", 1, "--batch", 10).returncode in (0, 3)
    listed = vinewright("environments", "list").stdout
    for name in ("plus", "maze", "pickone", "needle", "long", "tube", "divider", "building", "spiral"):
        assert name in listed


def test_doctor_names_versions_devices_threads_and_cache(vinewright: Vinewright) -> None:
    """The doctor reports what this installation runs on."""
    done = vinewright("doctor")
    assert done.returncode == 0
    for word in (
        "vinewright",
        "numpy",
        "numba",
        "devices",
        "cpu",
        "threads",
        "exact contact on",
        "kernel cache",
        "quasistatic",
    ):
        assert word in done.stdout


@pytest.mark.slow
def test_bench_prints_rates_and_writes_tables(vinewright: Vinewright, tmp_path: Path) -> None:
    """`bench rollouts` prints vine-steps per second, `bench plan` writes a table and its data."""
    done = vinewright("bench", "rollouts", "divider", "--batch", 8, "--length", 0.5)
    assert re.search(r"[\d,]+ vine-steps/s", done.stdout)
    done = vinewright("bench", "plan", "--env", "divider", "--seeds", 2, "--time-budget", 1)
    assert done.returncode == 0, done.stderr
    assert "wrote runs/planning/: README.md, data.json, plan-divider.png" in done.stdout
    content = json.loads((tmp_path / "runs" / "planning" / "data.json").read_text())
    assert len(content["runs"]) == 2
    assert "| divider | " in (tmp_path / "runs" / "planning" / "README.md").read_text()
