"""Commands in processes of their own, under circumstances that a test chooses."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.waiting import LONGEST

ROOT = Path(__file__).parents[2]
MAIN = "from vinewright.cli import main; main()"
PLAN = "plan", "small.toml", "--fast", "--iterations", "2", "--batch", "20", "--seed", "1", "--out", "run"


def command(*arguments: object, python: Sequence[str] = ()) -> list[str]:
    """The command line of a command, with options of Python."""
    return [sys.executable, *python, "-c", MAIN, *map(str, arguments)]


def surroundings(**changed: str | None) -> dict[str, str]:
    """The variables of the environment with changes; None removes one."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), **changed}
    return {name: value for name, value in known.items() if value is not None}


def ran(
    folder: Path, words: Sequence[str], limit: Callable[[], object] | None = None, **changed: str | None
) -> tuple[int, str, str]:
    """Run a command line to its end: exit code, output and errors."""
    done = subprocess.run(
        words,
        cwd=folder,
        env=surroundings(**changed),
        capture_output=True,
        check=False,
        preexec_fn=limit,
        timeout=LONGEST,
    )
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
