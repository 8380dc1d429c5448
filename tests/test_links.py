"""Links between the texts of the repository lead to files and headings that exist; links to elsewhere are complete addresses."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)?)\)")
FENCE = re.compile(r"^(`{3,}|:{3,}).*?^\1", re.MULTILINE | re.DOTALL)


def texts() -> list[Path]:
    """The Markdown files of the repository, without those that the build of the documentation writes."""
    found = [
        *ROOT.glob("*.md"),
        *(path for folder in ("docs", "results", "examples") for path in (ROOT / folder).rglob("*.md")),
    ]
    return sorted(path for path in found if "generated" not in path.parts)


@cache
def headings(path: Path) -> set[str]:
    """The anchors of the headings of a text, as GitHub and MyST make them."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    found = re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE) + re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", one).lower() for one in found)
    return {re.sub(r"[^\w\- ]", "", one).replace(" ", "-") for one in plain}


@pytest.mark.parametrize("path", texts(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link names a file, and a heading of it if it has an anchor; pages written by the build are left to it."""
    text = re.sub(r"`[^`\n]+`", "", FENCE.sub("", path.read_text(encoding="utf-8")))
    for target in LINK.findall(text):
        address = urlsplit(target)
        if address.scheme:
            assert address.scheme in ("https", "mailto"), target
            assert address.netloc or address.scheme == "mailto", target
            continue
        file = (path.parent / address.path).resolve() if address.path else path
        if "generated" in file.parts:
            continue
        assert file.exists(), target
        if address.fragment and file.suffix == ".md":
            assert address.fragment in headings(file), target
