"""`vinewright trials learn`: errors of a built design from its trials, end to end, in a small environment."""

import json
import re
import signal
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dynamics.recording import Recording, write_recording
from dynamics.tube import VineParams
from environments import Environment, load_environment
from environments.environment_file import write_environment
from environments.uncertainty import WORKSHOP
from environments.uncertainty_in_files import UNSTATED
from planner.built.predicting import BuiltTube
from planner.built.trial import Growth, Trials, design_digest
from planner.built.trials_file import load_trials, save_trials
from planner.design.design import Design, Section
from planner.design.design_file import design_content, load_design
from planner.output.folder import write_json
from planner.uncertainty.errors import errors_of, read_errors
from planner.uncertainty.survey import ALL
from vinewright.built.folder import BuiltDesign
from vinewright.studio.foreign import describe_foreign

Vinewright = Callable[..., tuple[int, str, str]]
FEW = "--samples", 48
SOME = "--samples", 128
ROOT = Path(__file__).parents[3]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Design:
    """A tube of 400 mm with one actuator in the folder `run`, with a goal of 50 mm where its tip ends as planned."""
    monkeypatch.setattr("planner.drawing.learnt.DPI", 40)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    params = VineParams()
    sections = (Section(0.0, 0.1, "none", 0, 0, 0), Section(0.1, 0.4, "left", 0.3, 0.03, 15e3))
    bounds, start = np.array([0.0, 0.0, 0.9, 0.6]), np.array([0.06, 0.2, 0.0])
    place = Environment("small", "", bounds, start, np.array([0.4, 0.3, 0.05]))
    design = Design("small", place.sha256, params, sections, np.zeros(3), np.zeros((1, 2)))
    grown = BuiltTube(design, place, WORKSHOP).grow(np.zeros((1, 12)))
    x, y = (round(float(one), 3) for one in grown.tip[0])
    write_environment(replace(place, goal=np.array([x, y, 0.05])), tmp_path / "run" / "environment.toml")
    environment = load_environment(tmp_path / "run" / "environment.toml", params.radius)
    tip, line = np.array([x, y, 0.0]), grown.path[0][~np.isnan(grown.path[0, :, 0])][:, :2]
    write_json(
        tmp_path / "run" / "design.json",
        design_content(replace(design, sha256=environment.sha256, tip=tip, centerline=line)),
    )
    return load_design(tmp_path / "run")


def tip_of(design: Design, down: float = 0.0) -> str:
    """Return the planned tip as an option, lower by a length [mm]: as of a tube that bends too little."""
    return f"{1e3 * design.tip[0]:.1f},{1e3 * design.tip[1] - down:.1f}"


def test_one_growth(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """One trial is enough; what is printed, the file and the picture are those of the posterior, and no success is certain."""
    assert vinewright("trials", "add", "run", "--reached", "--tip", tip_of(built))[0] == 0
    code, printed, errors = vinewright("trials", "learn", "run", *FEW)
    assert (code, errors) == (0, "")
    assert re.search(
        r"success promised before: \d+ % \(90 % interval \d+ to 100 %\); now: \d+ % \(90 % interval \d+ to 100 %\)",
        printed,
    )
    assert "measured: 1 of 1 growth reached the goal" in printed
    assert "as stated" in printed
    assert "48 samples, " in printed
    assert "wrote run/uncertainty.toml\nwrote run/learnt.png\n" in printed
    assert Image.open(tmp_path / "run" / "learnt.png").width > 100
    stated = read_errors("run/uncertainty.toml")
    assert stated.preset == "workshop"


def test_a_wrong_bend_is_learnt(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """An actuator that bends too little in free space: the bend is told, with its pressure and cells as other explanations."""
    environment = load_environment(tmp_path / "run" / "environment.toml", built.params.radius)
    code, printed, _ = vinewright("trials", "add", "run", "--bend", "1:15:0")
    model = float(re.search(r"model ([\d.]+) deg", printed)[1])  # type: ignore[index]
    assert vinewright("trials", "remove", "run", 1)[0] == 0
    assert vinewright("trials", "add", "run", "--bend", f"1:15:{0.88 * model:.2f}")[0] == 0
    code, printed, errors = vinewright("trials", "learn", "run", "--samples", 256, "--seed", 3)
    assert (code, errors) == (0, "")
    assert re.search(r"section 1: bend +│ 0.0 ± 5.0 % +│ -\d+\.\d ± \d\.\d %", printed)
    assert "measured: " not in printed
    learnt = errors_of(environment, built.params, read_errors("run/uncertainty.toml")).learnt
    assert learnt is not None
    at = learnt.errors.index("section 1: bend [%]")
    assert -12 < learnt.mean[at] < -4
    assert learnt.deviation[at] < 5
    # The studio says what the file is for.
    told = describe_foreign((tmp_path / "run" / "uncertainty.toml").read_text())
    assert told == "has errors of building, and no environment: give it to vinewright plan with --uncertainty"


def test_what_was_learnt_is_taken_by_robustness(
    vinewright: Vinewright, built: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tube that ends 70 mm beside its goal twice: with what was learnt, trials miss the goal as well."""
    monkeypatch.setattr("vinewright.commands.robustness.DRAWN", 2)
    field = "--uncertainty", "field"
    for _ in range(2):
        assert vinewright("trials", "add", "run", "--missed", "--tip", tip_of(built, 70))[0] == 0
    code, printed, errors = vinewright("trials", "learn", "run", *field, "--out", "errors.toml")
    assert (code, errors) == (0, "")
    assert "measured: 0 of 2 growths reached the goal" in printed
    assert "wrote errors.toml\nwrote errors.png\n" in printed
    stated = tomllib.loads(Path("errors.toml").read_text())["uncertainty"]
    assert stated["preset"] == "field"
    assert "section 1: bend [%]" in stated["learnt"]["errors"]
    rates = []
    for given in ("field", "errors.toml"):
        options = "--trials", 60, "--no-sources", "--uncertainty", given, "--json", "--out", f"tried-{given}"
        code, printed, errors = vinewright("robustness", "run/environment.toml", "run", *options)
        assert code == 0, errors
        rates.append(json.loads(printed)["success"][ALL]["rate"])
        assert "learnt, but as stated" not in printed
    assert rates[1] < rates[0] - 0.2
    write = Path("errors.toml").write_text
    write(re.sub('tube = ".*"', f'tube = "{16 * "0"}"', Path("errors.toml").read_text()))
    code, printed, errors = vinewright(
        "robustness", "run/environment.toml", "run", *options[:-1], "other", "--uncertainty", "errors.toml"
    )
    assert code == 0, errors
    assert "note: learnt, but as stated here: section 1: " in errors


def test_a_plan_takes_what_was_learnt(vinewright: Vinewright, built: Design) -> None:
    """A new plan is made under these errors, and its folder keeps them."""
    assert vinewright("trials", "add", "run", "--missed", "--tip", tip_of(built, 70))[0] == 0
    assert vinewright("trials", "learn", "run")[0] == 0
    options = "--iterations", 8, "--uncertainty", "run/uncertainty.toml", "--out", "new"
    code, printed, errors = vinewright("plan", "run/environment.toml", *options)
    assert code in (0, 3), errors
    assert errors == ""
    assert "holds for the tube of which it was learnt alone" in printed
    learnt = tomllib.loads(Path("run/uncertainty.toml").read_text())["uncertainty"]["learnt"]
    assert tomllib.loads(Path("new/environment.toml").read_text())["uncertainty"]["learnt"] == learnt


def test_recordings_count(built: Design, tmp_path: Path, vinewright: Vinewright) -> None:
    """The way of a tip by its length, in the environment, whatever the frame of the camera; standing frames count once."""
    line = np.linspace([0.0, 0.0], [0.3, 0.0], 7)
    turn = 0.5
    off = line @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    lines = off[:2], off[:4], off[:4], off[:7], off[:7]
    recording = Recording(
        "bench", built.params.radius, None, np.array([0.0, 0.0, turn]), np.arange(5.0), lines, np.zeros((0, 4)), ()
    )
    write_recording(recording, tmp_path / "bench.json")
    assert vinewright("trials", "add", "run", "--missed", "--recording", "bench.json")[0] == 0
    path = BuiltDesign.read(tmp_path / "run").path_of("recording-bench.json")
    assert path == pytest.approx(
        np.array([[0.11, 0.2, 0.05], [0.21, 0.2, 0.15], [0.36, 0.2, 0.3], [0.36, 0.2, 0.3]]), abs=1e-6
    )
    code, printed, errors = vinewright("trials", "learn", "run", *FEW)
    assert (code, errors) == (0, "")
    assert "section 1: bend" in printed or "model: tip" in printed


def test_contradictory_growths(vinewright: Vinewright, built: Design) -> None:
    """At least one of two growths to opposite sides is named, with what to check, and the intervals stay wide."""
    given = [tip_of(built), "120,560", "450,30"]
    for tip in given:
        assert vinewright("trials", "add", "run", "--tip", tip)[0] == 0
    code, printed, errors = vinewright("trials", "learn", "run", "--samples", 96, "--uncertainty", "lasercut")
    assert (code, errors) == (0, "")
    assert "no model explains growth 2 along with the others: check whether the tube was knocked" in printed
    assert "no model explains growth 3 along with the others" in printed
    assert "warning: no errors of this size explain 2 of 3 growths" in printed
    assert "not to be relied on" in printed


def test_nothing_is_replaced_unasked(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """A second time, only with --force; never a file of something else; the same seed gives the same file."""
    assert vinewright("trials", "add", "run", "--reached")[0] == 0
    assert vinewright("trials", "learn", "run", *FEW)[0] == 0
    file, picture = tmp_path / "run" / "uncertainty.toml", tmp_path / "run" / "learnt.png"
    before, drawn = file.read_bytes(), picture.read_bytes()
    code, _, errors = vinewright("trials", "learn", "run", *FEW)
    assert code == 2
    assert errors == (
        "error: --out run/uncertainty.toml already exists; give another --out, or --force to replace it\n"
    )
    assert vinewright("trials", "add", "run", "--tip", tip_of(built, 60))[0] == 0
    assert vinewright("trials", "learn", "run", *FEW, "--force")[0] == 0
    assert file.read_bytes() != before
    assert picture.read_bytes() != drawn
    assert vinewright("trials", "remove", "run", 2)[0] == 0
    assert vinewright("trials", "learn", "run", *FEW, "--force")[0] == 0
    assert file.read_bytes() == before
    for name in ("trials.toml", "environment.toml"):
        whole = (tmp_path / "run" / name).read_bytes()
        code, _, errors = vinewright("trials", "learn", "run", *FEW, "--force", "--out", f"run/{name}")
        assert (code, errors) == (
            2, f"error: --out run/{name} is no file of errors alone, and is not replaced; give another --out\n"
        )  # fmt: skip
        assert (tmp_path / "run" / name).read_bytes() == whole
    assert "--out it.json must end in .toml" in vinewright("trials", "learn", "run", "--out", "it.json")[2]
    assert not [path.name for path in (tmp_path / "run").iterdir() if path.name.startswith(".")]


def test_bad_input_is_one_line(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """No trials, with the command that adds one; trials of another design; an impossible bend; errors that leave nothing to learn."""

    def refused(words: str, *options: str) -> None:
        code, _, errors = vinewright("trials", "learn", "run", *FEW, *options)
        assert (code, errors.count("\n")) == (2, 1)
        assert words in errors
        assert not (tmp_path / "run" / "uncertainty.toml").exists()

    file = tmp_path / "run" / "trials.toml"
    refused("`vinewright trials add` begins it")
    save_trials(file, Trials(design_digest(built)))
    refused("run has no trials yet; add one: vinewright trials add run --reached --tip X,Y")
    save_trials(file, Trials("0123456789abcdef", growths=(Growth(True, None, None, None, None, ""),)))
    refused("is another design, or one that was changed")
    file.unlink()
    assert vinewright("trials", "add", "run", "--bend", "1:15:20")[0] == 0
    whole = file.read_text()
    file.write_text(whole.replace("bend_deg = 20", "bend_deg = 900"))
    refused("is more than fully contracted cells bend actuator 1")
    file.write_text(whole)
    refused("nothing can be learnt where all is exact", "--uncertainty", "none")
    refused("uncertainty 'worshop' must be one of", "--uncertainty", "worshop")
    refused("--samples", "--samples", "3")


@pytest.mark.usefixtures("built")
def test_ctrl_c_writes_nothing(vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of the inference: exit code 130, and the folder is as before."""
    assert vinewright("trials", "add", "run", "--missed")[0] == 0
    before = sorted(path.name for path in (tmp_path / "run").iterdir())
    whole, calls = BuiltTube.grow, list[int]()

    def broken(self: BuiltTube, *arguments: object) -> object:
        calls.append(1)
        if len(calls) == 4:
            signal.raise_signal(signal.SIGINT)
        return whole(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(BuiltTube, "grow", broken)
    code, _, errors = vinewright("trials", "learn", "run", *FEW)
    assert (code, errors) == (130, "error: interrupted; nothing was written\n")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == before


@pytest.mark.usefixtures("built")
def test_the_answer_is_described(vinewright: Vinewright) -> None:
    """All keys of --json, and nothing else on stdout."""
    keys = tomllib.loads((ROOT / "docs" / "reference" / "formats" / "keys" / "answers.toml").read_text())
    assert vinewright("trials", "add", "run", "--missed", "--bend", "1:15:20")[0] == 0
    code, printed, _ = vinewright("trials", "learn", "run", *FEW, "--json")
    document = json.loads(printed)
    assert code == 0
    described = {re.split(r"[.\[]", key)[0] for key in keys["every command"] | keys["vinewright trials learn"]}
    assert document.keys() == described - {"…"}
    assert document["wrote"] == ["run/uncertainty.toml", "run/learnt.png"]
    assert document["measured"] == {"growths": 1, "reached": 0}
    low, high = document["success"]["now"]["interval_90"]
    assert 0 <= low <= document["success"]["now"]["mean"] <= high <= 1
    assert document["samples"] == 48 >= document["different_samples"]


def test_what_was_learnt_earlier_counts_once(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """Errors learnt from these trials are no prior of them: the result is that of the stated errors, and a note says so."""
    assert vinewright("trials", "add", "run", "--missed", "--tip", tip_of(built, 60))[0] == 0
    assert vinewright("trials", "learn", "run", *SOME)[0] == 0
    again = "--uncertainty", "run/uncertainty.toml", "--out", "again.toml"
    code, printed, errors = vinewright("trials", "learn", "run", *SOME, *again)
    assert (code, errors) == (0, "")
    assert "note: what was learnt earlier does not count" in printed
    assert Path("again.toml").read_bytes() == (tmp_path / "run" / "uncertainty.toml").read_bytes()
    assert load_trials(tmp_path / "run" / "trials.toml").growths


def test_the_file_has_all_stated_errors(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """Errors are those of the environment, and before them those of the option: with the file alone the errors are the same again."""
    place = tmp_path / "run" / "environment.toml"
    place.write_text(
        place.read_text() + '\n[uncertainty]\npreset = "lasercut"\nstart_position_mm = 7.0\npressure_kpa = 0.4\n'
    )
    (tmp_path / "own.toml").write_text("pressure_kpa = 0.3\nfriction = [0.1, 0.2]\n")
    assert vinewright("trials", "add", "run", "--reached")[0] == 0
    assert vinewright("trials", "learn", "run", *FEW, "--uncertainty", "own.toml")[0] == 0
    environment = load_environment(place, built.params.radius)
    expected = errors_of(environment, built.params, read_errors("own.toml"))
    written = read_errors("run/uncertainty.toml")
    bare = replace(environment, uncertainty=UNSTATED)
    assert replace(errors_of(bare, built.params, written), learnt=None) == expected
    assert expected.start_position == pytest.approx(7e-3)
    assert expected.pressure == pytest.approx(300.0)
