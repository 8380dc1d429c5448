"""The Python face where programs use it: threads, a forked process, a running event loop, copies."""

import asyncio
import copy
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import vinewright as vw
from planner.design.design_file import design_content

pytestmark = pytest.mark.slow


def plan(file: Path) -> vw.Result:
    """A plan of two iterations."""
    return vw.plan(vw.load_environment(file), iterations=2, batch=20, fast=True, seed=1)


@pytest.fixture(scope="module")
def usual(small_file: Path) -> vw.Result:
    """A plan made in the main thread."""
    result = plan(small_file)
    assert result.best
    return result


def same(one: vw.Result, other: vw.Result) -> bool:
    """Whether two plans have found the same design."""
    assert one.best
    assert other.best
    return design_content(one.best) == design_content(other.best)


def test_two_threads_plan_at_once(small_file: Path, usual: vw.Result) -> None:
    """Both find what one alone finds."""
    with ThreadPoolExecutor(2) as threads:
        results = list(threads.map(plan, [small_file] * 2))
    assert all(same(result, usual) for result in results)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely")
def test_a_forked_process_plans(small_file: Path, usual: vw.Result) -> None:
    """After its parent has planned."""
    process = os.fork()
    if not process:
        os._exit(0 if same(plan(small_file), usual) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def test_a_running_event_loop_does_not_matter(small_file: Path, usual: vw.Result, tmp_path: Path) -> None:
    """A plan runs there, called directly or in a thread, as in a notebook."""

    async def work() -> list[vw.Result]:
        return [plan(small_file), await asyncio.to_thread(plan, small_file)]

    first, second = asyncio.run(work())
    assert same(first, usual)
    assert same(second, usual)
    second.save(tmp_path / "run")
    assert vw.load_design(tmp_path / "run").params == usual.best.params  # type: ignore[union-attr]


@pytest.mark.parametrize("way", ["pickled", "copied"])
def test_copies_are_alike(small_file: Path, usual: vw.Result, way: str) -> None:
    """Environment, tube, design, simulation and the whole result; a copied design grows as the first does."""
    assert usual.best
    environment = vw.load_environment(small_file)
    simulation = vw.simulate(usual.best, environment)

    def made(thing: object) -> object:
        return pickle.loads(pickle.dumps(thing)) if way == "pickled" else copy.deepcopy(thing)

    other, design, again, result = (made(one) for one in (environment, usual.best, simulation, usual))
    assert isinstance(other, vw.Environment)
    assert isinstance(design, vw.Design)
    assert isinstance(result, vw.Result)
    assert other.sha256 == environment.sha256
    assert design_content(design) == design_content(usual.best)
    assert vw.simulate(design, other).centerline.tobytes() == simulation.centerline.tobytes()
    assert again.centerline.tobytes() == simulation.centerline.tobytes()  # type: ignore[attr-defined]
    assert same(result, usual)
