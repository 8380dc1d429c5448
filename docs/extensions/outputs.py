"""Extension: what commands print on a page is as in a file, and a command that fails unexpectedly fails the build.

Cells have a terminal, where bars of progress would be drawn again and again; `TTY_COMPATIBLE=0` says that it is none. A line of a
cell that begins with `!` does not stop the page if its command fails. A cell whose command is meant to fail prints its exit code;
below a heading that begins with a number and a colon, this must be the code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
FAILED = re.compile(r"^(error: .*|not met: .*|Traceback .*|.*command not found.*)$", re.MULTILINE)
HEADING = re.compile(r"(\d+): ")
CONSOLE = {"TTY_COMPATIBLE": "0", "COLUMNS": "90"}
"""Environment of the commands: no terminal, and as many characters in a line as a page has room for."""


def complaints(doctree: nodes.document) -> Iterator[tuple[str, Any]]:
    """What is wrong with the outputs of a page, each with its node."""
    for cell in doctree.findall(lambda node: isinstance(node, nodes.container) and "cell" in node["classes"]):
        typed, printed = _text(cell, "cell_input"), _text(cell, "cell_output")
        failed = FAILED.search(printed)
        if failed and "exit code" not in typed:
            yield f"{typed.strip()} ended with {failed.group()!r}", cell
        wanted = HEADING.match(_heading(cell))
        if wanted and f"exit code {wanted.group(1)}\n" not in f"{printed}\n":
            yield f"{typed.strip()} did not end with exit code {wanted.group(1)}: {printed.strip()!r}", cell


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
    os.environ.update(CONSOLE)
    app.connect("doctree-read", warn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
