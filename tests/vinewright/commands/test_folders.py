"""Where commands write: nothing is replaced unasked, everything is written whole, and a full disk leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

import vinewright as vw
from planner.output.claim import Occupied, lock
from planner.output.folder import write_folder
from tests.full_disk import largest_file
from tests.vinewright.commands.written import snapshot
from tests.waiting import LONGEST
from vinewright.commands.track import _claim_outputs

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
COMMAND = [sys.executable, "-c", "from vinewright.cli import main; main()"]
PLAN = "plan", "small.toml", "--fast", "--iterations", 2, "--batch", 20


def test_plans_count_up_and_replace_nothing(vinewright: Vinewright, small: Path) -> None:
    """The second plan has its own folder and names it; a given folder with a plan needs --force."""
    assert vinewright(*PLAN)[0] == 0
    first = snapshot(small / "runs" / "small")
    code, said, _ = vinewright(*PLAN, "--seed", 1)
    assert code == 0
    assert "wrote runs/small-2/: " in said
    before = snapshot(small)
    code, said, errors = vinewright(*PLAN, "--out", "runs/small")
    assert (code, said) == (2, "")
    assert errors == "error: runs/small contains a plan; give another --out, or --force to replace it\n"
    assert snapshot(small) == before
    assert vinewright(*PLAN, "--seed", 1, "--out", "runs/small", "--force")[0] == 0
    assert (small / "runs" / "small" / "design.json").read_bytes() == before["runs/small-2/design.json"]
    assert first["design.json"] == before["runs/small/design.json"]
    (small / "runs" / "small" / "notes.txt").write_text("mine")
    code, _, errors = vinewright(*PLAN, "--out", "runs/small", "--force")
    assert code == 2
    assert "notes.txt, which is not part of a run" in errors


def test_what_is_read_is_not_replaced(vinewright: Vinewright, small: Path) -> None:
    """Not even with --force: the folder of the environment or the tube; nor is an animation written into another result, or in
    an unknown format."""
    before = snapshot(small)
    for arguments, words in (
        (("plan", "made/environment.toml", "--out", "made", "--force"), "made contains the environment that is read"),
        (
            ("simulate", "small.toml", "made", "--out", "new", "--animate", "new/grow.gif"),
            "must not be in the folder of --out",
        ),
        (("simulate", "small.toml", "made", "--animate", "grow.avi"), "grow.avi must end in .gif or .mp4"),
    ):
        code, _, errors = vinewright(*arguments)
        assert code == 2
        assert words in errors
    assert snapshot(small) == before


def test_a_locked_folder_is_refused_and_a_default_takes_the_next(vinewright: Vinewright, small: Path) -> None:
    """Also when it is resumed: one line with the number of the process, exit code 2."""
    with lock(small / "runs" / "small"), lock(small / "made"):
        for arguments in ((*PLAN, "--out", "runs/small", "--force"), ("plan", "--resume", "made")):
            code, said, errors = vinewright(*arguments)
            assert (code, said) == (2, "")
            assert f"is being written by process {os.getpid()}; wait until it has finished" in errors
        assert "wrote runs/small-2/: " in vinewright(*PLAN)[1]
    assert sorted(entry.name for entry in (small / "runs").iterdir()) == ["small-2"]


def test_a_resumed_run_replaces_itself_only(vinewright: Vinewright, small: Path) -> None:
    """`--resume DIR` goes on in DIR without --force; another --out must be free."""
    assert vinewright(*PLAN, "--out", "one")[0] == 0
    goes_on = "plan", "--resume", "one", "--iterations", 3
    before = snapshot(small / "made")
    code, _, errors = vinewright(*goes_on, "--out", "made")
    assert (code, errors.count("made contains a plan")) == (2, 1)
    assert snapshot(small / "made") == before
    code, said, _ = vinewright(*goes_on)
    assert code == 0
    assert "wrote one/: " in said
    assert vinewright(*goes_on, "--out", "made", "--force")[0] == 0
    assert (small / "made" / "design.json").read_bytes() == (small / "one" / "design.json").read_bytes()


def test_robustness_writes_beside_the_run(vinewright: Vinewright, small: Path) -> None:
    """Nothing is written into `results`; where --out is given, it is in the recorded command."""
    survey = "robustness", "small.toml", "made", "--trials", 2, "--no-sources"
    code, said, _ = vinewright(*survey)
    assert code == 0
    assert "wrote made-robustness/: README.md, data.json" in said
    assert "--out" not in (small / "made-robustness" / "README.md").read_text()
    assert vinewright(*survey, "--out", "kept")[0] == 0
    assert "--seed 0 --out kept` on" in (small / "kept" / "robustness-small" / "README.md").read_text()
    code, _, errors = vinewright(*survey, "--out", "kept")
    assert code == 2
    assert (
        "kept/robustness-small contains the report of a study; give another --out, or --force to replace it" in errors
    )
    assert sorted(entry.name for entry in small.iterdir()) == ["kept", "made", "made-robustness", "small.toml"]


def test_tracked_files_count_up_together(tmp_path: Path) -> None:
    """The recording and the overlay of a video have one number, an overlay the name of --out; given files are refused if they exist."""
    video = tmp_path / "film.mp4"
    (tmp_path / "film-overlay.mp4").write_text("earlier")
    with ExitStack() as one, ExitStack() as other:
        assert _claim_outputs(one, video, None, None, False) == (
            tmp_path / "film-2.json",
            tmp_path / "film-2-overlay.mp4",
        )
        assert _claim_outputs(other, video, None, None, False)[1] == tmp_path / "film-3-overlay.mp4"
        with pytest.raises(Occupied, match=r"--overlay .* already exists"), ExitStack() as third:
            _claim_outputs(third, video, None, tmp_path / "film-overlay.mp4", False)
    with ExitStack() as one, ExitStack() as other:
        assert _claim_outputs(one, video, tmp_path / "b.json", None, False)[1] == tmp_path / "b-overlay.mp4"
        assert (
            _claim_outputs(other, tmp_path / "a.mp4", tmp_path / "film.json", None, False)[1]
            == tmp_path / "film-2-overlay.mp4"
        )
    assert os.listdir(tmp_path) == ["film-overlay.mp4"]


WRITERS = [
    PLAN,
    ("simulate", "small.toml", "made", "--out", "out"),
    ("simulate", "small.toml", "made", "--animate", "grow.gif"),
    ("simulate", "small.toml", "made", "--animate", "grow.mp4"),
    ("export", "made", "--out", "out", "--allow-limit", "--formats", "csv,json,svg", "--trials", "20"),
    ("robustness", "small.toml", "made", "--trials", 2, "--no-sources"),
    ("map", "small.toml", "--deployments", 2),
    ("environments", "new", "clutter.toml", "--density", 0.1),
    ("environments", "show", "small.toml", "--picture", "small.png"),
]
"""A short call of each command that writes something."""


@pytest.mark.parametrize("arguments", WRITERS, ids=lambda arguments: f"{arguments[0]} {arguments[-2]}")
def test_a_full_disk_leaves_nothing(vinewright: Vinewright, small: Path, arguments: tuple[object, ...]) -> None:
    """Exit code 4 and one line, no word of files written, and neither a part of them nor a lock; with room they are written."""
    before, entries = snapshot(small), set(small.iterdir())
    assert vinewright(*arguments)[0] in (
        0,
        3,
    )  # before that, kernels may be compiled, and cannot be cached on a full disk
    assert snapshot(small) != before
    for made in set(small.iterdir()) - entries:
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    with largest_file(400 if "new" in arguments else 1200):
        code, said, errors = vinewright(*arguments)
    assert (code, errors.count("\n")) == (4, 1), errors
    assert "cannot be written: File too large" in errors
    assert "wrote" not in said
    assert snapshot(small) == before


def test_python_writes_whole_folders(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`export` and `save` refuse results without force=True, and leave nothing on a full disk."""
    monkeypatch.chdir(small)
    env, design = vw.load_environment("small.toml"), vw.load_design("made")
    before = snapshot(small)
    with pytest.raises(
        vw.UnwritableFolder, match="made contains a plan; give another folder, or force=True to replace"
    ):
        vw.export(design, env, "made", ["csv"])
    with largest_file(200), pytest.raises(vw.UnwritableFolder, match="pack cannot be written: File too large") as error:
        vw.export(design, env, "pack", ["csv"], allow_limit=True)
    assert error.value.exit_code == 4
    assert snapshot(small) == before
    vw.export(design, env, "made", ["csv"], allow_limit=True, force=True)
    assert sorted(os.listdir("made")) == ["cut-list.csv", "parts.csv", "schedule.csv", "sections.csv"]
    result = vw.plan(env, iterations=2, batch=20, fast=True)
    with pytest.raises(
        vw.UnwritableFolder,
        match=r"made contains results: cut-list\.csv, parts\.csv, schedule\.csv, sections\.csv; give another",
    ):
        result.save("made")
    result.save("made", force=True)
    assert vw.load_design("made").params == design.params


def test_a_folder_is_written_though_nobody_reads_the_output(small: Path) -> None:
    """The other end of the pipe is closed at once, as with `| head`: no error, exit code 0, and the run is complete."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, *map(str, PLAN)], cwd=small, stdout=writing, stderr=subprocess.PIPE, timeout=LONGEST
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert {"design.json", "run.json", "plan.png"} <= set(os.listdir(small / "runs" / "small"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_output_to_a_full_disk_is_an_error_of_the_machine(small: Path) -> None:
    """The file is written all the same; one line on the error stream, and exit code 4."""
    with open("/dev/full", "w") as full:
        new = [*COMMAND, "tube", "new", "mine.toml"]
        done = subprocess.run(new, cwd=small, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LONGEST)
    assert done.returncode == 4
    assert done.stderr == "error: the output cannot be written: No space left on device\n"
    assert (small / "mine.toml").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_writing_does_not_stop_it(tmp_path: Path, number: int) -> None:
    """The first is ignored; the second removes the temporary folder, and the earlier one stays."""
    from vinewright.console.progress import handle_stop_signals

    def fill(signals: int) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            for _ in range(signals):
                os.kill(os.getpid(), number)
            (folder / "run.json").write_text(str(signals))

        return write

    with handle_stop_signals():
        write_folder(tmp_path / "run", fill(1))
        with pytest.raises(KeyboardInterrupt):
            write_folder(tmp_path / "run", fill(2))
    assert snapshot(tmp_path) == {"run/run.json": b"1"}
