"""Functions that run on a worker of the cluster. This module imports no kernels, so that their number of threads can still be set."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from typing import Any

from surrogate.kernels.stop_signals import STOPS

ONE_THREAD = "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"
"""The environment variables that set the number of threads of kernels."""


def use_one_thread() -> None:
    """Make the kernels of this process run on one thread; has no effect on kernels that are already imported."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))


def dask_setup(_: object) -> None:
    """Prepare a worker of this machine; Dask calls this when it starts one.

    Ctrl-C and the end of a terminal reach each of its processes; only the main process handles them.
    """
    for number in STOPS:
        if number != signal.SIGTERM:
            signal.signal(number, signal.SIG_IGN)


def pack(function: Callable[[Any], object], case: object) -> bytes:
    """Pickle a function and its argument for `call`, since a worker must not import the function before its threads are set."""
    import cloudpickle

    return bytes(cloudpickle.dumps((function, case)))


def call(message: bytes) -> Any:
    """Call a function on one thread, and return its result.

    Args:
        message: The function and its argument, from `pack`.
    Raises:
        RuntimeError: The function tried to end the process, after which the worker would never answer.
    """
    use_one_thread()
    function, case = pickle.loads(message)
    try:
        return function(case)
    except (KeyboardInterrupt, SystemExit) as error:
        raise RuntimeError(f"a case wanted to end its worker: {error!r}") from None
