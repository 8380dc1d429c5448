"""Functions that extensions that write pages share."""

from pathlib import Path


def write(page: Path, text: str) -> None:
    """Write a page if it changed, so that only what changed is built again."""
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")
