"""A Dask cluster that runs independent cases, each on one thread, and survives the death of workers."""

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

from vinewright.cluster.worker import ONE_THREAD, call, packed

if TYPE_CHECKING:
    from distributed import Client, Future

Case = TypeVar("Case")
Result = TypeVar("Result")

CONNECTING = 10.0
"""Time within which a scheduler must answer [s]."""
POLLING = 0.5
"""Time between two looks at the cluster [s]; Ctrl-C ends it at once."""
PREPARING = 0.1
"""Time between two looks at what is prepared [s]."""
CLOSING = 5.0
"""Time within which a part of a cluster must close [s]."""
FOR_EVER = 1e9
"""A time that does not come [s]."""
DEATHS = 3
"""Number of workers that a case may kill before it is set aside."""
SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": DEATHS - 1,
    "distributed.worker.preload": ["vinewright.cluster.worker"],
    "distributed.nanny.pre-spawn-environ": {**dict.fromkeys(ONE_THREAD, "1"), "DASK_LOGGING__DISTRIBUTED": "critical"},
    # Dask would give a worker up that happens to be starting again this long after it was killed.
    "distributed.deploy.lost-worker-timeout": FOR_EVER,
    # A clock that jumps must not look like workers that are silent.
    "distributed.scheduler.worker-ttl": None,
    "distributed.comm.timeouts.connect": CONNECTING,
}
"""Configuration of Dask."""
LOST = "the scheduler ended, or cannot be reached any more"
AHEAD = 3
"""Number of cases that the scheduler has for each thread, so that no worker waits for the next one."""


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
class Outcome(Generic[Result]):
    """What became of a case."""

    number: int
    """Its place among the cases."""
    result: Result | None = None
    failure: BaseException | None = None
    """The exception that it raised, or `WorkerKilled`; None if it has a result."""


class Cluster:
    """Workers that a Dask client reaches through its scheduler."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.threads = 0
        """Number of threads of all workers; 0 while there are none."""
        self.running = 0
        """Number of cases that are being run."""
        self._looked = -math.inf

    @property
    def dashboard(self) -> str:
        """Address of the page on which Dask shows its work."""
        return str(self.client.dashboard_link)

    def prepare(
        self, function: Callable[[Case], object], case: Case, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """Wait for a worker, and run a case once on each machine, for example to compile kernels into its cache.

        Args:
            function: Its result is not kept; where it fails, the cases will tell.
            stopped: Called several times a second; once it says so, there is no more waiting.
        Raises:
            SchedulerLost: The scheduler ended.
        """
        self._look()
        while not self.threads and not stopped():
            time.sleep(POLLING)
            self._look()
        hosts = {address.rsplit(":", 1)[0]: address for address in self._workers()}
        given = packed(function, case)
        futures = {
            address: self.client.submit(call, given, workers=[address], key=f"prepare-{uuid4()}", pure=False)
            for address in hosts.values()
        }
        # A worker that dies comes back under another address, and what only the old one may run would wait for ever.
        while any(address in self._workers() and not future.done() for address, future in futures.items()):
            time.sleep(PREPARING)

    def outcomes(
        self,
        function: Callable[[Case], Result],
        cases: Iterable[Case],
        stopped: Callable[[], bool] = lambda: False,
    ) -> Generator[Outcome[Result]]:
        """Run cases, in the order given; yields their outcomes in the order in which they end.

        A case whose worker dies runs again on another one. Dask cannot tell which of a worker's cases was to blame: those
        that it gives up are repeated at the end, each while no other runs, and the guilty ones are set aside.
        Closing the iterator early cancels the others.

        Args:
            function: A function that the workers can import by name, or one that cloudpickle can copy.
            stopped: Called several times a second; once it says so, the other cases are cancelled.
        Raises:
            SchedulerLost: The scheduler ended; earlier outcomes have been yielded.
        """
        waiting, token = enumerate(cases), uuid4().hex
        following = next(waiting, None)
        accused: deque[tuple[int, Case]] = deque()
        retried: set[int] = set()
        under_way: dict[Any, tuple[Future[Any], int, Case]] = {}
        finished: SimpleQueue[Future[Any]] = SimpleQueue()

        def submit(number: int, case: Case, attempt: int = 0) -> None:
            key = f"case-{token}-{number}-{attempt}"
            future = self.client.submit(call, packed(function, case), key=key, pure=False)
            under_way[key] = future, number, case
            future.add_done_callback(finished.put)

        try:
            while (following or under_way or accused) and not stopped():
                if accused and not following and not under_way:
                    number, case = accused.popleft()
                    retried.add(number)
                    submit(number, case, attempt=1)
                self._look()
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
                        accused.append((number, case))
                    else:
                        yield outcome
        finally:
            self.running = 0
            with suppress(Exception):  # where the scheduler is lost, there is nothing to cancel
                self.client.cancel([future for future, _, _ in under_way.values()], force=True)

    def _outcome(self, future: Future[Any], number: int) -> Outcome[Any]:
        from distributed import KilledWorker

        try:
            # Waits where the worker has died since, and the case runs again.
            return Outcome(number, future.result())
        except KilledWorker:
            return Outcome(number, failure=WorkerKilled())
        except Exception as error:
            if future.status == "cancelled" or self.client.status != "running":
                raise SchedulerLost(LOST) from None
            return Outcome(number, failure=error)

    def _look(self) -> None:
        """Count the threads of the cluster, at most every `POLLING` seconds.

        Raises:
            SchedulerLost: The scheduler does not answer.
        """
        if time.monotonic() >= self._looked + POLLING:
            self.threads = sum(self._workers().values())
            self._looked = time.monotonic()

    def _workers(self) -> dict[str, int]:
        """Number of threads of each worker, by address."""
        try:
            return dict(self.client.nthreads())
        except Exception:
            raise SchedulerLost(LOST) from None


@contextmanager
def connected(workers: int = 1, scheduler: str | None = None, connecting: float = CONNECTING) -> Iterator[Cluster]:
    """A cluster of processes of this machine, or that of a scheduler which runs already.

    Args:
        workers: Number of processes; without meaning for a scheduler that runs already.
        scheduler: Address of a Dask scheduler, for example `tcp://10.0.0.5:8786`; None starts one here.
        connecting: Time within which that scheduler must answer [s].
    Raises:
        NoScheduler: No scheduler answers at that address within `connecting` seconds.
        SchedulerLost: No processes can be started on this machine.
    """
    import dask
    import distributed  # noqa: F401 - its defaults must be there before they are changed, or they go with the changes

    for name in [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what users need to know, this package tells them
    with dask.config.set(SETTINGS), _own(workers) if scheduler is None else _other(scheduler, connecting) as client:
        yield Cluster(client)


@contextmanager
def _own(workers: int) -> Iterator[Client]:
    """A scheduler in this process, with workers that are processes of this machine."""
    from distributed import Client, LocalCluster

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
        client = Client(local)
        held.callback(client.close, timeout=CLOSING)
        try:
            yield client
        finally:
            with suppress(Exception):  # a worker that is just being started again complains when it is closed
                client.wait_for_workers(workers, timeout=CLOSING)


@contextmanager
def _other(scheduler: str, connecting: float) -> Iterator[Client]:
    """A scheduler that runs already."""
    from distributed import Client

    client = Client.__new__(Client)
    try:
        Client.__init__(client, scheduler, timeout=connecting)
    except (OSError, ValueError, TypeError) as error:
        # Else the garbage collector closes it, and blocks for ever if it does so while another one is begun.
        with suppress(Exception):
            client.close(timeout=CLOSING)
        words = f"no Dask scheduler answers at {scheduler!r} (it may take {connecting:g} s)"
        raise NoScheduler(f"{words}; start one with `dask scheduler`, and check address and firewall") from error
    try:
        yield client
    finally:
        client.close(timeout=CLOSING)
