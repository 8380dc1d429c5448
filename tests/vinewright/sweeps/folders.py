"""Small sweeps for tests, and the command in processes of its own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from planner.output.folder import write_folder
from tests.waiting import LONGEST
from vinewright.sweeps.make import load_grid, make_manifest

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "from vinewright.cli import main; main()"]
MARK = "VINEWRIGHT_TEST"
"""Variable of the environment by which the processes of a test are found."""


def study(**parts: Any) -> dict[str, Any]:
    """The content of a file of plans that take some hundredths of a second each."""
    plan = {"fast": True, "iterations": 2, "batch": 20, "seed": {"first": 0, "last": 5}}
    return {"schema": 1, "environments": {"files": ["small.toml"]}, "plan": plan, "trials": {"number": 5}} | parts


def toml(content: dict[str, Any], table: str = "") -> str:
    """Nested dictionaries as TOML; what is not a table must come first."""
    lines = [f"[{table}]"] * bool(table)
    for key, value in content.items():
        if isinstance(value, dict) and "first" not in value:
            lines.append(toml(value, f"{table}.{key}".lstrip(".")))
        elif isinstance(value, dict):
            lines.append(f"{key} = {{ {', '.join(f'{one} = {json.dumps(two)}' for one, two in value.items())} }}")
        else:
            lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def made_in(folder: Path, content: dict[str, Any], together: int = 1, name: str = "sweep") -> Path:
    """Make a sweep whose shards have some cases each, without timing a sample."""
    (folder / "study.toml").write_text(toml(content))
    _, checked, grid = load_grid(folder / "study.toml")
    write_folder(folder / name, make_manifest("study", checked, grid, 1.0, float(together)).write)
    return folder / name


def start(folder: Path, *arguments: object, **environ: str) -> "subprocess.Popen[str]":
    """Start `vinewright sweep` in a session of its own; its processes carry the folder in their environment."""
    path = os.pathsep.join([*environ.pop("PYTHONPATH", "").split(os.pathsep), str(ROOT)]).lstrip(os.pathsep)
    return subprocess.Popen(
        [*COMMAND, "sweep", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, MARK: str(folder), "PYTHONPATH": path, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Exit code, output and errors of a process."""
    try:
        said, errors = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return process.returncode, said, errors


def sweep(folder: Path, *arguments: object, **environ: str) -> tuple[int, str, str]:
    """Run `vinewright sweep`: exit code, output and errors."""
    return ended(start(folder, *arguments, **environ))


def done_in(sweep: Path) -> list[str]:
    """Names of the results in the folder of a sweep."""
    shards = sweep / "shards"
    return sorted(name for name in os.listdir(shards) if name[0] != ".") if shards.exists() else []


def left_over(folder: Path) -> list[int]:
    """Numbers of the processes that `start` began in a folder, and of their children."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            try:
                environ = Path(entry.path, "environ").read_bytes()
            except OSError:
                continue
            if f"{MARK}={folder}".encode() in environ.split(b"\0"):
                found.append(int(entry.name))
    return found
