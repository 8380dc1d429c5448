"""CUDA devices: whether one can be used, and memory of PyTorch on it as arguments of Numba's kernels.

Memory belongs to PyTorch, so states index like any tensor; kernels are Numba's. With NUMBA_ENABLE_CUDASIM=1 Numba simulates a device in
Python, whose memory is that of the host.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dynamics.propagator import CannotRun, OutOfMemory

CHOICE = "VINEWRIGHT_DEVICE"
"""Environment variable with the default device."""
LEAST_DRIVER = 12, 1
"""First version of CUDA whose drivers take kernels with more than 4 KB of arguments."""
SHARE = 0.9
"""Largest share of the free memory of a device that is used [-]: the rest is for what the driver and PyTorch need themselves."""
LANES = 32
"""Vines of a warp: threads of a device that execute the same instruction."""
LEAST_WARPS = 2
"""Arrays of one warp only would be contiguous, and kernels be compiled for them once more."""
HOST_MEMORY = 2**31
"""Memory that a simulated device has [bytes]."""
ALIGNMENT = 256
"""Alignment of each array of an arena [bytes]."""


class DeviceLost(CannotRun):
    """A device failed, or was taken away, while it computed."""

    exit_code = 4


def is_simulated() -> bool:
    """Whether Numba simulates a device."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def driver_version() -> tuple[int, int] | None:
    """The newest version of CUDA that the installed driver supports; None without a driver."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        number = ctypes.c_int()
        return divmod(number.value // 10, 100) if driver.cuDriverGetVersion(ctypes.byref(number)) == 0 else None
    except (OSError, AttributeError):
        return None


@cache
def why_not() -> str | None:
    """Why exact contact cannot be computed on a CUDA device here, and what to do about it; None if it can."""
    if is_simulated():
        return None
    driver = driver_version()
    if driver is None:
        return "there is no CUDA driver here"
    if driver < LEAST_DRIVER:
        found, least = (".".join(map(str, version)) for version in (driver, LEAST_DRIVER))
        return f"the driver supports CUDA {found}, but {least} is needed: update the driver"
    for module, package in (("torch", "PyTorch"), ("numba_cuda", "numba-cuda")):
        if find_spec(module) is None:
            return f"{package} is not installed: install the extra cuda"
    import torch

    if torch.version.cuda is None:
        return "this PyTorch was built without CUDA: install a build with it, see https://pytorch.org"
    return _why_not_numba() if torch.cuda.is_available() else "PyTorch finds no CUDA device here"


def _why_not_numba() -> str | None:
    """Why numba-cuda cannot compile here; None if it can. Its releases up to 0.30.4 need a NumPy before 2.5, and do not say so."""
    try:
        import_module("numba.cuda.np.arrayobj")
    except Exception as error:
        return f"numba-cuda cannot be imported ({error}): install the extra cuda, which has versions that fit"
    return None


def default_device() -> str:
    """Device of models for which none is named: that of the variable `VINEWRIGHT_DEVICE`, which worker processes inherit, or "auto"."""
    return os.environ.get(CHOICE) or "auto"


def check_device(name: str) -> None:
    """Check a device for exact contact: "auto", "cpu" or "cuda".

    Raises:
        CannotRun: The name is unknown, or CUDA cannot be used.
    """
    if name not in ("auto", "cpu", "cuda"):
        raise CannotRun(f"unknown device {name!r}; known: auto, cpu, cuda")
    if name == "cuda" and (reason := why_not()):
        raise CannotRun(f"device cuda: {reason}; or use --device cpu or auto")


def may_use(device: str) -> bool:
    """Whether exact contact on a checked device may grow vines with CUDA; a simulated device must be named, since it is slow."""
    return device == "cuda" or (device == "auto" and not is_simulated() and why_not() is None)


def memory() -> str:
    """PyTorch's name of the device whose memory kernels use: without a device, that of the host."""
    return "cpu" if why_not() or is_simulated() else "cuda"


def device_name() -> str:
    """Name of the device."""
    if is_simulated():
        return "cuda, simulated"
    import torch

    return str(torch.cuda.get_device_name())


def free_memory() -> int:
    """Memory that can be allocated [bytes], that which PyTorch keeps for reuse included."""
    if memory() == "cpu":
        return HOST_MEMORY
    import torch

    reserved = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    return int(torch.cuda.mem_get_info()[0] + reserved)


def argument(tensor: Any) -> Any:
    """The memory of a PyTorch tensor as an argument of a kernel."""
    if not tensor.is_cuda:
        return tensor.numpy()
    from numba import cuda

    return cuda.as_cuda_array(tensor, sync=False)


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """Nested tuples, named or not, with a function of each part that is no tuple."""
    if not isinstance(tree, tuple):
        return function(tree)
    made = [map_leaves(function, part) for part in tree]
    return type(tree)(*made) if hasattr(tree, "_fields") else tuple(made)


def arguments(values: Any) -> Any:
    """`argument` of all tensors in nested tuples; all else remains as it is."""
    import torch

    return map_leaves(lambda one: argument(one) if isinstance(one, torch.Tensor) else one, values)


def to_device(values: Any) -> Any:
    """Copy all NumPy arrays in nested tuples to the device, as tensors; all else remains as it is."""
    import torch

    def copied(one: Any) -> Any:
        return torch.as_tensor(np.ascontiguousarray(one), device=memory()) if isinstance(one, np.ndarray) else one

    return map_leaves(copied, values)


class Arena:
    """Work space of vines in one piece of memory: entry i of an array of one vine lies beside entry i of the other vines of its warp.

    So the threads of a warp read neighbouring numbers, in one transaction, where they are at the same place of the same array.
    """

    def __init__(self, example: Any, warps: int) -> None:
        """Allocate memory.

        Args:
            example: Work space of one vine: nested named tuples of numpy arrays.
            warps: Number of warps, at least `LEAST_WARPS`.
        """
        import torch

        self.warps, self.example = warps, example
        sizes = [LANES * one.nbytes for one in _leaves(example)]
        starts = np.cumsum([0, *(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes)]).tolist()
        whole = torch.empty((warps, starts[-1]), dtype=torch.uint8, device=memory())
        self._parts = [
            whole[:, start : start + size].view(_torch_type(one.dtype)).view(warps, *one.shape, LANES)
            for one, start, size in zip(_leaves(example), starts, sizes, strict=False)
        ]
        parts = iter(self._parts)
        self.views: Any = map_leaves(lambda _: argument(next(parts)), example)
        """The example, with arrays of the shape (warps, ..., LANES), as arguments of kernels."""

    def fill(self) -> None:
        """Give each vine the values of the example."""
        import torch

        for part, one in zip(self._parts, _leaves(self.example), strict=True):
            part.copy_(torch.from_numpy(one)[None, ..., None].to(part.device).expand(part.shape))


def bytes_per_vine(example: Any) -> int:
    """Memory of one vine in an arena [bytes]."""
    return sum(-(-LANES * one.nbytes // ALIGNMENT) * ALIGNMENT for one in _leaves(example)) // LANES


@contextmanager
def readable_faults(vines: int) -> Iterator[None]:
    """Turn errors of a device into one line.

    Raises:
        OutOfMemory: Its memory is full.
        DeviceLost: It failed, or was taken away.
    """
    try:
        yield
    except Exception as error:
        if _is_memory(error):
            fewer = max(vines // 2, 1)
            raise OutOfMemory(
                f"the CUDA device ran out of memory growing {vines} vines at once; try --batch {fewer}"
            ) from None
        if type(error).__module__.split(".")[0] in ("numba", "numba_cuda", "cuda") or _is_lost(error):
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise DeviceLost(f"the CUDA device failed ({first}); run again, or with --device cpu") from error
        raise


def _is_memory(error: Exception) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(error, torch.OutOfMemoryError)


def _is_lost(error: Exception) -> bool:
    return isinstance(error, RuntimeError) and "CUDA" in str(error)


def _leaves(tree: Any) -> list[Any]:
    """The arrays of nested tuples, in order."""
    return [leaf for part in tree for leaf in _leaves(part)] if isinstance(tree, tuple) else [tree]


def _torch_type(dtype: DTypeLike) -> Any:
    import torch

    return {"float64": torch.float64, "int64": torch.int64, "bool": torch.bool}[np.dtype(dtype).name]
