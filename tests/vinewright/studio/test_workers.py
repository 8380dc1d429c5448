"""The processes that compute: they stop, keep what was found, are started again, and leave no orphan."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dynamics.tube import VineParams
from dynamics.tube_file import tube_content
from environments import load_environment
from environments.environment_file import environment_text
from planner.design.design_file import load_design
from planner.output.contents import foreign_files
from tests.waiting import LONGEST, wait_until
from vinewright.studio.workers import Busy, Worker

Events = "queue.SimpleQueue[dict[str, Any]]"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[tuple[Worker, Any]]:
    """A worker that plans, and its events."""
    events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    made = Worker(str(tmp_path / "runs"), events.put, True)
    yield made, events
    made.close(0.0)


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Worker, Any]]:
    """One worker for several plans, and its events."""
    events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    made = Worker(str(tmp_path_factory.mktemp("lasting") / "runs"), events.put, True)
    yield made, events
    made.close(0.0)


def wait_for(events: Any, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The events up to the first wanted one."""
    found, until = [], time.monotonic() + LONGEST
    while not found or not wanted(found[-1]):
        found.append(events.get(timeout=max(until - time.monotonic(), 0.01)))
    return found


def of_plan(phase: str) -> Callable[[dict[str, Any]], bool]:
    """Whether an event says that a plan is in a phase."""
    return lambda event: event["type"] == "plan" and event["plan"]["phase"] == phase


def request(name: str = "divider", **options: Any) -> dict[str, Any]:
    """Make the content of a request for a plan."""
    text = environment_text(load_environment(name))
    return {"text": text, "name": name, "tube": tube_content(VineParams()), "options": {"seed": 1, **options}}


def ended(event: dict[str, Any]) -> bool:
    """Whether a job has ended."""
    return event["type"] == "ended"


def test_plan_writes_an_ordinary_run(lasting: Any) -> None:
    """A plan sends its tree as changes and ends with a folder that every command reads; the next one gets the next name."""
    planner, events = lasting
    planner.submit("plan", request(time_budget_s=2.5))
    with pytest.raises(Busy, match="under way"):
        planner.submit("plan", request())
    found = wait_for(events, ended)
    assert [event for event in found if event["type"] == "failed"] == []
    tree: dict[int, Any] = {}
    for event in found:
        if event["type"] == "tree":
            tree = {} if event["reset"] else {slot: one for slot, one in tree.items() if slot not in event["drop"]}
            tree |= {one[0]: one for one in event["add"]}
    plan = [event["plan"] for event in found if event["type"] == "plan"][-1]
    assert plan["phase"] == "done"
    assert plan["run"] == "divider"
    searching = [event["plan"] for event in found if of_plan("searching")(event)]
    assert len(tree) == searching[-1]["nodes"] - 1  # the root has no branch
    design = load_design(Path(planner.root) / "divider")
    assert design.success
    assert not foreign_files(Path(planner.root) / "divider")
    assert any(event["type"] == "best" for event in found)
    planner.submit("plan", request(iterations=3, time_budget_s=600.0, fast=True))
    assert [event["plan"] for event in wait_for(events, ended) if event["type"] == "plan"][-1]["run"] == "divider-2"


@pytest.mark.slow
def test_stopped_plan_keeps_its_best(worker: Any, tmp_path: Path) -> None:
    """Stop ends the search, refinement and trials, and writes the best design so far."""
    planner, events = worker
    planner.submit("plan", request(time_budget_s=900.0))
    wait_for(events, lambda event: event["type"] == "best")
    planner.stop("plan")
    found = wait_for(events, ended)
    plan = [event["plan"] for event in found if event["type"] == "plan"][-1]
    assert (plan["phase"], plan["run"]) == ("done", "divider")
    assert "kept" in plan["message"]
    assert load_design(tmp_path / "runs" / "divider").actuators >= 1


@pytest.mark.slow
def test_plan_stopped_at_once_leaves_nothing(worker: Any, tmp_path: Path) -> None:
    """A plan that is stopped before it found anything says so and leaves no folder; a late stop harms no later plan."""
    planner, events = worker
    planner.submit("plan", request("needle", time_budget_s=900.0))
    wait_for(events, of_plan("starting"))
    planner.stop("plan")
    found = wait_for(events, ended)
    assert found[-2]["type"] == "failed" or found[-2]["plan"]["run"] is None
    assert not (tmp_path / "runs").exists()
    planner.stop("plan")
    planner.submit("plan", request(time_budget_s=600.0, iterations=4, fast=True))
    assert [event["plan"] for event in wait_for(events, ended) if event["type"] == "plan"][-1]["phase"] == "done"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"text": "schema = 2"}, "missing key"),
        ({"tube": {"radius_mm": -5.0}}, "radius_mm = -5"),
        ({"options": {"propagator": "magic"}}, "magic"),
        ({"options": {"heuristic": True, "propagator": "impulse", "seed": -1}}, "seed"),
    ],
)
def test_failing_plan_is_one_line(lasting: Any, change: dict[str, Any], words: str) -> None:
    """A plan that cannot be made gives one line, and the worker goes on."""
    planner, events = lasting
    planner.submit("plan", {**request(), **change})
    found = wait_for(events, ended)
    (failed,) = [event for event in found if event["type"] == "failed"]
    assert words in failed["message"]
    assert "\n" not in failed["message"]
    assert "Traceback" not in failed["message"]


@pytest.mark.slow
def test_killed_worker_is_told_and_replaced(worker: Any) -> None:
    """A worker that is killed, for example for memory, fails its plan in words; the next plan starts another one."""
    planner, events = worker
    planner.submit("plan", request("maze", time_budget_s=900.0))
    wait_for(events, of_plan("searching"))
    assert planner.process
    os.kill(planner.process.pid, signal.SIGKILL)
    found = wait_for(events, ended)
    assert "killed" in found[-2]["message"]
    planner.submit("plan", request(time_budget_s=600.0, iterations=4, fast=True))
    assert [event["plan"] for event in wait_for(events, ended) if event["type"] == "plan"][-1]["phase"] == "done"


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    return False


SERVER = """
import sys, time
from vinewright.studio.workers import Worker
if __name__ == "__main__":
    from tests.vinewright.studio.test_workers import request
    planner = Worker(sys.argv[1], lambda event: print(event["type"], flush=True), True)
    planner.submit("plan", request("maze", time_budget_s=900.0))
    print("pid", planner.process.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_killed_server_leaves_no_orphan(tmp_path: Path) -> None:
    """When the server is killed in mid-search its worker ends, too."""
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    root = Path(__file__).parents[3]
    env = {**os.environ, "PYTHONPATH": str(root)}
    server = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "runs")], stdout=subprocess.PIPE, text=True, env=env
    )
    assert server.stdout
    pid = 0
    for line in server.stdout:
        if line.startswith("pid"):
            pid = int(line.split()[1])
        if line.startswith("tree") and pid:
            break
    assert alive(pid)
    server.kill()
    server.wait()
    server.stdout.close()
    wait_until(lambda: not alive(pid))


@pytest.mark.slow
def test_cold_cache_is_told(worker: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where kernels have to be compiled, the worker says so as soon as it starts, and for how long it has been."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cold"))
    planner, events = worker
    planner.start()
    found = wait_for(events, lambda event: of_plan("compiling")(event) and event["plan"]["seconds"] > 0)
    assert "only this once (about 15 seconds)" in found[-1]["plan"]["message"]
    planner.submit("plan", request())
    later = wait_for(events, lambda event: of_plan("compiling")(event) and event["plan"]["seconds"] > 1)
    assert all(of_plan("compiling")(event) for event in later)


def test_busy_is_told_in_words() -> None:
    """The reason of a refusal says what to do."""
    worker = Worker("", print, True)
    worker.jobs = {1: "plan"}
    with pytest.raises(Busy, match="stop it first"):
        worker.submit("plan", {})
