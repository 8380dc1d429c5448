"""Extension: what commands print on a page is as in a file, and a command that fails unexpectedly fails the build.

A cell whose command is meant to fail prints its exit code; below a heading that begins with a number and a colon, this must be the
code.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
IPYTHON = Path(__file__).parents[2] / "build" / "ipython"
"""Folder of the kernels' settings, in place of the user's."""
CONSOLE = {"IPYTHONDIR": str(IPYTHON), "COLUMNS": "90", "TTY_COMPATIBLE": "0"}
"""Environment of the kernels: their settings, as many characters in a line as a page has room for, and no terminal, although
ipykernel sets `FORCE_COLOR`, for which bars of progress would be drawn again and again."""
HEADING = re.compile(r"(\d+): ")


def complaints(doctree: nodes.document) -> Iterator[tuple[str, Any]]:
    """Cells that did not end with the exit code of their heading, each with its node."""
    for cell in doctree.findall(lambda node: isinstance(node, nodes.container) and "cell" in node["classes"]):
        wanted, printed = HEADING.match(_heading(cell)), _text(cell, "cell_output")
        if wanted and f"exit code {wanted.group(1)}\n" not in f"{printed}\n":
            typed = _text(cell, "cell_input").strip()
            yield f"{typed} did not end with exit code {wanted.group(1)}: {printed.strip()!r}", cell


def _text(cell: nodes.Element, part: str) -> str:
    """The text of a cell's input or output."""
    found = cell.findall(lambda node: isinstance(node, nodes.container) and part in node["classes"])
    return "\n".join(block.astext() for one in found for block in one.findall(nodes.literal_block))


def _heading(cell: nodes.Node) -> str:
    """The title of the section in which a cell is."""
    section = cell.parent
    while section and not isinstance(section, nodes.section):
        section = section.parent
    return next(section.findall(nodes.title)).astext() if section else ""


def warn(_app: Sphinx, doctree: nodes.document) -> None:
    """Warn of all complaints."""
    for complaint, node in complaints(doctree):
        logger.warning(complaint, location=node)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx; kernels inherit this process's environment."""
    startup = IPYTHON / "profile_default" / "startup"
    startup.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_name("shell_lines.py"), startup)
    os.environ.update(CONSOLE)
    app.connect("doctree-read", warn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
