"""Stored results: which of them this program would measure again alike, which are older, and which pages quote them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from planner.output.dependencies import ROOT, Dependencies
from vinewright.console.errors import BadInput

RESULTS = ROOT / "results"
ROW = re.compile(r"^\| \[([\w-]+)\]\([^)]*\) \| (.*?) \| `(.*?)`", re.MULTILINE)
"""A row of the table in `results/README.md`: name, question and command."""
LINK = re.compile(r"\]\((?:\.\./)*results/([\w-]+)/")
"""A link from a page to a result, or to a picture of one."""
PICTURE = re.compile(r"!\[[^\]]*\]\((?:\.\./)*results/([\w-]+)/")
"""A picture of a result on a page."""


class State(StrEnum):
    """Whether this program would measure a result again alike."""

    CURRENT = "current"
    STALE = "stale"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A folder of `results`, or one that is missing."""

    name: str
    command: str
    """The command that makes it, without --out."""
    state: State
    changes: list[str]
    """Modules and data files that changed since; empty too if it does not say what it depends on."""
    date: str = ""
    """Day on which it was made; empty if it was not recorded."""
    version: str = ""
    """Version of Vinewright; empty if it was not recorded."""
    seconds: float | None = None
    """Duration of the measurement [s]; None if it was not recorded."""

    @classmethod
    def of(cls, folder: Path, command: str, root: Path = ROOT) -> StoredResult:
        """Read the data in a folder, and compare what it depends on with this program.

        Args:
            command: The command that makes it, if there are no data.
            root: Folder to which paths in commands are relative.
        """
        try:
            content: dict[str, Any] = json.loads((folder / "data.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls(folder.name, command, State.MISSING, [])
        command = plain_command(content["command"])
        known = Dependencies.of(content.get("depends_on"))
        changes = known.changes(content["command"], root) if known.module else []
        state = State.CURRENT if known.module and not changes else State.STALE
        version = str(content.get("versions", {}).get("vinewright", ""))
        return cls(
            folder.name, command, state, changes, content.get("date", ""), version, _total(content.get("seconds"))
        )

    @property
    def reason(self) -> str:
        """Return why it is not current, as text; empty if it is."""
        if self.state is State.CURRENT:
            return ""
        if self.state is State.MISSING:
            return "not measured yet"
        if not self.changes:
            return "it does not say what it depends on"
        more = f" and {len(self.changes) - 3} more" if len(self.changes) > 3 else ""
        return f"changed since: {', '.join(self.changes[:3])}{more}"


def _total(seconds: Any) -> float | None:
    """Return a duration [s]: of `robustness` the sum of those of its parts."""
    return sum(seconds.values()) if isinstance(seconds, dict) else seconds


def plain_command(command: str) -> str:
    """Return a stored command without --out and without a note that it was interrupted."""
    return re.sub(r" --out \S+", "", command.split(", ")[0].rstrip(","))


def read_rows(results: Path) -> list[tuple[str, str, str]]:
    """Return the rows of the table in the README of a folder of results: name, question and command.

    Raises:
        BadInput: There is no such table.
    """
    try:
        rows = ROW.findall((results / "README.md").read_text(encoding="utf-8"))
    except FileNotFoundError:
        rows = []
    if not rows:
        raise BadInput("the stored results are in the source tree only: run this in a clone of the repository")
    return rows


def read_results(results: Path = RESULTS) -> list[StoredResult]:
    """Read all stored results, in the order of the table in their README.

    Raises:
        BadInput: There is no such table.
    """
    return [StoredResult.of(results / name, command, results.parent) for name, _, command in read_rows(results)]


def find_pages(root: Path = ROOT) -> Iterator[Path]:
    """Yield the README and the pages of the documentation that are written by hand."""
    yield root / "README.md"
    for page in sorted((root / "docs").rglob("*.md")):
        if "generated" not in page.relative_to(root).parts:
            yield page


def find_quotes(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the pages that quote each result, by its name: see `quoted`."""
    found: dict[str, list[str]] = {}
    for page in find_pages(root):
        names = (name for _, several in quoted(page.read_text(encoding="utf-8")) for name in several)
        for name in dict.fromkeys(names):
            found.setdefault(name, []).append(page.relative_to(root).as_posix())
    return found


def quoted(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the paragraphs of a page that quote results, each with the names of these.

    A paragraph quotes a result if it links to it and has a figure, or if it shows a picture of it. Digits in links, paths, names and
    code are no figures; a list item or a row of a table is a paragraph.
    """
    for paragraph in re.split(
        r"\n\s*\n|\n(?=\s*[-*|] ?)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    ):
        links, shown = LINK.findall(paragraph), PICTURE.findall(paragraph)
        prose = re.sub(r"\]\([^)]*\)|`[^`]*`|\b[A-Za-z]\w*\d\w*", "", paragraph)
        names = list(dict.fromkeys(links if re.search(r"\d", prose) else shown))
        if names:
            yield paragraph, names
