"""`vinewright fit` and the study of it."""

import contextlib
import io
import json
import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from dynamics.impulse.propagator import Impulse
from dynamics.recording import Recording, load_recording, write_recording
from dynamics.tube import VineParams
from dynamics.tube_file import load_tube, similar
from environments import Environment, write_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.recordings import identification
from planner.recordings.fit_plots import save_fits
from planner.recordings.fit_report import fit_content, rows, sentences
from planner.recordings.fitted_tube import fitted_tube_text
from planner.recordings.identification import RecordingFit, fit
from studies.fitting.report import report
from studies.fitting.study import STARTS, SyntheticFit, record_small_oscillation
from tests.command_line import vinewright, vinewright_in
from vinewright.commands.fit import fit_with_progress
from vinewright.console.terminal import make_console

pytestmark = pytest.mark.usefixtures("small_pictures")

RECORDING = Path(__file__).parents[2] / "data" / "oscillation.json"


@pytest.fixture(scope="module")
def quick() -> RecordingFit:
    """A fit of the first frames, without profiles."""
    return fit(first_frames(20), 4, start=(0.1, 1e-3), profiles=False, refine=1)


def first_frames(count: int) -> Recording:
    read = load_recording(RECORDING)
    return replace(read, times=read.times[:count], centerlines=read.centerlines[:count])


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder where the command fitted the whole recording, and what it printed."""
    folder, printed = tmp_path_factory.mktemp("fitted"), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        assert vinewright_in(folder, patch, "fit", RECORDING, "--bodies", 4) == 0
    return folder / "runs" / "fit-oscillation", printed.getvalue()


def test_the_recording_beside_the_tests_is_that_of_the_study(tmp_path: Path) -> None:
    """The committed function makes it again; numbers agree to what is kept of them."""
    write_recording(record_small_oscillation(), tmp_path / "oscillation.json")
    made, kept = load_recording(tmp_path / "oscillation.json"), load_recording(RECORDING)
    assert (made.name, made.tube_radius, made.mass_per_length) == (kept.name, kept.tube_radius, kept.mass_per_length)
    np.testing.assert_array_equal(made.times, kept.times)
    # A coordinate next to the half of a tenth of a millimetre may be rounded otherwise by another SciPy.
    np.testing.assert_allclose(np.array(made.centerlines), np.array(kept.centerlines), atol=1.01e-4)


def test_fit_finds_the_truth_and_writes_its_folder(fitted: tuple[Path, str]) -> None:
    """K = 0.3 N m/rad and C = 3e-3 N m s/rad within their intervals, in a table, a file, a picture, and plain words."""
    folder, printed = fitted
    assert sorted(os.listdir(folder)) == ["fit.json", "fit.png", "tube.toml"]
    assert (folder / "fit.png").read_bytes()[:4] == b"\x89PNG"
    found = json.loads((folder / "fit.json").read_text())
    assert (found["schema"], found["converged"], found["bodies"]) == (1, True, 4)
    assert {name: found["versions"][name] for name in ("casadi", "numpy")} == {
        name: version(name) for name in ("casadi", "numpy")
    }
    parameters = {one["name"]: one for one in found["parameters"]}
    known = {"stiffness": 0.3, "damping": 3e-3, "EI of the chain": 0.15, "bending stiffness EI": 0.15 / 2.25}
    for name, truth in (known | {"damping time": 0.01}).items():
        low, high = parameters[name]["interval_95"]
        assert low < truth < high
        assert high - low < 0.1 * truth
        assert parameters[name]["identified"]
    low, high = parameters["growth rate"]["interval_95"]
    assert low < 0 < high
    assert not parameters["growth rate"]["identified"]
    assert re.search(r"growth rate \[m/s\] .*│ no +│", printed)
    joints = np.array(found["trajectory"]["joints_m"])
    assert joints.shape == (len(found["trajectory"]["times_s"]), 3, 2)
    assert found["tip_mean_absolute_error_m"][1] < 2e-3
    assert re.search(r"stiffness \[N m/rad\] +│ +0\.(30|299)", printed)
    assert "These data identify the stiffness: 0." in printed
    tube, chain = (f"{parameters[name]['value']:.4g} N m2" for name in ("bending stiffness EI", "EI of the chain"))
    note = f"note: EI {tube} is that of the tube: the chain of 2 links has {chain}, (1 + 1/2)^2 = 2.25 times as much, since"
    assert note in " ".join(printed.split())
    assert "warning:" not in printed
    assert printed.endswith("wrote runs/fit-oscillation/\n")


def test_what_is_fitted_reaches_simulate(
    fitted: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fit's tube file is one that `simulate` grows: stiffness, damping, growth rate and mass are those of the fit."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(fitted[0], "fitted")
    found = {one["name"]: one for one in json.loads(Path("fitted/fit.json").read_text())["parameters"]}
    stiffness, damping = found["bending stiffness EI"], found["damping time"]
    assert stiffness["identified"]
    assert damping["identified"]
    params = load_tube("fitted/tube.toml")
    assert params.radius == load_recording(RECORDING).tube_radius
    assert params.bending_stiffness == stiffness["value"]
    room = Environment("room", "", [0, 0, 1, 1], [0.1, 0.5, 0.0], [0.5, 0.5, 0.05])
    model = Impulse(room, params)
    joint = model.joint
    assert joint.elasticity.stiffness * joint.segment_length == pytest.approx(stiffness["value"], rel=1e-6)
    assert model.tube.damping == pytest.approx(damping["value"] * joint.elasticity.stiffness)
    assert model.tube.mass_per_length == load_recording(RECORDING).mass_per_length
    text = Path("fitted/tube.toml").read_text()
    assert f"; EI of the chain of 2 links: {2.25 * stiffness['value']:.4g} N m2" in text
    if not found["growth rate"]["identified"]:
        assert re.search(r"^# growth_rate_mm_per_s = .*not identified", text, re.MULTILINE)
    write_environment(room, tmp_path / "room.toml")
    bare = Section(0.0, 0.4, "none", 0.0, 0.0, 0.0)
    usual = VineParams(radius=params.radius)
    design = Design("room", room.sha256, usual, (bare,), np.array([0.5, 0.5, 0.0]), np.zeros((2, 2)))
    (tmp_path / "design.json").write_text(json.dumps(design_content(design)))
    capsys.readouterr()
    chosen = "--tube", "fitted/tube.toml", "--propagator", "impulse"
    assert vinewright(monkeypatch, "simulate", "room.toml", "design.json", *chosen) == 0
    printed = capsys.readouterr().out
    assert "note: --tube fitted/tube.toml is not the tube this design was made for" in printed
    assert "reaches the goal" in printed


def test_what_is_not_identified_stays_a_comment(tmp_path: Path, quick: RecordingFit) -> None:
    """Parameters that the recording does not identify are the prototype's in proportion, and the file says why."""
    vague = replace(quick, parameters=tuple(replace(one, interval=(None, None)) for one in quick.parameters))
    (tmp_path / "tube.toml").write_text(fitted_tube_text(vague))
    params, usual = load_tube(tmp_path / "tube.toml"), similar(quick.recording.tube_radius)
    mass = replace(usual.inertia, mass_per_length=quick.mass_per_length)
    assert params == replace(usual, inertia=mass)
    text = (tmp_path / "tube.toml").read_text()
    for key in ("bending_stiffness_n_m2", "damping_time_s", "growth_rate_mm_per_s"):
        assert re.search(rf"^# {key} = .*not identified by the recording", text, re.MULTILINE)


def test_a_fit_that_does_not_converge_is_kept_with_exit_code_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The best iterate is written, and said to be no result."""
    monkeypatch.setattr("planner.recordings.identification.problem.MOST_ITERATIONS", 1)
    write_recording(first_frames(12), tmp_path / "short.json")
    assert vinewright(monkeypatch, "fit", tmp_path / "short.json", "--bodies", 4, "--out", tmp_path / "fit") == 3
    assert "The fit did not converge; this is its best iterate (" in capsys.readouterr().out
    found = json.loads((tmp_path / "fit" / "fit.json").read_text())
    assert (found["converged"], found["profiles"]) == (False, [])


def test_progress_is_printed_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines with the elapsed time, the iteration and the best error in millimetres, ascending in time."""
    found = fit_with_progress(make_console(), first_frames(12), bodies=2, plain_every=0.05)
    printed = capsys.readouterr().out
    lines = re.findall(
        r"^oscillation: (\d+) s  iteration (\d+)  best: (no fit yet|\d+\.\d\d mm RMS)  \w", printed, re.MULTILINE
    )
    assert len(lines) > 2
    assert sorted(int(iteration) for _, iteration, _ in lines) == [int(iteration) for _, iteration, _ in lines]
    assert lines[-1][2] == f"{1e3 * found.rms:.2f} mm RMS"


def test_ctrl_c_writes_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the best fit so far, saying that it was interrupted; what did not converge has exit code 3."""
    timer = threading.Timer(0.2, partial(os.kill, os.getpid(), signal.SIGINT))
    monkeypatch.setattr(
        "planner.recordings.identification._guess_from_data", started(timer, identification._guess_from_data)
    )
    assert vinewright(monkeypatch, "fit", RECORDING, "--bodies", 30, "--out", tmp_path / "fit") == 3
    assert "Ctrl-C interrupted the fit; this is its best iterate (" in capsys.readouterr().out
    found = json.loads((tmp_path / "fit" / "fit.json").read_text())
    assert (found["interrupted"], found["converged"]) == (True, False)
    assert found["kept"]
    assert (tmp_path / "fit" / "fit.png").is_file()


def started(timer: threading.Timer, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that starts a timer when it is called."""

    def calling(*arguments: Any) -> Any:
        timer.start()
        return call(*arguments)

    return calling


def test_a_missing_mass_is_said_before_the_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first line, with the mass that is assumed and the option to give; with the option there is no such line."""
    write_recording(replace(first_frames(12), mass_per_length=None), tmp_path / "short.json")
    line = "has no mass per length: 0.0139 kg/m is assumed"
    for mass in ((), ("--mass-per-length", "0.013")):
        budget = "--bodies", 2, "--time-budget", "0.1", "--out", tmp_path / f"fit{len(mass)}"
        assert vinewright(monkeypatch, "fit", tmp_path / "short.json", *budget, *mass) == 3
        first, *rest = capsys.readouterr().out.split("\n")
        if mass:
            assert line not in " ".join((first, *rest))
        else:
            assert first.startswith("warning:")
            assert line in first
            assert "give --mass-per-length in kg/m" in first
        assert "note: EI" not in " ".join(rest)  # nothing is identified


def test_a_time_budget_must_be_positive(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The line names the option and its value."""
    assert vinewright(monkeypatch, "fit", RECORDING, "--time-budget", "0") == 2
    assert capsys.readouterr().err == "error: --time-budget 0 must be greater than 0 and finite, in seconds\n"


def test_a_parameter_at_its_bound_is_not_identified(quick: RecordingFit) -> None:
    """The table, the sentences, the file and the tube say so, however narrow its interval."""
    words = "The growth rate ended at its lower bound, 0 m/s: a tube that everts does not retract."
    growth = replace(quick.parameter("growth rate"), value=0.04, interval=(0.039, 0.041))
    ended = replace(growth, bound=words)
    found = replace(quick, parameters=tuple(ended if one.name == ended.name else one for one in quick.parameters))
    assert rows([growth, ended]) == [
        ["growth rate [m/s]", "0.04", "0.039 ... 0.041", "yes"],
        ["growth rate [m/s]", "0.04", "0.039 ... 0.041", "no, at its bound"],
    ]
    assert sentences(found).count(words) == 1
    content = {one["name"]: one for one in fit_content(found)["parameters"]}
    assert content["growth rate"]["at_bound"] == words
    assert content["first length"]["at_bound"] is None
    assert re.search(
        r"^# growth_rate_mm_per_s = .*fitted: 0.04 m/s, at its bound", fitted_tube_text(found), re.MULTILINE
    )


def wall_file(path: Path, frames: int = 4) -> Path:
    """A file of the published form: straight tubes whose tip slides along the wall, in millimetres."""
    with h5py.File(path, "w") as file:
        for side, tip in (("x", 90.0), ("y", 323.0)):
            for number in range(1, frames + 1):
                file[f"{side}_vid/{side}_vid_{number}"] = np.linspace(0, tip + number * (side == "x"), 7)
    return path


def test_an_hdf5_file_is_kept_as_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A converted recording can be read again, in metres, also where the fit does not converge."""
    # Too few to converge: how well it fits does not matter here.
    monkeypatch.setattr("planner.recordings.identification.problem.MOST_ITERATIONS", 1)
    wall = wall_file(tmp_path / "wall.h5")
    assert vinewright(monkeypatch, "fit", wall, "--bodies", 2, "--out", tmp_path / "fit") == 3
    assert sorted(os.listdir(tmp_path / "fit")) == ["fit.json", "fit.png", "recording.json", "tube.toml"]
    read = load_recording(tmp_path / "fit" / "recording.json")
    np.testing.assert_allclose(read.centerlines[2][-1], [0.093, 0.323])
    assert len(read.contacts) == 4


def test_an_hdf5_file_is_held_to_what_any_recording_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before it is fitted, so that no fit is lost for a recording that cannot be written."""
    wall = wall_file(tmp_path / "wall.h5", frames=2)
    assert vinewright(monkeypatch, "fit", wall, "--out", tmp_path / "fit") == 2
    assert capsys.readouterr().err == f"error: {tmp_path / 'wall.h5'}: frames must be at least 3, not 2\n"


@pytest.mark.parametrize(
    ("option", "value", "limits"),
    [
        ("--mass-per-length", "1e-300", "from 0.0005 to 1 kg/m"),
        ("--mass-per-length", "1e5", "from 0.0005 to 1 kg/m"),
        ("--mass-per-length", "18", "from 0.0005 to 1 kg/m; 18 g/m are 0.018 kg/m"),
        ("--frames-per-second", "1e-320", "from 0.0001 to 1e+06"),
        ("--frames-per-second", "1e9", "from 0.0001 to 1e+06"),
    ],
)
def test_numbers_beyond_their_limits_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, value: str, limits: str
) -> None:
    """The line names the option, its value, and both limits."""
    assert vinewright(monkeypatch, "fit", RECORDING, option, value) == 2
    assert capsys.readouterr().err == f"error: {option} {float(value):g} must be greater than 0: {limits}\n"


def test_missing_casadi_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says how to install it; nothing is written."""
    for name in [name for name in sys.modules if name.startswith("planner.recordings.identification")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "casadi", None)
    assert vinewright(monkeypatch, "fit", RECORDING, "--out", tmp_path / "fit") == 2
    assert capsys.readouterr().err == (
        "error: this needs CasADi and h5py: pip install -c constraints.txt -e '.[fit]'\n"
    )
    assert os.listdir(tmp_path) == []


def test_the_report_says_whether_the_truth_was_met(quick: RecordingFit) -> None:
    """Errors in percent of what is known; without the wall's file it says how to give it; with one, what that shows."""
    good = SyntheticFit(0.1, 1e-3, of_stiffness(quick, 0.3 * 1.009))
    off = SyntheticFit(0.2, 1e-3, of_stiffness(quick, 0.3 * 1.011))
    for one, error, kept in ((good, 0.9, True), (off, 1.1, False)):
        assert one.errors() == pytest.approx((error, 0.0))
        assert one.kept is kept
    failed = replace(good.found, convergence=replace(quick.convergence, converged=False))
    assert not SyntheticFit(0.1, 1e-3, failed).kept
    made = report([good, off], None)
    text, content = made.text, made.content
    assert "Not measured: give the published file with `--wall-growth FILE`." in text
    assert [row[0] for row in start_rows(text)] == ["0.1", "0.2"]
    assert [(row[3], row[-1]) for row in start_rows(text)] == [("+0.900", "yes"), ("+1.100", "NO")]
    assert content["wall_growth"] is None
    assert [one["start_stiffness_n_m_per_rad"] for one in content["oscillation"]] == [0.1, 0.2]
    made = report([good], quick)
    assert "(paper: 1.1 mm)" in made.text
    json.dumps(made.content, allow_nan=False)


def of_stiffness(found: RecordingFit, stiffness: float) -> RecordingFit:
    """Make the fit of a given stiffness, with the damping that is the truth."""
    values = {"stiffness": stiffness, "damping": 3e-3}
    return replace(
        found, parameters=tuple(replace(one, value=values.get(one.name, one.value)) for one in found.parameters)
    )


def start_rows(text: str) -> list[list[str]]:
    """Cells of the report's table of starts, the only one of ten columns, without its head."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row for row in rows if len(row) == 10][1:]


def test_a_picture_has_a_row_for_each_fit(tmp_path: Path, quick: RecordingFit) -> None:
    """Also where there are no profiles to show."""
    save_fits(tmp_path / "one.png", [quick])
    save_fits(tmp_path / "two.png", [quick, quick])
    heights = [int.from_bytes((tmp_path / name).read_bytes()[20:24], "big") for name in ("one.png", "two.png")]
    assert heights[1] == 2 * heights[0]


@pytest.mark.parametrize("when", ["oscillation", "wall"])
def test_an_interrupted_study_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quick: RecordingFit, when: str
) -> None:
    """No start is fitted after the one that Ctrl-C ended; one line says so."""
    begun = []

    def fitted(seen: Recording, *_: object, **__: object) -> RecordingFit:
        begun.append(seen.name)
        return replace(quick, interrupted=seen.name.startswith("wall") or when == "oscillation")

    monkeypatch.setattr("studies.fitting.study.fit", fitted)
    out, wall = tmp_path / "results", wall_file(tmp_path / "wall.h5")
    assert vinewright(monkeypatch, "reproduce", "fitting", "--wall-growth", wall, "--out", out) == 130
    assert capsys.readouterr().err == "error: interrupted before all fits were finished; nothing was written\n"
    assert not out.exists()
    assert len(begun) == (1 if when == "oscillation" else len(STARTS) + 1)


@pytest.mark.parametrize(
    ("stiffness", "status", "code"), [(0.3, "Solve_Succeeded", 0), (0.3, "Failed", 3), (0.6, "Solve_Succeeded", 3)]
)
def test_the_studys_exit_code_says_whether_all_is_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: RecordingFit, stiffness: float, status: str, code: int
) -> None:
    """0 only if every start meets the truth and the wall's fit converged."""
    converged = replace(quick.convergence, converged=status == "Solve_Succeeded", status=status)

    def fitted(seen: Recording, *_: object, **__: object) -> RecordingFit:
        wall = seen.name.startswith("wall")
        return replace(quick, convergence=converged) if wall else of_stiffness(quick, stiffness)

    monkeypatch.setattr("studies.fitting.study.fit", fitted)
    monkeypatch.setattr("planner.recordings.fit_plots.save_fits", lambda *_: None)
    wall = wall_file(tmp_path / "wall.h5")
    assert vinewright(monkeypatch, "reproduce", "fitting", "--wall-growth", wall, "--out", tmp_path) == code


@pytest.mark.slow
def test_reproduce_fitting_writes_its_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All three starts meet the truth: exit code 0, a table, its data and a picture."""
    assert vinewright(monkeypatch, "reproduce", "fitting", "--out", tmp_path) == 0
    assert sorted(os.listdir(tmp_path / "fitting")) == ["README.md", "data.json", "fitting.png"]
    rows = start_rows((tmp_path / "fitting" / "README.md").read_text())
    assert [(row[0], row[-1]) for row in rows] == [("0.03", "yes"), ("0.3", "yes"), ("1", "yes")]
