"""A Dask cluster that runs independent cases, each on one thread, and goes on if workers are killed."""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from uuid import uuid4

from vinewright.cluster.worker import ONE_THREAD, call, pack

if TYPE_CHECKING:
    from distributed import Client, Future

Case = TypeVar("Case")
Result = TypeVar("Result")

CONNECTING = 10.0
"""Time within which a scheduler must answer [s]."""
POLLING = 0.5
"""Time between two checks of the cluster [s]; Ctrl-C ends the wait at once."""
PREPARING = 0.1
"""Time between two checks of the preparation [s]."""
CLOSING = 5.0
"""Time within which a part of a cluster must close [s]."""
FOR_EVER = 1e9
"""Time limit that is never reached [s]."""
DEATHS = 3
"""Number of workers that a case may kill before it is set aside."""
SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": DEATHS - 1,
    "distributed.worker.preload": ["vinewright.cluster.worker"],
    "distributed.nanny.pre-spawn-environ": {**dict.fromkeys(ONE_THREAD, "1"), "DASK_LOGGING__DISTRIBUTED": "critical"},
    # A worker that is still restarting this long after it was killed would be given up by Dask.
    "distributed.deploy.lost-worker-timeout": FOR_EVER,
    # A jump of the clock must not make workers look silent.
    "distributed.scheduler.worker-ttl": None,
    "distributed.comm.timeouts.connect": CONNECTING,
}
"""Configuration of Dask."""
LOST = "the scheduler ended, or cannot be reached any more"
AHEAD = 3
"""Number of cases that the scheduler holds for each thread, so that no worker waits for its next case."""


class NoScheduler(ConnectionError):
    """No scheduler answers at an address."""

    exit_code = 2


class SchedulerLost(ConnectionError):
    """The scheduler ended, or cannot be reached any more, before all cases were done."""

    exit_code = 4


class WorkerKilled(RuntimeError):
    """A case killed every worker that ran it, possibly because memory ran out."""

    def __init__(self) -> None:
        super().__init__("a worker process was killed each time (possibly out of memory)")


@dataclass(frozen=True, slots=True)
class CaseOutcome(Generic[Result]):
    """Result or failure of a case."""

    number: int
    """Index of the case."""
    result: Result | None = None
    failure: BaseException | None = None
    """The exception that the case raised, or `WorkerKilled`; None if there is a result."""


class Cluster:
    """Workers that a Dask client reaches through its scheduler."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.threads = 0
        """Number of threads of all workers; 0 while there are none."""
        self.running = 0
        """Number of cases that are running."""
        self._counted_at = -math.inf

    @property
    def dashboard(self) -> str:
        """Address of the page on which Dask shows its work."""
        return str(self.client.dashboard_link)

    def prepare(
        self, function: Callable[[Case], object], case: Case, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """Wait for a worker, and run a case once on each machine, for example to fill its cache of compiled kernels.

        Args:
            function: Function of a case; its result and its exceptions are ignored.
            stopped: Called several times a second; the wait ends when it returns True.
        Raises:
            SchedulerLost: The scheduler ended.
        """
        self._count_threads()
        while not self.threads and not stopped():
            time.sleep(POLLING)
            self._count_threads()
        hosts = {address.rsplit(":", 1)[0]: address for address in self._workers()}
        message = pack(function, case)
        futures = {
            address: self.client.submit(call, message, workers=[address], key=f"prepare-{uuid4()}", pure=False)
            for address in hosts.values()
        }
        # A killed worker restarts at a new address: a call that only the old address may run would wait for ever.
        while any(address in self._workers() and not future.done() for address, future in futures.items()):
            time.sleep(PREPARING)

    def outcomes(
        self,
        function: Callable[[Case], Result],
        cases: Iterable[Case],
        stopped: Callable[[], bool] = lambda: False,
    ) -> Generator[CaseOutcome[Result]]:
        """Run cases, in the order given; yield their outcomes in the order in which they end.

        A case whose worker is killed runs again on another worker. Dask cannot tell which case of a worker killed it: cases
        that Dask gives up are repeated at the end, one at a time, and fail if their worker is killed again.
        Closing the iterator early cancels the cases that are left.

        Args:
            function: A function that the workers can import by name, or one that cloudpickle can copy.
            stopped: Called several times a second; the cases that are left are cancelled when it returns True.
        Raises:
            SchedulerLost: The scheduler ended; earlier outcomes have been yielded.
        """
        waiting, token = enumerate(cases), uuid4().hex
        following = next(waiting, None)
        suspects: deque[tuple[int, Case]] = deque()
        retried: set[int] = set()
        under_way: dict[Any, tuple[Future[Any], int, Case]] = {}
        finished: SimpleQueue[Future[Any]] = SimpleQueue()

        def submit(number: int, case: Case, attempt: int = 0) -> None:
            key = f"case-{token}-{number}-{attempt}"
            future = self.client.submit(call, pack(function, case), key=key, pure=False)
            under_way[key] = future, number, case
            future.add_done_callback(finished.put)

        try:
            while (following or under_way or suspects) and not stopped():
                if suspects and not following and not under_way:
                    number, case = suspects.popleft()
                    retried.add(number)
                    submit(number, case, attempt=1)
                self._count_threads()
                while following and len(under_way) < max(AHEAD * self.threads, AHEAD):
                    submit(*following)
                    following = next(waiting, None)
                self.running = min(len(under_way), self.threads)
                with suppress(Empty):
                    future = finished.get(timeout=POLLING)
                    _, number, case = under_way.pop(future.key)
                    outcome = self._outcome(future, number)
                    future.release()
                    if isinstance(outcome.failure, WorkerKilled) and number not in retried:
                        suspects.append((number, case))
                    else:
                        yield outcome
        finally:
            self.running = 0
            with suppress(Exception):  # if the scheduler is lost, there is nothing to cancel
                self.client.cancel([future for future, _, _ in under_way.values()], force=True)

    def _outcome(self, future: Future[Any], number: int) -> CaseOutcome[Any]:
        from distributed import KilledWorker

        try:
            # Waits if the worker was killed since, while the case runs again.
            return CaseOutcome(number, future.result())
        except KilledWorker:
            return CaseOutcome(number, failure=WorkerKilled())
        except Exception as error:
            if future.status == "cancelled" or self.client.status != "running":
                raise SchedulerLost(LOST) from None
            return CaseOutcome(number, failure=error)

    def _count_threads(self) -> None:
        """Count the threads of the cluster, at most every `POLLING` seconds.

        Raises:
            SchedulerLost: The scheduler does not answer.
        """
        if time.monotonic() >= self._counted_at + POLLING:
            self.threads = sum(self._workers().values())
            self._counted_at = time.monotonic()

    def _workers(self) -> dict[str, int]:
        """Return number of threads of each worker, by address."""
        try:
            return dict(self.client.nthreads())
        except Exception:
            raise SchedulerLost(LOST) from None


@contextmanager
def connect(workers: int = 1, scheduler: str | None = None, connecting: float | None = None) -> Iterator[Cluster]:
    """Open a cluster of processes on this machine, or connect to a running scheduler.

    Args:
        workers: Number of processes on this machine; ignored for a running scheduler.
        scheduler: Address of a Dask scheduler, for example `tcp://10.0.0.5:8786`; None starts a scheduler in this process.
        connecting: Time within which a running scheduler must answer [s]; None for `CONNECTING`.
    Raises:
        NoScheduler: No scheduler answers at that address within `connecting` seconds.
        SchedulerLost: No processes can be started on this machine.
    """
    import dask
    import distributed  # noqa: F401 - sets its defaults, which must exist before they are changed, or they are lost

    for name in [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # this package prints what users need to know
    with (
        dask.config.set(SETTINGS),
        _start_local_scheduler(workers)
        if scheduler is None
        else _connect_to_scheduler(scheduler, CONNECTING if connecting is None else connecting) as client,
    ):
        yield Cluster(client)


@contextmanager
def _start_local_scheduler(workers: int) -> Iterator[Client]:
    """Start a scheduler in this process, with worker processes on this machine."""
    from distributed import Client, LocalCluster

    from vinewright.cluster.registration import RemoveKilledWorkers

    try:
        local = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    except (OSError, RuntimeError, TimeoutError) as error:
        raise SchedulerLost(f"no worker processes can be started on this machine: {error}") from error
    with ExitStack() as held:
        held.callback(local.close, timeout=CLOSING)
        assert local.scheduler is not None
        local.scheduler.add_plugin(RemoveKilledWorkers())
        client = Client(local)
        held.callback(client.close, timeout=CLOSING)
        try:
            yield client
        finally:
            with suppress(Exception):  # a worker that is restarting raises errors when it is closed
                client.wait_for_workers(workers, timeout=CLOSING)


@contextmanager
def _connect_to_scheduler(scheduler: str, connecting: float) -> Iterator[Client]:
    """Connect to a running scheduler."""
    from distributed import Client

    client = Client.__new__(Client)
    try:
        Client.__init__(client, scheduler, timeout=connecting)
    except (OSError, ValueError, TypeError) as error:
        # Otherwise the garbage collector closes the client, and blocks for ever if another client is starting then.
        with suppress(Exception):
            client.close(timeout=CLOSING)
        words = f"no Dask scheduler answers at {scheduler!r} (it may take {connecting:g} s)"
        raise NoScheduler(f"{words}; start one with `dask scheduler`, and check address and firewall") from error
    try:
        yield client
    finally:
        client.close(timeout=CLOSING)
