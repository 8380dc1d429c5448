"""What a worker of the cluster runs. This module imports no kernels, so that their number of threads can still be set."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from typing import Any

ONE_THREAD = "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"
"""The variables of the environment that say how many threads kernels use."""


def use_one_thread() -> None:
    """Let kernels of this process run on one thread; has no effect on those that were imported before."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))


def dask_setup(_: object) -> None:
    """Prepare a worker of this machine; Dask calls this when it starts one.

    Ctrl-C is sent to every process of the terminal; only the main process handles it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def packed(function: Callable[[Any], object], case: object) -> bytes:
    """A function and its argument, for `call`: a worker must not import the function before threads are set."""
    import cloudpickle

    return bytes(cloudpickle.dumps((function, case)))


def call(given: bytes) -> Any:
    """Call a function.

    Args:
        given: The function and its argument, `packed`.
    Raises:
        RuntimeError: The function wanted to end the process, which would leave a worker that never answers.
    """
    use_one_thread()
    function, case = pickle.loads(given)
    try:
        return function(case)
    except (KeyboardInterrupt, SystemExit) as error:
        raise RuntimeError(f"a case wanted to end its worker: {error!r}") from None
