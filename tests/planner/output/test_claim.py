"""Claims of folders and files: one process at a time, nothing replaced unasked, nothing left behind."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from planner.output.claim import Locked, Occupied, UnwritableFolder, check_folder, claim, claim_file, lock
from planner.output.contents import CHECKPOINT, FILES, FRICTION, REFINEMENT
from planner.output.folder import replace_file, write_folder
from planner.output.removal import remove_folder
from tests.waiting import LONGEST

CLAIM = """
import sys
from pathlib import Path
from planner.output.claim import UnwritableFolder, claim

out = Path(sys.argv[1]) if len(sys.argv) > 1 else None
sys.stdin.readline()
try:
    with claim(out, Path("runs/plus")) as folder:
        print(folder, flush=True)
        sys.stdin.readline()
except UnwritableFolder as error:
    print(error, flush=True)
    sys.stdin.readline()
"""
INSIDE = """
import os
from pathlib import Path
from planner.output.claim import Locked, lock

held = 0
while held < 100:
    try:
        with lock(Path("run")):
            os.close(os.open("inside", os.O_CREAT | os.O_EXCL))  # fails if another process is inside
            os.unlink("inside")
            held += 1
    except Locked:
        pass
"""


def begin(program: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def answers(processes: list[subprocess.Popen[str]]) -> list[str]:
    """Let all processes claim at once; what each of them says."""
    for process in processes:
        tell(process)
    return [process.stdout.readline().strip() for process in processes if process.stdout]


def test_processes_that_start_together_take_different_default_folders(tmp_path: Path) -> None:
    """Four processes hold four numbers; after they have ended, no lock is left."""
    processes = [begin(CLAIM, tmp_path) for _ in range(4)]
    assert sorted(answers(processes)) == ["runs/plus", "runs/plus-2", "runs/plus-3", "runs/plus-4"]
    for process in processes:
        process.communicate("\n")
    assert [*tmp_path.rglob("*")] in ([], [tmp_path / "runs"])


def test_one_of_several_processes_gets_a_given_folder(tmp_path: Path) -> None:
    """The others are told its number; when it is killed, the next takes over without a word."""
    processes = [begin(CLAIM, tmp_path, "run") for _ in range(3)]
    said = answers(processes)
    (winner,) = [process for process, text in zip(processes, said, strict=True) if text == "run"]
    refused = f"run is being written by process {winner.pid}; wait until it has finished, or write elsewhere"
    assert sorted(said) == ["run", refused, refused]
    winner.send_signal(signal.SIGKILL)
    winner.wait()
    assert (tmp_path / ".run.lock").read_text() == f"{winner.pid} {socket.gethostname()}\n"
    for process in processes:
        process.communicate("\n" if process is not winner else None)
    with claim(tmp_path / "run", tmp_path / "run") as folder:
        assert folder == tmp_path / "run"
        assert (tmp_path / ".run.lock").read_text().split()[0] == str(os.getpid())
    assert os.listdir(tmp_path) == []


def test_two_processes_are_never_inside_together(tmp_path: Path) -> None:
    """They take turns a hundred times each, where each turn removes the lock file and another process makes a new one."""
    processes = [begin(INSIDE, tmp_path) for _ in range(2)]
    assert [process.wait(LONGEST) for process in processes] == [0, 0]
    assert os.listdir(tmp_path) == []


def test_a_lock_file_that_is_removed_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last owner may remove it between opening and locking; a lock on the removed file would keep nobody out."""
    path, real, handles = tmp_path / ".run.lock", fcntl.flock, list[int]()

    def late(handle: int, how: int) -> None:
        if not handles:
            path.unlink()
        handles.append(handle)
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with lock(tmp_path / "run"):
        assert path.read_text().split()[0] == str(os.getpid())
        with pytest.raises(Locked):
            lock(tmp_path / "run").__enter__()
    assert len(handles) == 3


def test_a_lock_is_released_on_errors(tmp_path: Path) -> None:
    """After an error and after Ctrl-C there is neither a lock nor a folder that was made for it."""

    def work(error: type[BaseException]) -> None:
        with lock(tmp_path / "a" / "b" / "run"):
            assert (tmp_path / "a" / "b" / ".run.lock").exists()
            raise error

    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            work(error)
        assert os.listdir(tmp_path) == []


def test_the_lock_of_another_machine_is_not_taken_over(tmp_path: Path) -> None:
    """Whether its process still runs cannot be seen from here; the message names the file to remove."""
    (tmp_path / ".run.lock").write_text("4711 elsewhere\n")
    with pytest.raises(Locked, match=r"process 4711 on elsewhere; if that process has ended, remove .*/\.run\.lock$"):
        claim(tmp_path / "run", tmp_path / "run").__enter__()
    assert os.listdir(tmp_path) == [".run.lock"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["run.json", "design.json"], "a plan"),
        (["simulation.json", "trajectory.npz"], "a simulation"),
        (["fit.json", "tube.toml"], "a fit"),
        (["map.json"], "a map"),
        (["sweep.json", "inputs", "shards", "failed", "cancelled"], "a sweep"),
        (["pack.json", "bracket.stl"], "a pack for fabrication"),
        (["pattern.svg"], "results: pattern.svg"),
        (["spam.json"], "trained weights"),
        ([CHECKPOINT], "the checkpoint of an unfinished plan"),
        ([CHECKPOINT, *FRICTION, REFINEMENT], "the checkpoint of an unfinished plan"),
        ([REFINEMENT], "results: refinement.npz"),
        (["README.md", "data.json", "any.png"], "the report of a study"),
    ],
)
def test_results_of_every_kind_are_replaced_only_with_force(tmp_path: Path, names: list[str], words: str) -> None:
    """The message says what is there and, for a checkpoint, how to continue; the default takes the next number."""
    out = tmp_path / "run"
    out.mkdir()
    for name in names:
        (out / name).write_text('{\n "schema": 1,\n "command": "vinewright squares"')
    with pytest.raises(Occupied) as error:
        check_folder(out)
    assert str(error.value) == f"{out} contains {words}; give another folder, or force=True to replace it"
    assert error.value.on_console.endswith("give another --out, or --force to replace it")
    assert (f"`vinewright plan --resume {out}`" in error.value.on_console) == (CHECKPOINT in names)
    check_folder(out, force=True)
    with claim(None, out) as folder:
        assert folder == tmp_path / "run-2"


@pytest.mark.parametrize(
    "names",
    [
        ["thesis.tex"],
        ["README.md"],
        ["data.json", "README.md"],
        ["run.json", "a.png"],
        ["inputs"],
        ["run.json", "shards"],
    ],
)
def test_other_files_are_not_replaced_even_with_force(tmp_path: Path, names: list[str]) -> None:
    """Names that studies and sweeps use as well count as results only beside the data of a study or the manifest of a sweep."""
    for name in names:
        (tmp_path / name).write_text("{}")
    with pytest.raises(Occupied, match="which is not part of a run"):
        check_folder(tmp_path, force=True)


def test_what_a_killed_sweep_leaves_is_part_of_it(tmp_path: Path) -> None:
    """A result that was being written when the process was killed does not keep `--force` from replacing the folder."""
    (tmp_path / "sweep.json").write_text("{}")
    (tmp_path / ".shards.new.a1b2c3_d").write_text("{")
    check_folder(tmp_path, force=True)
    (tmp_path / ".notes.new.a1b2c3_d").write_text("mine")
    with pytest.raises(Occupied, match="contains notes, which is not part of a run"):
        check_folder(tmp_path, force=True)


def test_a_file_that_is_being_written_counts_under_its_name(tmp_path: Path) -> None:
    """The temporary file of a checkpoint is no foreign file."""
    (tmp_path / f".{CHECKPOINT}.123.partial").write_text("")
    check_folder(tmp_path, force=True)
    assert CHECKPOINT in FILES


def test_a_file_is_replaced_only_with_force(tmp_path: Path) -> None:
    """A file that another process is writing is kept too; a folder in its place is refused in any case."""
    path = tmp_path / "grow.gif"
    with claim_file(path, force=False, option="--animate"):
        path.write_text("one")
        with pytest.raises(Locked, match=f"is being written by process {os.getpid()};"):
            claim_file(path, force=True).__enter__()
    with pytest.raises(Occupied, match=r"^--animate .*grow.gif already exists; .* --force to replace it$"):
        claim_file(path, force=False, option="--animate").__enter__()
    with claim_file(path, force=True):
        assert path.read_text() == "one"
    with pytest.raises(Occupied, match="is a folder"):
        claim_file(tmp_path, force=True).__enter__()
    with pytest.raises(UnwritableFolder, match=r"the folder .* does not exist"):
        claim_file(tmp_path / "no" / "grow.gif", force=False).__enter__()
    assert os.listdir(tmp_path) == ["grow.gif"]


def test_the_root_folder_is_refused() -> None:
    """It has no name beside which a lock could lie."""
    with pytest.raises(UnwritableFolder, match="/ cannot be written"):
        claim(Path("/"), Path("/")).__enter__()


def test_what_a_killed_process_left_of_a_file_is_removed(tmp_path: Path) -> None:
    """By the next that writes the file: with its suffix or without; files of other names stay."""
    left, others = (
        (".vine.mp4.new.abcdefgh.mp4", ".vine.mp4.new.abcdefgh"),
        (".wine.mp4.new.abcdefgh.mp4", ".vine.mp4.new.a.mp4"),
    )
    for name in (*left, *others):
        (tmp_path / name).touch()
    with claim_file(tmp_path / "vine.mp4", force=False):
        assert sorted(os.listdir(tmp_path)) == sorted([".vine.mp4.lock", *others])


def test_a_folder_that_another_program_removes_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    """While its files are written, or one of them is replaced; nothing is left."""
    out = tmp_path / "out" / "run"
    with pytest.raises(UnwritableFolder, match="another program has removed it") as found:
        write_folder(out, lambda _: shutil.rmtree(out.parent))
    assert found.value.exit_code == 4
    with pytest.raises(UnwritableFolder, match="another program has removed it") as found:
        replace_file(out, "checkpoint.npz", lambda _: shutil.rmtree(out.parent))
    assert found.value.exit_code == 4
    assert not os.listdir(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="limits as on Linux")
def test_a_folder_is_removed_where_one_more_file_can_be_opened(tmp_path: Path) -> None:
    """With all that is in it; an empty one where none can be; what a link leads to stays."""
    import resource

    (tmp_path / "kept").mkdir()
    (tmp_path / "run" / "inside").mkdir(parents=True)
    (tmp_path / "run" / "inside" / "file").touch()
    (tmp_path / "run" / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "empty").mkdir()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    last = os.open(os.devnull, os.O_RDONLY)
    os.close(last)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (last, limits[1]))
        remove_folder(tmp_path / "empty")
        resource.setrlimit(resource.RLIMIT_NOFILE, (last + 1, limits[1]))
        remove_folder(tmp_path / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert os.listdir(tmp_path) == ["kept"]
