"""`vinewright doctor`: properties of this installation."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from planner.console.terminal import new_console


def doctor() -> None:
    """Show versions, extras, devices, threads and the cache of compiled kernels."""
    from rich.table import Table

    from dynamics.registry import propagators
    from planner.console.errors import EXTRAS, missing, remedy
    from surrogate.compiled import cache_folder, thread_count

    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("vinewright", version("vinewright"))
    table.add_row("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    for package in ("numpy", "scipy", "numba", "shapely", "matplotlib", "pydantic", "torch", "ompl"):
        table.add_row(package, _version(package))
    for extra, (words, _) in EXTRAS.items():
        lacking = missing(extra)
        state = f"{', '.join(lacking)} missing: {remedy(extra)}" if lacking else f"installed: {words}"
        table.add_row(f"extra {extra}", state)
    table.add_row("propagators", ", ".join(propagators()))
    table.add_row("devices", _devices())
    table.add_row("threads", f"{thread_count()} (NUMBA_NUM_THREADS reduces it)")
    folder = cache_folder()
    kernels = sum(1 for _ in folder.rglob("*.nbi"))
    table.add_row(
        "kernel cache",
        f"{folder} ({f'{kernels} kernels compiled' if kernels else 'empty: the first plan compiles, 15 to 30 s'})",
    )
    table.add_row(
        "cache writable", "yes" if _writable(folder) else "no: kernels compile at every start; set NUMBA_CACHE_DIR"
    )
    new_console().print(table)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed (not needed for planning on the CPU)"


def _devices() -> str:
    try:
        torch = import_module("torch")
    except ImportError:
        return "cpu"
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return ", ".join(["cpu", *(f"cuda: {name}" for name in names)])


def _writable(folder: os.PathLike[str]) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
