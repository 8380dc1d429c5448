"""Sweeps that are killed, stopped, run twice or run out of room: results are kept, and the table has the same bytes."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planner.output.claim import lock
from tests.vinewright.sweeps.folders import done_in, ended, left_over, made_in, start, study, sweep, toml
from tests.waiting import wait_until

Vinewright = Callable[..., tuple[int, str, str]]
SLOW = pytest.mark.slow
CASES, TOGETHER = 22, 2
SHARDS = CASES // TOGETHER


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory, small_environment: Callable[[str], str]) -> Path:
    """A folder with a sweep of plans that take about 0.1 s, in shards of two; nothing is done."""
    folder = tmp_path_factory.mktemp("sweeps")
    (folder / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    plan = {"fast": True, "iterations": 4, "batch": 60, "seed": {"first": 0, "last": CASES - 1}}
    made_in(folder, study(plan=plan, trials={"number": 30}), TOGETHER)
    return folder


@pytest.fixture(scope="module")
def expected(ready: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The table of a serial run, one shard after the other, without a cluster."""
    from vinewright.cli import main

    folder = tmp_path_factory.mktemp("serial")
    shutil.copytree(ready, folder, dirs_exist_ok=True)
    calls: list[list[object]] = [["work", folder / "sweep", "--shard", k] for k in range(SHARDS)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vinewright.commands.sweep.use_one_thread", lambda: None)
        for call in [*calls, ["collect", folder / "sweep", folder / "table.csv"]]:
            patch.setattr("sys.argv", ["vinewright", "sweep", *map(str, call)])
            with pytest.raises(SystemExit) as code:
                main()
            assert not code.value.code
    return (folder / "table.csv").read_bytes()


@pytest.fixture
def place(ready: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of that folder. Nothing that a test started in it stays."""
    shutil.copytree(ready, tmp_path, dirs_exist_ok=True)
    yield tmp_path
    for process in left_over(tmp_path):
        os.kill(process, signal.SIGKILL)


def finished(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """Check that all is done, and that the table is that of a serial run."""
    assert done_in(place / "sweep") == [f"{k:06d}.json" for k in range(SHARDS)]
    code, _, errors = vinewright("sweep", "collect", "sweep", "table.csv")
    assert (code, errors) == (0, "")
    assert (place / "table.csv").read_bytes() == expected


def run_until(place: Path, count: int, **environ: str) -> "subprocess.Popen[str]":
    """Start a run, and wait until some shards are done."""
    process = start(place, "run", "sweep", "--workers", 2, **environ)
    wait_until(lambda: len(done_in(place / "sweep")) >= count, process)
    return process


def kill_run(place: Path, count: int, pause: float) -> None:
    """Kill a run some time after some shards are done; none of its processes stays."""
    process = run_until(place, count)
    time.sleep(pause)
    process.kill()
    process.communicate()
    wait_until(lambda: not left_over(place))


@SLOW
def test_a_killed_run_goes_on_where_it_stopped(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """Finished shards are not computed again, no worker stays, and the table is that of a serial run."""
    kill_run(place, 2, 0.1)
    before = {name: (place / "sweep" / "shards" / name).stat().st_mtime_ns for name in done_in(place / "sweep")}
    code, said, errors = sweep(place, "run", "sweep")
    assert (code, errors) == (0, "")
    assert f"{SHARDS} of {SHARDS} shards are done; next: vinewright sweep collect sweep table.csv" in said
    assert before == {name: (place / "sweep" / "shards" / name).stat().st_mtime_ns for name in before}
    finished(place, vinewright, expected)


@SLOW
def test_a_run_that_is_killed_again_and_again_ends(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """At moments that the seed determines, also before anything is done."""
    rng = random.Random(3)
    for _ in range(5):
        now = len(done_in(place / "sweep"))
        if now < SHARDS - 2:
            kill_run(place, now + rng.randrange(3), rng.random())
    process = start(place, "run", "sweep")
    time.sleep(rng.random())
    process.kill()
    process.communicate()
    assert sweep(place, "run", "sweep")[0] == 0
    finished(place, vinewright, expected)


@SLOW
def test_workers_of_a_run_are_killed(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """All of them at once, three times: their shards run again, nothing is set aside."""
    process = run_until(place, 1)
    for _ in range(2):
        for one in left_over(place):
            if one != process.pid and b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes():
                os.kill(one, signal.SIGKILL)
        now = len(done_in(place / "sweep"))
        wait_until(lambda now=now: len(done_in(place / "sweep")) > min(now, SHARDS - 1))  # type: ignore[misc]
    assert ended(process)[0] == 0
    finished(place, vinewright, expected)


@pytest.mark.slow
def test_a_second_run_is_refused(place: Path, vinewright: Vinewright) -> None:
    """One line that names the process, and exit code 2; nothing is computed."""
    with lock(place / "sweep"):
        code, said, errors = vinewright("sweep", "run", "sweep")
    assert (code, said, errors.count("\n")) == (2, "", 1)
    assert f"sweep is being written by process {os.getpid()}; wait until it has finished" in errors
    assert done_in(place / "sweep") == []


@SLOW
def test_of_two_runs_the_second_is_refused(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """The first is not disturbed."""
    process = run_until(place, 1)
    code, said, errors = sweep(place, "run", "sweep")
    assert (code, said, errors.count("\n")) == (2, "", 1)
    assert f"is being written by process {process.pid}" in errors
    assert ended(process)[0] == 0
    finished(place, vinewright, expected)


@SLOW
@pytest.mark.parametrize(
    ("number", "group"),
    [(signal.SIGINT, True), (signal.SIGTERM, False)],
    ids=["Ctrl-C", "term"],
)
def test_a_run_that_is_interrupted_keeps_what_is_done(
    place: Path, vinewright: Vinewright, expected: bytes, number: int, group: bool
) -> None:
    """A line says how far it is and how to go on; exit code 130, and no process stays."""
    process = run_until(place, 2)
    (os.killpg if group else os.kill)(process.pid, number)
    code, said, errors = ended(process)
    done = done_in(place / "sweep")
    assert (code, errors) == (130, "interrupted\n")
    assert 2 <= len(done) < SHARDS
    assert (
        f"interrupted: {len(done)} of {SHARDS} shards are done and kept; to go on: vinewright sweep run sweep --workers 2\n"
        in said
    )
    assert not list((place / "sweep" / "failed").glob("*"))
    wait_until(lambda: not left_over(place))
    for k in range(SHARDS):
        assert vinewright("sweep", "work", "sweep", "--shard", k)[0] == 0
    finished(place, vinewright, expected)


@SLOW
def test_cancel_ends_a_run(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """Soon, with exit code 3; then nothing is begun until `retry`."""
    process = run_until(place, 1)
    assert "cancelled; " in vinewright("sweep", "cancel", "sweep")[1]
    code, said, errors = ended(process)
    done = len(done_in(place / "sweep"))
    assert (code, errors) == (3, "")
    assert f"not met: {SHARDS - done} of {SHARDS} shards are not done" in said
    assert done < SHARDS
    assert "cancelled; to lift that: vinewright sweep retry sweep" in vinewright("sweep", "status", "sweep")[1]
    for refused in (("run", "sweep"), ("work", "sweep", "--shard", SHARDS - 1)):
        code, said, errors = vinewright("sweep", *refused)
        assert (code, errors.count("\n")) == (2, 1)
        assert "sweep was cancelled; `vinewright sweep retry sweep` lifts that" in errors
    assert len(done_in(place / "sweep")) == done
    assert vinewright("sweep", "retry", "sweep")[0] == 0
    assert sweep(place, "run", "sweep")[0] == 0
    finished(place, vinewright, expected)


@SLOW
@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("mount"), reason="only root can mount a small file system")
def test_a_full_disk_ends_a_run(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """Exit code 4 and one line; the results before are kept, nothing else is left, and with room the rest is computed."""
    small = place / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", small], capture_output=True).returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        shutil.copytree(place / "sweep", small / "sweep")
        filler = small / "filler"
        with filler.open("wb") as file:
            file.write(bytes(max(0, os.statvfs(small).f_bavail * os.statvfs(small).f_frsize - 4 * 4096)))
        code, _, errors = sweep(place, "run", "small/sweep")
        assert (code, errors.count("\n")) == (4, 1), errors
        assert "cannot be written: No space left on device; make room" in errors
        kept = {name: (small / "sweep" / "shards" / name).read_bytes() for name in done_in(small / "sweep")}
        assert 0 < len(kept) < SHARDS
        assert len(os.listdir(small / "sweep" / "shards")) == len(kept)
        filler.unlink()
        assert sweep(place, "run", "small/sweep")[0] == 0
        assert {name: (small / "sweep" / "shards" / name).read_bytes() for name in kept} == kept
        shutil.rmtree(place / "sweep")
        shutil.copytree(small / "sweep", place / "sweep")
    finally:
        subprocess.run(["umount", "-l", small], check=True)
    finished(place, vinewright, expected)


JUMPING = """
import time
_true, _begun, _days = time.time, time.monotonic(), [0, 3, -9, 30, -2]
time.time = lambda: _true() + 86400 * _days[int((time.monotonic() - _begun) / 4) % 5]
"""
RAISING = """
import importlib.abc, sys
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "vinewright.sweeps.shard":
            sys.meta_path.remove(self)
            import vinewright.sweeps.case as case
            before = case.run_case
            def run_case(one, inputs):
                if one.factors["seed"] == 5 and one.plan.get("iterations"):
                    raise ArithmeticError("the vine\\nis tied in a knot")
                return before(one, inputs)
            case.run_case = run_case
sys.meta_path.insert(0, Finder())
"""


def customised(place: Path, text: str) -> str:
    """A folder whose code every Python process runs first."""
    folder = place / "first"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(text)
    return str(folder)


@SLOW
def test_a_clock_that_jumps_changes_nothing(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """By days, forwards and backwards, every four seconds in every process; Dask itself uses that clock."""
    code, _, errors = sweep(place, "run", "sweep", PYTHONPATH=customised(place, JUMPING))
    assert (code, errors) == (0, "")
    finished(place, vinewright, expected)


@SLOW
def test_a_shard_that_raises_is_set_aside(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """The others are done; its message is in one line, and `retry` lets it be computed again."""
    code, said, errors = sweep(place, "run", "sweep", PYTHONPATH=customised(place, RAISING))
    assert (code, errors) == (3, "")
    words = "shard 2 was set aside: the vine is tied in a knot (sitecustomize.py, line 11)"
    assert words in said
    assert "to compute them again: vinewright sweep retry sweep" in said
    assert f"not met: 1 of {SHARDS} shards are not done" in said
    assert len(done_in(place / "sweep")) == SHARDS - 1
    said = vinewright("sweep", "status", "sweep")[1]
    assert words in said
    assert f"done {SHARDS - 1}, missing 0, set aside 1" in said
    assert vinewright("sweep", "run", "sweep")[0] == 3
    code, _, errors = vinewright("sweep", "retry", "sweep", "--shard", 3)
    assert (code, errors.count("\n")) == (2, 1)
    assert "--shard 3 was not set aside" in errors
    assert "1 shards will be computed again" in vinewright("sweep", "retry", "sweep", "--shard", 2)[1]
    assert f"done {SHARDS - 1}, missing 1, set aside 0" in vinewright("sweep", "status", "sweep")[1]
    assert vinewright("sweep", "work", "sweep", "--shard", 2)[0] == 0
    finished(place, vinewright, expected)


@SLOW
def test_two_processes_that_compute_a_shard_at_once_leave_one_result(place: Path, expected: bytes) -> None:
    """It is whole, and its rows are right."""
    for k in (0, 1):
        both = [start(place, "work", "sweep", "--shard", k) for _ in range(2)]
        for process in both:
            code, said, errors = ended(process)
            assert (code, errors) == (0, "")
            assert said.startswith(f"shard {k}")
    assert os.listdir(place / "sweep" / "shards") in (done_in(place / "sweep"), done_in(place / "sweep")[::-1])
    code, said, _ = sweep(place, "collect", "sweep", "part.csv")
    assert code == 3
    assert (place / "part.csv").read_bytes() == b"".join(expected.splitlines(keepends=True)[: 1 + 2 * TOGETHER])


@SLOW
def test_make_run_and_collect_as_users_do(place: Path, vinewright: Vinewright, expected: bytes) -> None:
    """Shards of another size give the same table; the sample says how long all takes."""
    shutil.rmtree(place / "sweep")
    assert toml(study()).startswith("schema = 1\n")
    code, said, errors = sweep(place, "make", "study.toml", "--out", "sweep", "--shard-seconds", 0.3)
    assert (code, errors) == (0, "")
    assert said.startswith(f"{CASES} cases in ")
    assert "wrote sweep/; next: vinewright sweep run sweep" in said
    assert sweep(place, "run", "sweep", "--workers", 1)[0] == 0
    assert vinewright("sweep", "collect", "sweep", "table.csv")[0] == 0
    assert (place / "table.csv").read_bytes() == expected
