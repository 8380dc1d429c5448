"""`vinewright trials`: what was measured of a built design is kept with it, shown, and never lost."""

import json
import re
import shutil
import signal
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dynamics.recording import Recording, load_recording, write_recording
from environments import load_environment
from planner.built.trial import design_digest, place_centerline
from planner.built.trials_file import load_trials
from planner.design.design import Design, Section
from planner.design.design_file import design_content, load_design
from planner.output.claim import lock
from planner.output.contents import foreign_files
from planner.output.folder import write_json
from vinewright.built.folder import WAIT
from vinewright.commands.trials import add

Vinewright = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[3]
RUN = ROOT / "tests" / "data" / "run-v1"


@pytest.fixture
def built(small_environment: Callable[[str], str], tmp_path: Path) -> Design:
    """A design with one actuator in the folder `run`, of a small environment with a box; in `solutions.json`, a shorter one."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "environment.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    stored = load_design(RUN)
    sections = (Section(0.0, 0.2, "none", 0, 0, 0), Section(0.2, 0.4, "left", 0.3, 0.03, 8e3))
    environment = load_environment(folder / "environment.toml", 0.03)
    line = np.column_stack([np.linspace(0.06, 0.46, 9), np.full(9, 0.2)])
    tip = np.array([0.46, 0.2, 0.0])
    design = Design("small", environment.sha256, stored.params, sections, tip, line)
    longer = Design(
        "small", environment.sha256, stored.params, (*sections, Section(0.4, 0.5, "none", 0, 0, 0)), tip, line
    )
    write_json(folder / "design.json", design_content(design))
    write_json(folder / "solutions.json", {"schema": 1, "solutions": [design_content(one) for one in (design, longer)]})
    shutil.copy(RUN / "run.json", folder)
    return load_design(folder)


def record(path: Path, design: Design, name: str = "bench", turn: float = 0.3) -> Path:
    """A recording of the design's centreline, off at its tip, by a camera that is turned."""
    cos, sin = np.cos(turn), np.sin(turn)
    line = (design.centerline - design.centerline[0]) @ np.array([[cos, sin], [-sin, cos]])
    line[-1] += [0.003, 0.004]
    lines = tuple(line[:count] for count in (3, 5, len(line)))
    base = np.array([0.0, 0.0, turn])
    write_recording(
        Recording(name, design.params.radius, None, base, np.arange(3.0), lines, np.zeros((0, 4)), ()), path
    )
    return path


def test_all_that_is_measured_is_added(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """In any unit; what was there stays, and the file is what the design says it is of."""
    first = "--reached", "--tip", "0.47,-0.01", "--length", "0.4", "--unit", "m", "--note", "first"
    code, printed, errors = vinewright("trials", "add", "run", *first)
    assert (code, errors) == (0, "")
    assert "added growth: reached, tip (470, -10) mm, 210 mm from the prediction, 400 mm grown" in printed
    assert "note: trials.toml: growths[0].reached = true, but its tip ends" in printed
    more = (
        "--missed",
        "--pressures",
        "5",
        "--bend",
        "1:8:5.5",
        "--bend",
        "1:0:-0.5",
        "--point",
        "box 1:250,300:253,299.5",
    )
    code, printed, errors = vinewright("trials", "add", "run", *more)
    assert (code, errors) == (0, "")
    assert "note: trials.toml: growths[0]" not in printed
    assert printed.endswith("wrote run/trials.toml\n")
    trials = load_trials(tmp_path / "run" / "trials.toml")
    assert trials.design == design_digest(built)
    assert [one.reached for one in trials.growths] == [True, False]
    assert trials.growths[0].tip == pytest.approx((0.47, -0.01))
    assert trials.growths[1].pressures == pytest.approx((5e3,))
    assert [(one.section, one.pressure) for one in trials.bends] == [(1, 8e3), (1, 0.0)]
    assert np.degrees([one.bend for one in trials.bends]) == pytest.approx([5.5, -0.5])
    assert trials.points[0].measured == pytest.approx((0.253, 0.2995))


@pytest.mark.usefixtures("built")
def test_a_list_numbers_what_can_be_removed(vinewright: Vinewright, tmp_path: Path) -> None:
    """With the prediction of the model; a number that is not there is refused, and each kind can be removed."""
    given = "--tip", "440,220", "--note", "two\nlines", "--bend", "1:8:5", "--point", "box 1:250,300:253,299"
    assert vinewright("trials", "add", "run", "--reached", *given)[0] == 0
    assert vinewright("trials", "add", "run", "--missed")[0] == 0
    _, printed, _ = vinewright("trials", "list", "run")
    assert (
        "built and tried: 2 growths, 1 of 2 reached the goal, tip 28 mm from the prediction, 1 bend, 1 measured"
        in printed
    )
    assert re.search(r"│ +1 │ growth │ reached, tip \(440, 220\) mm, 28 mm from the +│ two lines │", printed)
    assert re.search(r"│ +3 │ bend   │ actuator 1 at 8 kPa: 5.0 deg, model [\d.]+ deg", printed)
    assert re.search(r"│ +4 │ point  │ box 1: \(250, 300\) mm is off by \(\+3.0, -1.0\)", printed)
    assert (
        vinewright("trials", "remove", "run", "5")[2] == "error: 5 is not there: run/trials.toml has 4 measurements\n"
    )
    for number, words in ((4, "point: box 1"), (2, "growth: missed"), (2, "bend: actuator 1"), (1, "growth: reached")):
        code, printed, _ = vinewright("trials", "remove", "run", number)
        assert code == 0
        assert f"removed {words}" in printed
    assert load_trials(tmp_path / "run" / "trials.toml").empty
    code, printed, errors = vinewright("trials", "list", "run")
    assert (code, printed, errors) == (0, "built and tried: nothing measured yet\n", "")


def test_a_recording_is_copied(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """Under a name of its own; its last tip counts where none is given, in the coordinates of the environment."""
    path = record(tmp_path / "run.json", built)
    code, printed, errors = vinewright("trials", "add", "run", "--reached", "--recording", "run.json")
    assert (code, errors) == (0, "")
    assert "copied run.json to run/recording-run.json" in printed
    assert (tmp_path / "run" / "recording-run.json").read_bytes() == path.read_bytes()
    (growth,) = load_trials(tmp_path / "run" / "trials.toml").growths
    assert growth.recording == "recording-run.json"
    cos, sin = np.cos(0.3), np.sin(0.3)
    off = np.array([[cos, sin], [-sin, cos]]) @ [0.003, 0.004]
    assert growth.tip == pytest.approx(built.centerline[-1] + off, abs=1e-4)
    # The same recording again is not copied twice; another one of this name gets another name.
    assert vinewright("trials", "add", "run", "--recording", "run.json", "--tip", "450,190")[0] == 0
    record(path, built, "other")
    assert vinewright("trials", "add", "run", "--recording", "run.json")[0] == 0
    growths = load_trials(tmp_path / "run" / "trials.toml").growths
    assert [one.recording for one in growths] == ["recording-run.json", "recording-run.json", "recording-run-2.json"]
    assert growths[1].tip == pytest.approx((0.45, 0.19))
    assert json.loads((tmp_path / "run" / "recording-run-2.json").read_text())["name"] == "other"
    _, printed, _ = vinewright("trials", "remove", "run", 3)
    assert "recording-run-2.json stays in run" in printed
    assert (tmp_path / "run" / "recording-run-2.json").exists()


BAD = [
    ((), "nothing to add: give --reached or --missed, --tip, --length, --recording, --bend or --point"),
    (("--note", "x"), "--note and --pressures belong to a growth"),
    (("--reached", "--tip", "1"), "--tip 1 must be finite numbers: X,Y"),
    (("--reached", "--tip", "nan,1"), "--tip nan,1 must be finite numbers: X,Y"),
    (("--reached", "--length", "nan"), "--length nan must be from 0 to"),
    (("--reached", "--length", "-5"), "--length -5 must be from 0 to"),
    (("--recording", "bench.json", "--note", "\x1b[2J"), "growths[0].note = '\\x1b[2J' must be without control characters"),
    (("--reached", "--unit", "inch"), "--unit inch must be mm or cm or m or in or ft"),
    (("--reached", "--pressures", "a"), "--pressures a must be finite numbers"),
    (("--reached", "--pressures", "3,4"), "growths[0].pressures_kpa has 2 pressures; this design has 1 actuator"),
    (("--bend", "1:8"), "--bend 1:8 must be finite numbers: ACTUATOR:KPA:DEG"),
    (("--bend", "1.5:8:3"), "--bend 1.5:8:3 must begin with the number of an actuator"),
    (("--bend", "2:8:3"), "bends[0].section = 2 is not there; actuators of this design: 1"),
    (("--bend", "1:8:-20"), "is to the other side than that of actuator 1"),
    (("--point", "box 1:1,2"), "--point 'box 1:1,2' must be OBSTACLE:X,Y:X,Y"),
    (("--point", "box 2:250,300:250,300"), "'box 2' is not there (did you mean box 1?); those of this environment: box 1"),
    (("--point", "box 1:100,100:100,100"), "points[0].planned_mm is 250 mm from box 1"),
    (("--reached", "--tip", "47,22", "--unit", "m"), "farther than the 400 mm of tube reach"),
    (("--recording", "missing.json"), "missing.json cannot be read"),
    (("--recording", "run/run.json"), "run/run.json: "),
    (("--recording", "thin.json"), "thin.json: tube_radius_m = 0.01 differs from that of the design, 0.03335 m"),
    (("--reached", "--solution", "9"), "--solution 9 must be from 1 to 2"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), BAD, ids=[" ".join(options) or "none" for options, _ in BAD])
def test_what_cannot_be_added_is_one_line(
    vinewright: Vinewright, built: Design, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    """With exit code 2, and nothing is written."""
    thin = json.loads(record(tmp_path / "bench.json", built).read_text())
    write_json(tmp_path / "thin.json", {**thin, "tube_radius_m": 0.01})
    before = {path.name for path in (tmp_path / "run").iterdir()}
    code, printed, errors = vinewright("trials", "add", "run", *options)
    assert (code, errors.count("\n")) == (2, 1)
    assert words in errors
    assert "wrote" not in printed
    assert {path.name for path in (tmp_path / "run").iterdir()} == before


@pytest.mark.parametrize("command", ["add", "list", "remove", "plot"])
def test_only_folders_with_a_design_are_taken(vinewright: Vinewright, tmp_path: Path, command: str) -> None:
    """Missing, files, and folders without trials or design, in one line."""
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    more = {"add": ["--reached"], "remove": [1]}.get(command, [])
    for name, words in (("nowhere", "nowhere does not exist"), ("file", "file is a file"), ("empty", "cannot be read")):
        code, _, errors = vinewright("trials", command, name, *more)
        assert (code, errors.count("\n")) == (2, 1)
        assert words in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file"]


@pytest.mark.usefixtures("built")
def test_trials_of_another_design_are_refused(vinewright: Vinewright, tmp_path: Path) -> None:
    """Where the design of a folder was changed; those of a later solution are recognised."""
    assert vinewright("trials", "add", "run", "--solution", 2, "--length", 490)[0] == 0
    assert vinewright("trials", "add", "run", "--length", 480)[0] == 0  # longer than the tube of design.json
    code, _, errors = vinewright("trials", "add", "run", "--solution", 1, "--length", 400)
    assert code == 2
    assert "is another design, or one that was changed: this one is" in errors
    assert "tip" not in vinewright("trials", "list", "run")[1]
    content = json.loads((tmp_path / "run" / "solutions.json").read_text())
    write_json(tmp_path / "run" / "solutions.json", {**content, "solutions": content["solutions"][:1]})
    for command in (("list", "run"), ("plot", "run"), ("add", "run", "--missed")):
        code, _, errors = vinewright("trials", *command)
        assert code == 2
        assert "is another design" in errors
    code, printed, errors = vinewright("show", "run")
    assert (code, errors) == (0, "")
    assert "built and tried, but its trials cannot be used: trials.toml: design = " in printed
    assert vinewright("trials", "remove", "run", 1)[0] == 0  # what is wrong can be removed


@pytest.mark.usefixtures("built")
def test_two_at_once_lose_nothing(tmp_path: Path) -> None:
    """One waits for the other: all growths are in the file."""
    failures = []

    def work(k: int) -> None:
        try:
            add(tmp_path / "run", length=float(k))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(300 + k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    lengths = sorted(one.length or 0.0 for one in load_trials(tmp_path / "run" / "trials.toml").growths)
    assert lengths == pytest.approx([0.3 + 1e-3 * k for k in range(8)])


@pytest.mark.usefixtures("built")
def test_a_folder_that_is_written_is_left_alone(
    vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while, in one line: a plan may take minutes."""
    assert WAIT > 1
    monkeypatch.setattr("vinewright.built.folder.WAIT", 0.05)
    with lock(tmp_path / "run"):
        code, _, errors = vinewright("trials", "add", "run", "--reached")
    assert code == 2
    assert "run is being written by process" in errors
    assert not (tmp_path / "run" / "trials.toml").exists()


def test_no_command_replaces_measurements(vinewright: Vinewright, made: Path, tmp_path: Path) -> None:
    """Neither a plan nor a resumed one, also with --force; without trials it does."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    assert vinewright("trials", "add", "made", "--missed")[0] == 0
    before = (tmp_path / "made" / "design.json").read_bytes()
    fast = "small.toml", "--fast", "--iterations", 1, "--batch", 5
    for command in (("plan", *fast, "--out", "made", "--force"), ("plan", "--resume", "made", "--iterations", 2)):
        code, _, errors = vinewright(*command)
        assert code == 2
        assert "made contains trials.toml, measurements of a built design, which are never replaced" in errors
    assert (tmp_path / "made" / "design.json").read_bytes() == before
    assert "trials.toml" in foreign_files(tmp_path / "made")  # the studio does not remove such a folder either
    (tmp_path / "made" / "trials.toml").unlink()
    assert vinewright("plan", *fast, "--out", "made", "--force")[0] in (0, 3)


def test_a_pack_can_be_tried(vinewright: Vinewright, tmp_path: Path) -> None:
    """The folder has a design with whole cells; its summary counts the trials."""
    shutil.copytree(ROOT / "tests" / "data" / "pack-v1", tmp_path / "pack")
    assert "built and tried" not in vinewright("show", "pack")[1]
    assert vinewright("trials", "add", "pack", "--reached")[0] == 0
    assert "built and tried: 1 growth, 1 of 1 reached the goal\n" in vinewright("show", "pack")[1]


@pytest.mark.usefixtures("built")
def test_answers_are_described(vinewright: Vinewright, tmp_path: Path) -> None:
    """Each with --json has the whole file and what was written; no other output is on stdout."""
    keys = tomllib.loads((ROOT / "docs" / "reference" / "formats" / "keys" / "answers.toml").read_text())
    given = "--tip", "440,220", "--bend", "1:8:5", "--point", "box 1:250,300:253,299"
    commands = {
        "add": ("run", "--missed", *given),
        "list": ("run",),
        "plot": ("run", "--simulated", 2, "--out", "it.png"),
        "remove": ("run", 1),
    }
    for name, arguments in commands.items():
        code, printed, _ = vinewright("trials", name, *arguments, "--json")
        document = json.loads(printed)
        assert code == 0
        described = {key.split(".")[0] for key in keys["every command"] | keys[f"vinewright trials {name}"]} - {"…"}
        assert document.keys() - {"schema", "design", "errors", "growths", "bends", "points"} <= described
        assert document["bends"][0]["section"] == 1
        assert len(document["growths"]) == (name != "remove")
        assert document["wrote"] == {"list": [], "plot": ["it.png"]}.get(name, ["run/trials.toml"])
    assert (tmp_path / "it.png").exists()


@pytest.mark.usefixtures("small_pictures")
def test_the_picture_has_its_place(vinewright: Vinewright, built: Design, tmp_path: Path) -> None:
    """Beside the run unless it is named; an earlier one is replaced with --force only."""
    record(tmp_path / "bench.json", built)
    assert vinewright("trials", "add", "run", "--reached", "--recording", "bench.json")[0] == 0
    code, printed, errors = vinewright("trials", "plot", "run", "--simulated", 3)
    assert (code, errors) == (0, "")
    assert "3 simulated with workshop errors: " in printed
    assert printed.endswith("wrote run-trials.png\n")
    assert Image.open(tmp_path / "run-trials.png").width > 100
    code, _, errors = vinewright("trials", "plot", "run", "--simulated", 0)
    assert (code, errors) == (
        2,
        "error: --out run-trials.png already exists; give another --out, or --force to replace it\n",
    )
    assert "no simulated trials" in vinewright("trials", "plot", "run", "--simulated", 0, "--force")[1]
    assert "--out it.jpg must end in .png" in vinewright("trials", "plot", "run", "--out", "it.jpg")[2]
    assert (
        "uncertainty 'worshop' must be one of"
        in vinewright("trials", "plot", "run", "--uncertainty", "worshop", "--out", "b.png")[2]
    )
    (tmp_path / "run" / "recording-bench.json").unlink()
    assert (
        "growths[0].recording = 'recording-bench.json' is not in run"
        in vinewright("trials", "plot", "run", "--force")[2]
    )


@pytest.mark.usefixtures("built", "small_pictures")
def test_an_interrupted_picture_has_the_trials_so_far(vinewright: Vinewright, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while trials are simulated: those that are done are drawn."""
    from planner.uncertainty import trials

    whole, grown = trials.grow_trials, list[int]()

    def broken(design: Design, worlds: trials.Worlds) -> trials.Outcome:
        grown.append(len(worlds))
        if len(grown) == 3:
            signal.raise_signal(signal.SIGINT)
        return whole(design, worlds)

    monkeypatch.setattr(trials, "grow_trials", broken)
    assert vinewright("trials", "add", "run", "--missed")[0] == 0
    code, printed, errors = vinewright("trials", "plot", "run", "--simulated", 75)
    assert (code, errors) == (0, "")
    assert grown == [20, 20, 20]
    assert "interrupted after 1 of 3 batches of simulated trials" in printed
    assert "40 simulated with workshop errors: " in printed


def test_a_recording_is_placed_by_its_base(built: Design, tmp_path: Path) -> None:
    """The base lies at the start, and leaves it in its direction, in any frame of the camera."""
    recording = load_recording(record(tmp_path / "bench.json", built, turn=-2.0))
    start = np.array([0.06, 0.2, 0.0])
    placed = place_centerline(recording.centerlines[-1], recording.base, start)
    assert placed[:-1] == pytest.approx(built.centerline[:-1], abs=1e-12)
    aside = place_centerline(
        np.array([[1.0, 1.0], [2.0, 1.0]]), np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.5, np.pi / 2])
    )
    assert aside == pytest.approx(np.array([[0.0, 0.5], [0.0, 1.5]]))
