"""Memory of measured cases: each in a process of its own."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from typing import TypeVar

Case = TypeVar("Case")
Result = TypeVar("Result")


def run_apart(function: Callable[[Case], Result], cases: Sequence[Case]) -> Iterator[Result]:
    """Yield the result of each case, computed in a process of its own, whose memory is that of the case."""
    for case in cases:
        with get_context("spawn").Pool(1) as pool:
            yield pool.apply(function, (case,))


def largest_memory() -> float:
    """Return the largest memory that this process had so far [MB]."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
