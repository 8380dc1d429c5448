"""The end of a command: its exit code, a last line about a request that was not met, and the JSON document of `--json`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.console.terminal import make_console

if TYPE_CHECKING:
    from rich.console import Console

NOT_MET = 3
"""Exit code of a command that ran, but did not meet the request."""

JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print the result to stdout as one JSON document; all other output goes to stderr."),
]


def end_command(console: Console, missed: str, code: int = 0) -> int:
    """Print the last line if a request was not met, and return the exit code of the command.

    Args:
        missed: Text that says what was not met; empty if everything was.
        code: Exit code that takes precedence, such as that of a killed worker; 0 if there is none.
    """
    if missed:
        console.print(f"not met: {missed}", style="bold")
    return code or (NOT_MET if missed else 0)


class Answer:
    """The result of a command, for people or for programs."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.console = make_console(stderr=as_json)
        """Console for everything except the document."""

    def end(self, content: dict[str, Any], wrote: Iterable[Path | None] = (), missed: str = "", code: int = 0) -> int:
        """Return the exit code (see `end_command`); with `--json`, the document is printed.

        Args:
            content: The result, with the units in its keys.
            wrote: Files and folders that were written; None for files that were not requested.
        """
        code = end_command(self.console, missed, code)
        if self.as_json:
            files = [str(path) for path in wrote if path is not None]
            document = {"met": not missed, "reason": missed or None, "wrote": files, **content}
            sys.stdout.write(json.dumps(document, indent=1, allow_nan=False) + "\n")
            sys.stdout.flush()
        return code
