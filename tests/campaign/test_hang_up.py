"""A terminal that is closed: what was found is kept, as after Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no SIGHUP", allow_module_level=True)

import fcntl
import pty
import termios

from tests.waiting import LONGEST

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from vinewright.cli import main; main()"]
PLAN = "plan", "small.toml", "--fast", "--time-budget", "600", "--batch", "20", "--out", "run"
FOUND = b"actuator"
"""Word of the progress once there is a solution."""


def begin(folder: Path, terminal: int, *before: str) -> "subprocess.Popen[bytes]":
    """Start a plan of ten minutes whose terminal is `terminal`, or that writes to this pipe."""

    def take_terminal() -> None:
        os.setsid()
        if os.isatty(terminal):
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    return subprocess.Popen(
        [*before, *COMMAND, *PLAN], cwd=folder, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
        preexec_fn=take_terminal, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip


def read_until(source: int, words: bytes) -> None:
    """Read output until it contains some words."""
    said = b""
    while words not in said:
        more = os.read(source, 4096)
        assert more, said
        said += more


def check_kept(folder: Path) -> None:
    """The run is whole, says that it was interrupted, and nothing lies beside it."""
    assert json.loads((folder / "run" / "run.json").read_text())["inputs"]["stopped"] == "interrupted"
    assert {"design.json", "solutions.json", "checkpoint.npz"} <= set(os.listdir(folder / "run"))
    assert sorted(os.listdir(folder)) == ["run", "small.toml"]


def test_a_closed_terminal_keeps_what_was_found(place: Path) -> None:
    """The terminal takes no more output, and the system sends SIGHUP, as when a window is closed or a connection ends."""
    master, terminal = pty.openpty()
    process = begin(place, terminal)
    os.close(terminal)
    read_until(master, FOUND)
    os.close(master)
    assert process.wait(LONGEST) == 0
    check_kept(place)


@pytest.mark.parametrize(
    "signals", [(signal.SIGHUP,) * 3, (signal.SIGTERM, signal.SIGHUP, signal.SIGHUP)], ids=["HUP", "TERM"]
)
def test_further_signals_of_a_closed_terminal_do_not_insist(place: Path, signals: tuple[int, ...]) -> None:
    """System and shell both send SIGHUP, a session manager after SIGTERM: the search ends in order all the same."""
    reading, writing = os.pipe()
    process = begin(place, writing)
    os.close(writing)
    read_until(reading, FOUND)
    for number in signals:
        process.send_signal(number)
    assert process.wait(LONGEST) == 0
    check_kept(place)
    os.close(reading)


def test_nohup_ignores_it(place: Path) -> None:
    """A plan goes on after SIGHUP, and ends by Ctrl-C."""
    reading, writing = os.pipe()
    process = begin(place, writing, "nohup")
    os.close(writing)
    read_until(reading, FOUND)
    process.send_signal(signal.SIGHUP)
    for _ in range(3):
        read_until(reading, b"iteration")
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(LONGEST) == 0
    check_kept(place)
    os.close(reading)
