"""Extension: each report of `results/` becomes a page, and the gallery shows them with their commands.

Pages link to reports, examples and other files of the repository by relative paths, as a reader of the repository needs them. In
the built documentation such a link leads to the page of the report, or else downloads the file.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "generated" / "results"
REPORT = re.compile(r"\]\((?:\.\./)+results/([\w-]+)/README\.md(#[\w-]*)?\)")
"""A link to a report from a page of the documentation."""
INDEX = re.compile(r"\]\((?:\.\./)+results/README\.md\)")
COMMAND = re.compile(r"Made by `([^`]+)`")


def write_pages(_app: Sphinx) -> None:
    """Write a page for each report, and the gallery, below `docs/generated`."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    reports = sorted(ROOT.glob("results/*/README.md"))
    for path in reports:
        _write(GENERATED / f"{path.parent.name}.md", _page(path))
    for page in GENERATED.glob("*.md"):
        if page.name != "index.md" and not (ROOT / "results" / page.stem).exists():
            page.unlink()
    _write(GENERATED / "index.md", _gallery(reports))


def _write(page: Path, text: str) -> None:
    """Write a page if it changed, so that only what changed is built again."""
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def _page(report: Path) -> str:
    """The text of a report, with its links and pictures as seen from the generated page."""
    name = report.parent.name
    text = report.read_text(encoding="utf-8")
    text = re.sub(r"\]\((?!\w+:|#|\.\./)([\w./-]+)\)", rf"](../../../results/{name}/\1)", text)
    text = re.sub(r"\]\(\.\./([\w-]+)/README\.md", r"](\1.md", text)
    return re.sub(r"\]\(\.\./\.\./docs/", "](../../", text)


def _gallery(reports: list[Path]) -> str:
    """One entry for each report: its title, its command, and its first picture."""
    entries = []
    for path in reports:
        text, name = path.read_text(encoding="utf-8"), path.parent.name
        title = text.splitlines()[0].lstrip("# ")
        made = COMMAND.search(text)
        picture = re.search(r"!\[([^\]]*)\]\(([\w./-]+)\)", text)
        entries += [f"## [{title}]({name}.md)", ""]
        if made:
            entries += ["```sh", made.group(1), "```", ""]
        if picture:
            entries += [f"![{picture.group(1)}](../../../results/{name}/{picture.group(2)})", ""]
    pages = "\n".join(path.parent.name for path in reports)
    return "\n".join(
        [
            *("# Gallery of results", ""),
            "Everything that was measured, with the command that measured it. Each title leads to its report.",
            *("", *entries, "```{toctree}", ":hidden:", "", pages, "```", ""),
        ]
    )


def lead_to_pages(_app: Sphinx, _docname: str, source: list[str]) -> None:
    """Lead links to reports to their pages here."""
    source[0] = REPORT.sub(r"](/generated/results/\1.md\2)", source[0])
    source[0] = INDEX.sub("](/generated/results/index.md)", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", lead_to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
