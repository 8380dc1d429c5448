"""Cases on a cluster of processes: each has one result, whatever happens to the workers."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest
from distributed import LocalCluster, Nanny, Scheduler, SchedulerPlugin

from tests.vinewright.cluster import cases
from tests.waiting import LONGEST, PAUSE, wait_until
from vinewright.cluster.cluster import AHEAD, DEATHS, CaseOutcome, Cluster, NoScheduler, WorkerKilled, connect

WORKERS = 2


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two processes of this machine."""
    with connect(WORKERS) as made:
        yield made


def live(cluster: Cluster) -> list[int]:
    """Numbers of the worker processes that are up."""
    local = cluster.client.cluster
    assert isinstance(local, LocalCluster)
    found = [nanny for nanny in local.workers.values() if isinstance(nanny, Nanny) and nanny.status.name == "running"]
    return [nanny.pid for nanny in found if nanny.pid]


def by_number(outcomes: Iterable[CaseOutcome[Any]]) -> dict[int, CaseOutcome[Any]]:
    """Outcomes by case, each there once."""
    found: dict[int, CaseOutcome[Any]] = {}
    for outcome in outcomes:
        assert outcome.number not in found
        found[outcome.number] = outcome
    return found


def run_with_kills(cluster: Cluster, total: int, kills: int, seed: int) -> dict[int, CaseOutcome[Any]]:
    """Square some numbers while processes are killed at random moments."""
    rng = random.Random(seed)
    moments, found = sorted(rng.sample(range(1, total * 9 // 10), kills)), []
    for outcome in cluster.outcomes(cases.slow_square, range(total)):
        found.append(outcome)
        if moments and len(found) >= moments[0] and (up := live(cluster)):
            time.sleep(rng.random() * 0.1)
            with suppress(ProcessLookupError):  # Dask may not know yet that the one before has died
                os.kill(rng.choice(up), signal.SIGKILL)
                moments.pop(0)
    assert not moments
    return by_number(found)


def test_every_case_has_its_result_once(cluster: Cluster) -> None:
    """Outcomes carry the number of their case, and the cluster knows its threads."""
    found = by_number(cluster.outcomes(cases.square, range(100, 160)))
    assert {number: one.result for number, one in found.items()} == {k: (100 + k) ** 2 for k in range(60)}
    assert all(one.failure is None for one in found.values())
    assert (cluster.threads, cluster.running) == (WORKERS, 0)
    assert by_number(cluster.outcomes(cases.square, [])) == {}


def test_workers_copy_functions_that_they_cannot_import(cluster: Cluster) -> None:
    """Also one that exists only in this test."""
    factor = 7
    assert [one.result for one in cluster.outcomes(lambda case: case * factor, [3])] == [21]


def test_a_case_that_raises_does_not_stop_the_others(cluster: Cluster) -> None:
    """Its outcome is the exception itself, also when it says that memory ran out."""
    found = by_number(cluster.outcomes(cases.raise_some, range(20)))
    for k, one in found.items():
        if k % 3:
            assert (one.result, one.failure) == (k, None)
        else:
            assert one.result is None
            expected = MemoryError("no room") if k % 2 else ValueError(f"case {k} is bad")
            assert (type(one.failure), str(one.failure)) == (type(expected), str(expected))
    assert len(found) == 20


def test_a_case_that_leaves_its_program_is_set_aside(cluster: Cluster) -> None:
    """A worker would never answer again; the others have their results."""
    found = by_number(cluster.outcomes(cases.leave, range(6)))
    assert str(found[2].failure) == "a case wanted to end its worker: SystemExit(7)"
    assert {k: one.result for k, one in found.items() if k != 2} == {k: k for k in range(6) if k != 2}


@pytest.mark.slow
@pytest.mark.parametrize("fatal", [{5}, pytest.param({0, 9, 29}, marks=pytest.mark.slow)])
def test_a_case_that_kills_its_workers_is_set_aside(cluster: Cluster, fatal: set[int]) -> None:
    """Those that shared a worker with it have their results."""
    asked = [-k - 1 if k in fatal else k for k in range(30)]
    found = by_number(cluster.outcomes(cases.square_or_be_killed, asked))
    assert {k for k, one in found.items() if one.failure is not None} == fatal
    for k in fatal:
        assert isinstance(found[k].failure, WorkerKilled)
        assert str(found[k].failure) == "a worker process was killed each time (possibly out of memory)"
        assert found[k].result is None
    others = set(range(30)) - fatal
    assert {k: found[k].result for k in others} == {k: k**2 for k in others}


def test_a_case_that_dask_gave_up_runs_again_alone(cluster: Cluster, tmp_path: Path) -> None:
    """Others may have killed its workers."""
    assert [one.result for one in cluster.outcomes(cases.die_thrice, [tmp_path])] == ["done"]
    assert len(os.listdir(tmp_path)) == DEATHS == 3


def test_killed_workers_lose_and_repeat_nothing(cluster: Cluster) -> None:
    """Three are killed at random moments, which the seed determines; their cases run again on others."""
    found = run_with_kills(cluster, 40, 3, seed=1)
    assert {k: one.result for k, one in found.items()} == {k: k**2 for k in range(40)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_twenty_killed_workers_lose_and_repeat_nothing(cluster: Cluster, seed: int) -> None:
    """Every case has its result once, also with more kills than a case may cause."""
    found = run_with_kills(cluster, 120, 20, seed)
    assert {k: one.result for k, one in found.items()} == {k: k**2 for k in range(120)}


@pytest.mark.slow
def test_preparation_survives_a_killed_worker(cluster: Cluster, tmp_path: Path) -> None:
    """It ends within a minute instead of never, whether the case kills one worker or all of them."""
    thread = Thread(target=cluster.prepare, args=(cases.die_once, tmp_path), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    thread = Thread(target=cluster.prepare, args=(cases.square_or_be_killed, -1), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert [one.result for one in cluster.outcomes(cases.square, [4])] == [16]


class KillOnRegistration(SchedulerPlugin):
    """Kills the first worker that registers, before it is answered."""

    name = "kill-on-registration"

    def __init__(self) -> None:
        self.killed = list[str]()

    async def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        if not self.killed:
            self.killed.append(worker)
            process = psutil.Process(scheduler.workers[worker].pid)
            process.kill()
            while process.is_running():
                await asyncio.sleep(PAUSE)


def test_a_worker_killed_while_it_registers_is_replaced(cluster: Cluster, tmp_path: Path) -> None:
    """Dask would keep it in its list for ever, and give it cases."""
    killer, local = KillOnRegistration(), cluster.client.cluster
    assert isinstance(local, LocalCluster)
    assert local.scheduler is not None
    local.scheduler.add_plugin(killer)
    assert [one.result for one in cluster.outcomes(cases.die_once, [tmp_path])] == ["done"]
    wait_until(lambda: killer.killed and killer.killed[0] not in cluster.client.nthreads())
    wait_until(lambda: len(cluster.client.nthreads()) == WORKERS)
    cluster.client.unregister_scheduler_plugin(killer.name)
    found = by_number(cluster.outcomes(cases.slow_square, range(20)))
    assert {k: one.result for k, one in found.items()} == {k: k**2 for k in range(20)}


def test_a_preparation_that_raises_is_left_to_the_cases(cluster: Cluster) -> None:
    """Their outcomes say what is wrong."""
    cluster.prepare(cases.raise_some, 0)


def test_cases_are_drawn_as_they_are_needed(cluster: Cluster) -> None:
    """The scheduler holds a few for each thread: there may be millions."""
    drawn = count()
    outcomes = cluster.outcomes(cases.square, (next(drawn) for _ in range(10**9)))
    for _ in range(10):
        next(outcomes)
    outcomes.close()
    assert next(drawn) <= 10 + AHEAD * WORKERS + 1


@pytest.mark.slow
def test_stopped_ends_the_outcomes() -> None:
    """It is asked several times a second, also while a case takes for ever; such a case does not keep the cluster open."""
    numbers = list[int]()
    with connect(1) as cluster:
        for one in cluster.outcomes(cases.last, [False, True, True], lambda: bool(numbers)):
            numbers.append(one.number)
    assert numbers == [0]


def test_closing_early_cancels_the_others(cluster: Cluster, tmp_path: Path) -> None:
    """No case is begun any more, and the cluster is free for others."""
    begun, go = tmp_path / "begun", tmp_path / "go"
    begun.mkdir()
    outcomes = cluster.outcomes(cases.mark_and_wait, [(begun, go, number) for number in range(1000)])
    assert next(outcomes).number == 0
    wait_until(lambda: len(os.listdir(begun)) == 1 + WORKERS)
    outcomes.close()
    # First the scheduler forgets them, then the workers are told.
    wait_until(lambda: not cluster.client.run_on_scheduler(cases.known))
    wait_until(lambda: not any(cluster.client.run(cases.queued).values()))
    go.touch()
    assert [one.result for one in cluster.outcomes(cases.square, [3] * 10)] == [9] * 10
    assert len(os.listdir(begun)) == 1 + WORKERS


def test_a_case_runs_on_one_thread(cluster: Cluster) -> None:
    """Every kernel runs on one thread too, and every process runs one case at a time."""
    assert [one.result for one in cluster.outcomes(cases.threads, [0, 1])] == [(1, 1)] * 2


@pytest.mark.slow
def test_a_case_for_which_memory_does_not_suffice_is_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask kills its workers; the machine is not filled, and the others have their results."""
    monkeypatch.setattr("distributed.system.MEMORY_LIMIT", 500 * 2**20 * (os.cpu_count() or 1))
    with connect(2) as cluster:
        found = by_number(cluster.outcomes(cases.fill_memory, [1, 2, 800, 3, 4, 5]))
    assert isinstance(found[2].failure, WorkerKilled)
    assert [one.result for k, one in sorted(found.items()) if k != 2] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "", "no://127.0.0.1:9", "tcp://127.0.0.1:x"])
def test_where_no_scheduler_answers_is_said_in_one_line(address: str) -> None:
    """The line has the address, and what to do about it."""
    answers = connect(scheduler=address, connecting=0.3)
    with pytest.raises(NoScheduler, match="no Dask scheduler answers at ") as error, answers:
        pass
    assert repr(address) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_a_silent_address_is_given_up() -> None:
    """Connecting ends by itself, with the limit that it has by default."""
    with pytest.raises(NoScheduler), connect(scheduler="tcp://127.0.0.1:9"):
        pass


@pytest.mark.slow
def test_one_cluster_after_another_in_a_new_process(tmp_path: Path) -> None:
    """The defaults of Dask are there for the second, where nothing imported it before the first."""
    program = tmp_path / "program.py"
    program.write_text(
        "from vinewright.cluster.cluster import connect\n"
        "if __name__ == '__main__':\n"
        "    for _ in range(2):\n"
        "        with connect(1) as cluster:\n"
        "            print([one.result for one in cluster.outcomes(abs, [-3])])\n"
    )
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=LONGEST)
    assert (ran.stdout, ran.stderr) == ("[3]\n[3]\n", "")
