"""`vinewright show`: results are recognised by their content and summarised."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from planner.mapping.grid import CELLS
from planner.mapping.plots import FREE, HIT, UNSEEN, save_marks
from planner.mapping.session import MappingSession
from planner.mapping.session_file import write_session
from planner.output.folder import write_json
from vinewright.commands.show_kinds import KINDS

Vinewright = Callable[..., tuple[int, str, str]]
DATA = Path(__file__).parents[2] / "data"
RUN, PACK, RECORDING = DATA / "run-v1", DATA / "pack-v1", DATA / "oscillation.json"
MAP = {
    "schema": 1,
    "environment": {"name": "plus", "sha256": json.loads((RUN / "run.json").read_text())["inputs"]["sha256"]},
    "policy": "ideal",
    "seed": 3,
    "deployments": [{"status": "stalled", "score": 10.0}, {"status": "grown", "score": 31.26}],
    "map": ["?#..", "????"],
}
FIT = {
    "schema": 1,
    "recording": "bench",
    "converged": False,
    "parameters": [
        {"name": "stiffness", "value": 1.2345, "unit": "N m/rad", "interval_95": [1.1, None], "identified": False}
    ],
    "sentences": ["The fitted tip is near."],
}
SIMULATION = {
    "schema": 1, "environment": {"name": "plus", "sha256": "0" * 64}, "status": "grown", "advice": "grown to the full length",
    "reached": True, "length_mm": 812.0, "tip_mm": [12.0, 34.0], "heading_deg": 5.0, "from_predicted_mm": 1.5,
    "greatest_contact_force_n": 2.0,
}  # fmt: skip
SURVEY = {
    "schema": 1, "command": "vinewright robustness plus runs/plus", "levels": [0.05], "margins": [], "spreads": {},
    "counts": {"5 % / 5 %": {"reached": 30, "stalled": 10}, "none yet": {"reached": 0}},
}  # fmt: skip
SAME = {
    "schema": 1, "errors": ["workshop", "workshop"], "chosen": 1,
    "front": [
        {"actuators": 2, "environments": [{"environment": name, "off": [], "reached": 0, "trials": 0} for name in ("plus", "minus")]},
        {
            "actuators": 3,
            "environments": [
                {"environment": "plus", "off": [2, 3], "reached": 30, "trials": 40},
                {"environment": "minus", "off": [], "reached": 40, "trials": 40},
            ],
        },
    ],
}  # fmt: skip
POSE = {"s_m": 1.5, "theta_rad": 0.25, "phi_rad": -2.0, "tip_m": [0.1, 0.2, 1.3]}
MOVED = {
    "schema": 1,
    "robot": "mine.toml",
    "asked_s": 10.0,
    "computed_s": 4.0,
    "ended": "interrupted",
    "start": POSE,
    "end": POSE,
}
MOTION = {**MOVED, "growth_stood_still_s": [[0.0, 1.5], [3.0, 4.0]]}
TRACKING = {
    **MOVED, "ended": "complete", "reference": "up.csv", "within": 0.01, "greatest_length_error_m": 0.0049,
    "greatest_bend_error_rad": 0.0012, "greatest_plane_error_rad": None, "greatest_tip_error_m": 0.006, "greatest_core_n": 50.0,
    "greatest_tensions_n": [1.0, 2.0, 3.0], "limits_met": [{"what": "shorter", "begin_s": 1.0, "end_s": 2.5}],
}  # fmt: skip
MOTIONS = {
    "robot": "mine.toml", "reference": None, "asked_s": 2.0, "vary": {"actuator.area_mm2": [900.0, 1800.0]}, "asked_motions": 3,
    "motions": [
        {"actuator.area_mm2": 900.0, "ended": "complete", "end_s_m": 1.25, "end_theta_rad": 0.1234, "greatest_bend_rad": 0.2},
        {"actuator.area_mm2": 1800.0, "ended": "not integrable", "end_s_m": None, "end_theta_rad": None, "greatest_bend_rad": None},
    ],
}  # fmt: skip
FILES = {
    "map.json": MAP, "fit.json": FIT, "simulation.json": SIMULATION, "data.json": SURVEY, "motion.json": MOTION,
    "tracking.json": TRACKING, "motions.json": MOTIONS,
}  # fmt: skip


ADAPTED = {
    "schema": 1,
    "wanted": 0.9,
    "recommended": 0,
    "best": 0,
    "proposals": [
        {
            "change": "other pressures",
            "what_to_do": ["turn section 1 from 30.0 to 35.0 kPa"],
            "success": 0.91,
            "interval_90": [0.8, 0.97],
        }
    ],
}


@pytest.fixture
def result(tmp_path: Path) -> Callable[[str], Path]:
    """A result of a kind under a name that says nothing: the folder of a run or a pack, or a file."""

    def make(kind: str) -> Path:
        if kind in ("run", "pack"):
            return Path(shutil.copytree({"run": RUN, "pack": PACK}[kind], tmp_path / "thing"))
        stored = {"design": RUN / "design.json", "solutions": RUN / "solutions.json", "recording": RECORDING}
        if kind in stored:
            return Path(shutil.copy(stored[kind], tmp_path / "thing"))
        if kind == "checkpoint":
            (tmp_path / "thing").mkdir()
            return Path(shutil.copy(RUN / "checkpoint.npz", tmp_path / "thing")).parent
        if kind == "session":
            begun = MappingSession.begin(0.03, 1.5, np.zeros((1, 3)), np.array([0.0, 0.0, 2.0, 1.0]))
            begun.belief.hits[np.diag_indices(CELLS)] = True
            (tmp_path / "thing").mkdir()
            write_session(tmp_path / "thing", begun)
            return tmp_path / "thing"
        if kind == "adapted design":
            (tmp_path / "thing").mkdir()
            shutil.copy(RUN / "design.json", tmp_path / "thing")
            write_json(tmp_path / "thing" / "adapted.json", ADAPTED)
            return tmp_path / "thing"
        if kind == "same design":
            shutil.copytree(RUN, tmp_path / "thing" / "plus")
            write_json(tmp_path / "thing" / "same-design.json", SAME)
            return tmp_path / "thing"
        names = {
            "map": "map.json",
            "fit": "fit.json",
            "simulation": "simulation.json",
            "robustness survey": "data.json",
            "motion": "motion.json",
            "tracking": "tracking.json",
            "motions": "motions.json",
        }
        write_json(tmp_path / "thing", FILES[names[kind]])
        return tmp_path / "thing"

    return make


SUMMARIES = {
    "run": [
        "run: plus, spam, quasistatic, seed 0", "525 │   775 │  none", "3 actuators, tube 2900 mm; predicted tip (33, 1674) mm",
        "8 iterations, first solution after 1.02 s; iterations done; 12 candidates replayed, of which 0 missed the goal",
        "1 │         3 │    2900 │ (33, 1674) │         │ design.json", "2 │         3 │    3025", "pictures: ",
    ],
    "pack": ["pack: design for plus", "it reaches the goal; its tip ends 3 mm from", "warning: The feed ends of L1", "cut-list.csv"],
    "session": ["mapping session thing", "region (0, 0) to (2000, 1000) mm", "35 covered, 0 free"],
    "map": ["map of plus after 2 deployments, policy ideal, seed 3", "score 31.3 of 100; cells: 12 % obstacle, 25 % free, 62 % not seen"],
    "fit": ["fit of bench; it did NOT converge", "stiffness [N m/rad]", "1.234", "1.1 ... -", "no", "The fitted tip is near."],
    "simulation": ["simulation in plus", "reaches the goal: grown to the full length; 812 mm grown, tip at (12, 34) mm, 1.5 mm from"],
    "robustness survey": ["vinewright robustness plus runs/plus", "5 % / 5 %", "75.0 % (59.8 ... 85.8)"],
    "recording": ["oscillation: 60 frames in 0.738 s", "length 998 mm in the first", "7 points", "12 mm, mass per length 13 g/m; 0 walls"],
    "solutions": ["2 solutions for plus", "--solution K chooses one", "2 │         3 │    3025"],
    "adapted design": [
        "adapted design, other pressures: turn section 1 from 30.0 to 35.0 kPa",
        "predicted success 91 % (80 ... 97, 90 % interval), 90 % wanted",
        "design for plus",
    ],
    "design": ["design for plus", "1700 │  2400 │  left │      28 │         35.0", "heading 133.3 deg; radius 33.35 mm, 10.34 kPa"],
    "checkpoint": ["checkpoint: plus, spam, quasistatic, seed 0; no design is written yet", "vinewright plan --resume"],
    "same design": [
        "one design for plus, minus; a run for each in plus", "2         │ minus       │ -    │ not tried", "design for plus",
        "3         │ plus        │ 2, 3 │ 75.0 % (59.8 ... 85.8)   │ chosen",
    ],
    "motion": ["motion of mine.toml; interrupted after 4 of 10 s", "without growth for 2.5 s; at the end bend 0.25 rad in the plane -2"],
    "tracking": [
        "mine.toml along up.csv, errors up to 0.01 m and rad allowed", "length 0.0049 m, bend 0.0012 rad, plane -, tip 0.006 m",
        "limits: reference shorter than the tube from 1.00 to 2.50 s",
    ],
    "motions": [
        "2 of 3 motions of mine.toml, 2 s each", "┃ area_mm2 ┃ ended          ┃ end m ┃ end rad ┃ most rad ┃",
        "│ 900      │ complete       │ 1.25  │ 0.1234  │ 0.2      │", "│ 1800     │ not integrable │ -     │ -       │ -        │",
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", SUMMARIES)
def test_every_kind_is_recognised_by_its_content(
    vinewright: Vinewright, result: Callable[[str], Path], kind: str
) -> None:
    """The summary of a file with any name has what matters, without control sequences."""
    code, printed, errors = vinewright("show", result(kind))
    assert (code, errors) == (0, "")
    for words in SUMMARIES[kind]:
        assert words in printed
    assert "\x1b" not in printed
    assert "none yet" not in printed


def test_all_kinds_are_tested() -> None:
    """No kind is without a summary above."""
    assert [kind.name for kind in KINDS] == [*SUMMARIES]


@pytest.mark.parametrize("kind", SUMMARIES)
def test_pictures_are_named_and_drawn(vinewright: Vinewright, result: Callable[[str], Path], kind: str) -> None:
    """Those in the folder are named; --picture draws what can be drawn from the file, or says that there is none."""
    path = result(kind)
    if path.is_file():
        (path.parent / "plan.png").touch()  # lies beside the file by chance
    code, printed, errors = vinewright("show", path, "--picture", "it.png")
    assert ("plan.png" in printed + errors) == (kind == "run")
    if kind in ("fit", "simulation", "robustness survey", "same design", "motion", "tracking", "motions"):
        assert code == 2
        assert errors.startswith(f"error: --picture: no picture of a {kind} is drawn; ")
        assert not Path("it.png").exists()
        return
    assert (code, errors) == (0, "")
    assert printed.endswith("wrote it.png\n")
    assert Image.open("it.png").width > 500


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere", "nowhere cannot be read"),
        ("empty", "empty contains no run, pack, session, map,"),
        (
            "other.json",
            "other.json is not recognised as run, pack, session, map, fit, simulation, robustness survey, recording, solutions, ",
        ),
        ("list.json", "list.json is not recognised"),
        ("text.txt", "text.txt is not recognised"),
        ("binary.npz", "binary.npz is not recognised"),
        ("trajectory.npz", "trajectory.npz is not recognised"),
        ("map.json", "map.json: map = ['?#..', '?'] must be rows of equal length"),
        ("run.json", "run.json: missing key inputs.propagator"),
        ("fit.json", r"parameters[0].name = 'a\x1b[2J' must be without control characters, as 0x1b"),
        ("solutions.json", "solutions.json has no solutions"),
    ],
)
def test_what_is_not_recognised_is_one_line(vinewright: Vinewright, tmp_path: Path, path: str, words: str) -> None:
    """Exit code 2, with the file, and the key at fault or the kinds that are recognised."""
    (tmp_path / "empty").mkdir()
    parameter = FIT["parameters"][0] | {"name": "a\x1b[2J"}  # type: ignore[index]
    contents: dict[str, Any] = {
        "other.json": {"schema": 1},
        "list.json": [1, 2],
        "map.json": MAP | {"map": ["?#..", "?"]},
        "run.json": {"inputs": {"environment": "plus", "actuator": "spam", "stopped": ""}, "history": []},
        "fit.json": FIT | {"parameters": [parameter]},
        "solutions.json": {"schema": 1, "solutions": []},
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(json.dumps(content))
    (tmp_path / "text.txt").write_text("years of work")
    (tmp_path / "binary.npz").write_bytes(b"PK not a zip")
    np.savez(tmp_path / "trajectory.npz", points=np.zeros(3))
    code, printed, errors = vinewright("show", path)
    assert (code, printed, errors.count("\n")) == (2, "", 1)
    assert words in errors


def test_a_picture_of_a_design_needs_its_environment(vinewright: Vinewright, tmp_path: Path) -> None:
    """Not known here, it is asked for; a picture must be a PNG in a folder that exists."""
    content = json.loads((RUN / "design.json").read_text())
    content["environment"]["name"] = "elsewhere"
    write_json(tmp_path / "design.json", content)
    for name, words in (
        (
            "it.png",
            "the environment of this design (elsewhere) is not known here; put it beside design.json as environment.toml",
        ),
        ("it.jpg", "--picture it.jpg must end in .png"),
    ):
        code, _, errors = vinewright("show", "design.json", "--picture", name)
        assert code == 2
        assert words in errors
    shutil.copy(RUN / "environment.toml", tmp_path)
    assert vinewright("show", "design.json", "--picture", "it.png")[0] == 0
    code, _, errors = vinewright("show", "design.json", "--picture", "nowhere/it.png")
    assert (code, errors) == (
        2,
        "error: --picture nowhere/it.png cannot be written: the folder nowhere does not exist; give another --picture\n",
    )


@pytest.mark.parametrize(
    ("name", "pictures"),
    [("design.json", "plan.png"), ("solutions.json", "solutions.png"), ("simulation.json", "plan.png")],
)
def test_a_file_names_the_pictures_beside_it(vinewright: Vinewright, tmp_path: Path, name: str, pictures: str) -> None:
    """If it has the name that it has in a result folder; otherwise it is said how to draw one, where that is possible."""
    write_json(tmp_path / name, FILES.get(name) or json.loads((RUN / name).read_text()))
    drawable = name != "simulation.json"
    assert ("no picture yet: --picture FILE.png draws one" in vinewright("show", name)[1]) == drawable
    for picture in ("plan.png", "solutions.png"):
        (tmp_path / picture).touch()
    assert vinewright("show", name)[1].endswith(f"\npictures: {pictures}\n")


def test_the_map_is_drawn_as_it_stands_in_the_file(tmp_path: Path) -> None:
    """The first row on top; every cell has the colour of its mark."""
    save_marks(tmp_path / "map.png", "a map", ["#.", "??"], np.array([0.0, 0.0, 2.0, 1.0]))
    pixels = np.asarray(Image.open(tmp_path / "map.png").convert("RGB"))
    rows, columns = {}, {}
    for name, colour in (("hit", HIT), ("free", FREE), ("unseen", UNSEEN)):
        found = np.argwhere((pixels[:-60] == [int(colour[k : k + 2], 16) for k in (1, 3, 5)]).all(axis=-1))
        rows[name], columns[name] = found.mean(axis=0)
        assert len(found) > 10_000
    assert rows["hit"] == pytest.approx(rows["free"], abs=2)
    assert rows["unseen"] > rows["hit"] + 50
    assert columns["free"] > columns["hit"] + 100


def test_part_of_a_folder_needs_its_name(vinewright: Vinewright, tmp_path: Path) -> None:
    """A copy of a checkpoint is not shown as the one beside it, and a number that JSON does not have is not recognised."""
    shutil.copy(RUN / "checkpoint.npz", tmp_path / "copy.npz")
    code, _, errors = vinewright("show", tmp_path / "copy.npz")
    assert (code, "copy.npz is the checkpoint.npz of a checkpoint; give it under that name" in errors) == (2, True)
    (tmp_path / "run.json").write_text('{"inputs": {}, "history": [], "more": NaN}')
    code, _, errors = vinewright("show", tmp_path / "run.json", "--json")
    assert (code, errors.count("\n"), "is not recognised" in errors) == (2, 1, True)
