"""Files designed to hang a program or to exhaust its memory, each read by its own process."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

MOST_SECONDS, MOST_BYTES = 60, 2**31
"""Limits of processor time and of memory in use."""
BUDGET = "--time-budget", "0.2", "--iterations", "2"
HEAD = (
    'schema = 1\nunit = "m"\nbounds = {{ min = [0, 0], max = [{0}, {0}] }}\nstart = {{ position = [0.2, 0.2], heading_deg = 0 }}\n'
    "goal = {{ position = [1.8, 1.8], radius = 0.1 }}\n"
)


def circles(count: int, side: float, radius: float) -> str:
    """An environment with random circles, away from start and goal if they are small [m]."""
    low = radius + 1.0 if radius > 1 else 0.5
    centres = np.random.default_rng(0).uniform(low, max(side, low), (count, 2))
    return HEAD.format(side) + f"obstacles = {{ circles = {[[x, y, radius] for x, y in centres.round(4).tolist()]} }}\n"


def outline(corners: int) -> str:
    """An environment with a star-shaped polygon of densely spaced corners."""
    turn, radius = 2 * np.pi * np.arange(corners) / corners, 0.3 + 0.005 * (np.arange(corners) % 2)
    points = np.stack([1.2 + radius * np.cos(turn), 1.0 + radius * np.sin(turn)], axis=1).round(7).tolist()
    return HEAD.format(2) + f"obstacles = {{ polygons = [{points}] }}\n"


def nested(text: str) -> str:
    return HEAD.format(2) + text


def one_of(length_mm: float) -> str:
    """A design of one section without actuator."""
    section = {"start_mm": 0, "end_mm": length_mm, "side": "none", "curvature_per_m": 0, "l0_mm": 0, "pressure_kpa": 0}
    return json.dumps({
        "schema": 1,
        "environment": {"name": "plus", "sha256": "0" * 64},
        "tube": {"radius_mm": 33, "growth_pressure_kpa": 10, "length_mm": length_mm},
        "actuator": {"type": "pouch", "width_mm": 60},
        "sections": [section],
        "predicted": {"tip_mm": [0, 0], "heading_deg": 0, "centerline_mm": []},
        "cost": {"actuators": 0, "length_mm": length_mm},
    })  # fmt: skip


FILES: dict[str, Callable[[], str]] = {
    "comment of 50 MB.toml": lambda: HEAD.format(2) + "#" * 50_000_000,
    "100 000 circles.toml": lambda: circles(100_000, 2, 0.001),
    "20 000 circles.toml": lambda: circles(20_000, 2, 0.001),
    "large circles.toml": lambda: circles(4000, 10_000, 8900),
    "star of 100 000.toml": lambda: outline(100_000),
    "star of 20 000.toml": lambda: outline(20_000),
    "brackets.toml": lambda: nested("a = " + "[" * 100_000),
    "dotted key.toml": lambda: nested("a" + ".a" * 1_000_000 + " = 1"),
    "long key.toml": lambda: nested("a" * 4_000_000 + " = 1"),
    "wrong circles.toml": lambda: nested("obstacles = { circles = [" + "[]," * 1_500_000 + "] }"),
    "lines in a name.toml": lambda: nested('name = "' + "\\n" * 2_000_000 + '"'),
    "largest number.toml": lambda: HEAD.format("1e308"),
    "10 km.toml": lambda: HEAD.format("1e4"),
    "short.json": lambda: one_of(1e-300),
    "100 m.json": lambda: one_of(1e5),
    "1 Gm.json": lambda: one_of(1e12),
    "brackets.json": lambda: "[" * 1_000_000,
    "wrong sections.json": lambda: '{"sections": [' + "{}," * 6_000_000 + "{}]}",
    "wrong frames.json": lambda: (
        '{"schema": 1, "name": "x", "unit": "m", "tube_radius_m": 0.1, "base": '
        '{"position_m": [0, 0], "heading_rad": 0}, "frames": [' + "{}," * 12_000_000 + "{}]}"
    ),
    "device.json": lambda: "/dev/zero",
    "pipe.json": lambda: "",
    "many vines": lambda: "",
    "long vines": lambda: "",
}
QUICK = "device.json", "short.json"


def command(name: str) -> list[str]:
    """The command to run on a file."""
    match name:
        case "many vines":
            return ["bench", "rollouts", "plus", "--batch", "10000", "--length", "50"]
        case "long vines":
            return ["plan", "10 km.toml", "--batch", "2000", *BUDGET]
        case "wrong frames.json":
            return ["fit", name]
        case _ if name.endswith(".json"):
            return ["simulate", "plus", name]
    return ["plan", name, *BUDGET]


def make(name: str) -> None:
    """Write a file in the working folder."""
    if name == "pipe.json":
        os.mkfifo(name)
    elif name == "device.json":
        Path(name).symlink_to("/dev/zero")
    elif "." in name:
        Path(name).write_text(FILES[name]())


MEASURED = """
import atexit, re
from pathlib import Path
atexit.register(lambda: Path("memory").write_text(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]))
from vinewright.cli import main
main()
"""
"""Program that writes its largest memory [kB]: that which `wait4` reports includes what the process that started it had."""


def limited() -> None:
    """Set the process limits; the limit of reserved memory is above that of used memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (4 * MOST_BYTES, 4 * MOST_BYTES))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in FILES]
)
def test_hostile_files_neither_hang_nor_fill_the_memory(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    held: Callable[[str, int, str], None],
    name: str,
) -> None:
    """Within one minute of processor time and 2 GiB the command succeeds, finds no solution, or prints one line."""
    monkeypatch.chdir(tmp_path)
    make(name)
    if name == "long vines":
        make("10 km.toml")
    line = [sys.executable, "-c", MEASURED, *command(name)]
    with Path("errors").open("wb") as errors:
        process = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limited
        )
    _, status, _ = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    held("hostile files", process.returncode, Path("errors").read_text())
    if process.returncode >= 0:  # else it was killed by a limit
        assert int(Path("memory").read_text()) * 1024 < MOST_BYTES
