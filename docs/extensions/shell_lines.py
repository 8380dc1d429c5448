"""Execution of a line that begins with `!` in a cell of the documentation; `outputs.py` makes each kernel run this file first.

IPython would run it in a terminal, where progress is drawn again and again, and would ignore that it fails.
"""

import subprocess
import sys
from functools import partial
from typing import Any


def system(shell: Any, command: str) -> None:
    """Run a shell command, and print what it writes as it comes.

    Args:
        shell: What fills in values of the cell: `{name}` in the command.
    Raises:
        RuntimeError: The exit code is not 0, so that the page fails; with the last line that was printed.
    """
    filled, last = shell.var_expand(command, depth=1), ""
    with subprocess.Popen(filled, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout
        for line in process.stdout:
            last = line.decode()
            sys.stdout.write(last)
    if process.returncode:
        raise RuntimeError(f"{filled} ended with exit code {process.returncode}: {last.strip()}")


if __name__ == "__main__":
    from IPython import get_ipython

    get_ipython().system = partial(system, get_ipython())
