"""Needs of the kernels of `dynamics.quasistatic.device` on a device: compiled for it on any machine, with or without one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np

from dynamics.cuda import argument
from dynamics.propagator import CannotRun
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from dynamics.world import BuiltWorlds
from environments import load_environment

SEGMENTS = 12
"""Number of segments of the vines with whose arrays the kernel is compiled; their types do not depend on it."""
REGISTERS, WARPS = 65536, 64
"""Registers of a multiprocessor, and warps that it can hold, on devices of compute capability 8.0 and 9.0."""


@dataclass(frozen=True, slots=True)
class Usage:
    """A kernel, compiled for one compute capability."""

    kernel: str
    capability: str
    compile_s: float
    """From Python to PTX [s]."""
    assemble_s: float
    """From PTX to machine code [s]."""
    registers: int
    """Number of registers of each thread."""
    stack_bytes: int
    """Local memory of each thread."""
    stored_bytes: int
    """Size of spilled registers, counted once for each instruction that stores them."""
    loaded_bytes: int
    """Size of spilled registers, counted once for each instruction that loads them."""
    argument_bytes: int

    @property
    def warps(self) -> int:
        """Warps that a multiprocessor holds at the same time."""
        each = -(-self.registers // 8) * 8 * 32  # registers are allocated eight at a time
        return min(REGISTERS // each, WARPS)


def compile_ptx(kernel: Callable[..., Any], arguments: tuple[Any, ...], capability: tuple[int, int]) -> str:
    """Compile a kernel to PTX, without a device.

    Args:
        arguments: Of the kernel; arrays may be those of NumPy.
    Raises:
        CannotRun: numba-cuda is not installed.
    """
    if find_spec("numba_cuda") is None:
        raise CannotRun("compiling for CUDA needs numba-cuda: install the extra cuda")
    from numba import cuda, typeof, void

    with _suppose_device(capability):
        ptx, _ = cuda.compile(
            kernel, void(*map(typeof, arguments)), cc=capability, output="ptx", device=False, abi="numba"
        )
    return str(ptx)


@contextmanager
def _suppose_device(capability: tuple[int, int]) -> Iterator[None]:
    """Let numba-cuda, which asks the present device for its capability even here, suppose one."""
    from numba.cuda import dispatcher

    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = before


def make_arguments() -> tuple[Any, ...]:
    """Arguments of the kernels for a small batch in `maze`."""
    from dynamics.quasistatic.device import Device
    from dynamics.quasistatic.propagator import QuasiStatic
    from dynamics.records import batch_of

    model, vines = QuasiStatic(load_environment("maze"), VineParams(), device="cpu"), 64
    nothing = np.zeros((vines, SEGMENTS))
    batch = batch_of(model.start(vines, SEGMENTS), Actuation(nothing, nothing), np.full(vines, 0.2), 0.025)
    models = model.in_worlds(BuiltWorlds.starting(model.scene, model.pose[None]))
    launch = Device().prepare(models, np.zeros(vines, np.int64), batch)
    return *launch.given, argument(launch.orders[0]), 0


def argument_bytes(value: Any) -> int:
    """Size of an argument of a kernel [bytes]: an array is two pointers to its owner, size, item size, address, shape and strides."""
    if isinstance(value, tuple):
        return sum(map(argument_bytes, value))
    return 8 * (5 + 2 * value.ndim) if isinstance(value, np.ndarray) else 8


def measure_usage(name: str, capability: tuple[int, int]) -> Usage:
    """Compile and assemble a kernel.

    Args:
        name: "grow_lanes" or "hold_lanes".
    Raises:
        CannotRun: A compiler is missing.
    """
    from dynamics.quasistatic import device

    arguments, begun = make_arguments(), time.perf_counter()
    ptx = compile_ptx(getattr(device, name), arguments, capability)
    compiled = time.perf_counter()
    told = assemble(ptx, capability)
    ended = time.perf_counter()
    stack, stored, loaded = (_number(rf"(\d+) bytes {what}", told) for what in ("stack", "spill stores", "spill loads"))
    return Usage(
        name,
        f"{capability[0]}.{capability[1]}",
        round(compiled - begun, 1),
        round(ended - compiled, 1),
        _number(r"Used (\d+) registers", told),
        stack,
        stored,
        loaded,
        argument_bytes(arguments),
    )


def assemble(ptx: str, capability: tuple[int, int]) -> str:
    """Assemble the kernel in a PTX file, and return what ptxas prints.

    Raises:
        CannotRun: There is no ptxas, or it refuses the file.
    """
    own = Path(sysconfig.get_path("purelib")) / "nvidia" / "cuda_nvcc" / "bin" / "ptxas"
    if not (found := str(own) if own.is_file() else shutil.which("ptxas")):
        raise CannotRun("there is no ptxas: install the extra cuda")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.ptx"
        file.write_text(ptx, encoding="utf-8")
        command = [
            found,
            f"-arch=sm_{capability[0]}{capability[1]}",
            "-v",
            str(file),
            "-o",
            str(file.with_suffix(".cubin")),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotRun(f"ptxas refuses the kernel: {done.stderr[:300]}")
    # Of the functions in the file, the kernel is the one with an entry.
    return done.stderr[done.stderr.index("Compiling entry function") :]


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    if found is None:
        raise CannotRun(f"ptxas has another form of output: no {pattern} in it")
    return int(found[1])
