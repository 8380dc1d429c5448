"""Extension: the changelog and the guide for contributors, which lie at the top of the repository, become pages."""

from __future__ import annotations

import re
from pathlib import Path

from pages import write
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "generated"
PAGES = "CHANGELOG", "CONTRIBUTING"
LINK = re.compile(rf"\]\((?:\.\./)+({'|'.join(PAGES)})\.md")
"""A link to one of them from a page of the documentation."""


def write_pages(_app: Sphinx) -> None:
    """Write them below `docs/generated`, with links as seen from there."""
    GENERATED.mkdir(exist_ok=True)
    for name in PAGES:
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/", "](../", text)
        text = re.sub(r"\]\((?!\w+:|#|\.\./)([\w./-]+)", r"](../../\1", text)
        write(GENERATED / f"{name.lower()}.md", text)


def lead_to_pages(_app: Sphinx, _docname: str, source: list[str]) -> None:
    """Lead links to them to their pages here."""
    source[0] = LINK.sub(lambda found: f"](/generated/{found[1].lower()}.md", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", lead_to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
