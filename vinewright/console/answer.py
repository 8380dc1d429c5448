"""How a command ends: with its exit code, a last line about what was not met, and one JSON document if that was asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.console.terminal import new_console

if TYPE_CHECKING:
    from rich.console import Console

NOT_MET = 3
"""Exit code if a command did what it could, but not what was asked."""

JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print the result to stdout as one JSON document; all other output goes to stderr."),
]


def ended(console: Console, missed: str, code: int = 0) -> int:
    """The exit code of a command; if something was asked and not met, this prints the last line.

    Args:
        missed: What was not met, in words; empty if all was.
        code: Exit code that takes precedence, such as that of a killed worker; 0 if there is none.
    """
    if missed:
        console.print(f"not met: {missed}", style="bold")
    return code or (NOT_MET if missed else 0)


class Answer:
    """The result of a command, for people or for programs."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.console = new_console(stderr=as_json)
        """Where everything is printed except the document."""

    def end(self, content: dict[str, Any], wrote: Iterable[Path | None] = (), missed: str = "", code: int = 0) -> int:
        """The exit code (see `ended`); with `--json`, the document is printed.

        Args:
            content: The result, with the units in its keys.
            wrote: Files and folders that were written; None for those that were not asked for.
        """
        code = ended(self.console, missed, code)
        if self.as_json:
            files = [str(path) for path in wrote if path is not None]
            document = {"met": not missed, "reason": missed or None, "wrote": files, **content}
            sys.stdout.write(json.dumps(document, indent=1, allow_nan=False) + "\n")
            sys.stdout.flush()
        return code
