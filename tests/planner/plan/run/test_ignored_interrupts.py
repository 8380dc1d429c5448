"""A suite that a shell has started with `&`, whose processes ignore Ctrl-C."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]


@pytest.mark.slow
def test_tests_of_ctrl_c_pass_where_the_shell_ignores_it() -> None:
    """They send the signal to their own process."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        tests = "tests/planner/plan/run/test_interrupted_stages.py", "-k", "resumed_plan"
        command = [sys.executable, "-m", "pytest", "-n", "0", *tests]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
