"""`vinewright doctor`: properties of this installation."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from typing import Any

from vinewright.console.answer import Answer, JsonOption

PACKAGES = "numpy", "scipy", "numba", "shapely", "matplotlib", "pydantic", "ompl", "networkx", "torch", "numba-cuda"


def doctor(as_json: JsonOption = False) -> int:
    """Show versions, extras, devices, threads and the cache of compiled kernels."""
    from rich.table import Table

    answer = Answer(as_json)
    content = _collect()
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("vinewright", content["vinewright"])
    table.add_row("python", content["python"])
    for package, number in content["packages"].items():
        table.add_row(package, number or "not installed (not needed for planning on the CPU)")
    for extra, state in content["extras"].items():
        lacking = ", ".join(state["missing"])
        table.add_row(
            f"extra {extra}", f"{lacking} missing: {state['remedy']}" if lacking else f"installed: {state['packages']}"
        )
    table.add_row("planner", content["planner"])
    table.add_row("propagators", ", ".join(content["propagators"]))
    table.add_row("devices", ", ".join(content["devices"]))
    table.add_row("exact contact on", content["exact_contact"])
    table.add_row("threads", f"{content['threads']} (NUMBA_NUM_THREADS reduces it)")
    kernels = content["kernels"]
    cached = f"{kernels} kernels compiled" if kernels else "empty: the first plan compiles, about 15 seconds"
    table.add_row("kernel cache", f"{content['kernel_cache']} ({cached})")
    writable = "yes" if content["cache_writable"] else "no: kernels compile at every start; set NUMBA_CACHE_DIR"
    table.add_row("cache writable", writable)
    answer.console.print(table)
    return answer.end(content)


def _collect() -> dict[str, Any]:
    """Collect the properties of the installation for a JSON document."""
    from dynamics.registry import propagators
    from planner.output.provenance import find_version
    from surrogate.kernels.compiled import cache_folder, thread_count
    from vinewright.console.errors import EXTRAS, missing, remedy

    folder = cache_folder()
    return {
        "vinewright": find_version("vinewright"),
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "packages": {package: find_version(package) for package in PACKAGES},
        "extras": {
            extra: {"packages": words, "missing": missing(extra), "remedy": remedy(extra) if missing(extra) else None}
            for extra, (words, _) in EXTRAS.items()
        },
        "planner": f"SST* without OMPL, with the same designs; no --heuristic, --planner and vw.ompl: {remedy('ompl')}"
        if missing("ompl")
        else f"SST* in OMPL {find_version('ompl')}",
        "propagators": list(propagators()),
        "devices": _devices(),
        "exact_contact": _exact_contact(),
        "threads": thread_count(),
        "kernel_cache": str(folder),
        "kernels": sum(1 for _ in folder.rglob("*.nbi")),
        "cache_writable": _is_writable(folder),
    }


def _devices() -> list[str]:
    try:
        torch = import_module("torch")
    except ImportError:
        return ["cpu"]
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return ["cpu", *(f"cuda: {name}" for name in names)]


def _exact_contact() -> str:
    """Return the device on which `quasistatic` grows vines, and the reason, as text."""
    from dynamics.crossover import known_crossover
    from dynamics.cuda import CHOICE, default_device, device_name, why_not
    from surrogate.kernels.compiled import thread_count

    chosen, reason = default_device(), why_not()
    if chosen != "auto":
        return f"{chosen}: {CHOICE} is set"
    if reason:
        return f"cpu: {reason}"
    least = known_crossover(thread_count())
    known = "measured by the first batch" if least is None else f"{least:.0f}"
    return f"cpu, and {device_name()} for batches of at least so many vines: {known}"


def _is_writable(folder: os.PathLike[str]) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
