"""Extension: each report of `results/` becomes a page, and the gallery shows them with their commands.

Pages link to reports, examples and other files of the repository by relative paths, as a reader of the repository needs them. In
the built documentation such a link leads to the page of the report, or else downloads the file.
"""

from __future__ import annotations

import re
from pathlib import Path

from pages import write
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
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
        write(GENERATED / f"{path.parent.name}.md", _page(path))
    for page in GENERATED.glob("*.md"):
        if page.name != "index.md" and not (ROOT / "results" / page.stem).exists():
            page.unlink()
    write(GENERATED / "index.md", _gallery({path.parent.name: path for path in reports}))


def _page(report: Path) -> str:
    """The text of a report, with its links and pictures as seen from the generated page."""
    name = report.parent.name
    text = report.read_text(encoding="utf-8")
    text = re.sub(r"\]\((?!\w+:|#|\.\./)([\w./-]+)\)", rf"](../../../results/{name}/\1)", text)
    return _within(text)


def _within(text: str) -> str:
    """A text of `results/` with its links to other reports and to the documentation as seen from the generated page."""
    text = re.sub(r"\]\((?:\.\./)?([\w-]+)/README\.md", r"](\1.md", text)
    return re.sub(r"\]\((?:\.\./)+docs/", "](../../", text)


def _gallery(reports: dict[str, Path]) -> str:
    """The index of `results/`, its table as one entry for each report: title, question, command, and first picture."""
    intro, _, table = _within((ROOT / "results" / "README.md").read_text(encoding="utf-8")).partition("| Study |")
    rows = re.findall(r"^\| \[([\w-]+)\]\([^)]*\) \| (.*?) \| `(.*?)`", table, re.MULTILINE)
    if missing := set(reports) - {name for name, *_ in rows}:
        logger.warning("results/README.md does not list %s", ", ".join(sorted(missing)))
    entries = []
    for name, question, command in rows:
        text = reports[name].read_text(encoding="utf-8")
        made = COMMAND.search(text)
        picture = re.search(r"!\[([^\]]*)\]\(([\w./-]+)\)", text)
        entries += [
            f"## [{text.splitlines()[0].lstrip('# ')}]({name}.md)",
            "",
            f"{question[0].upper()}{question[1:]}.",
            "",
        ]
        entries += ["```sh", made.group(1) if made else command, "```", ""]
        pictures = sorted(one.name for one in reports[name].parent.glob("*.png"))
        if picture or pictures:  # some reports only name theirs
            words, file = picture.groups() if picture else (question, pictures[0])
            entries += [f"![{words}](../../../results/{name}/{file})", ""]
    toctree = ["```{toctree}", ":hidden:", "", *(name for name, *_ in rows), "```", ""]
    return "\n".join([intro.replace("# Results", "# Gallery of results", 1), *entries, *toctree])


def lead_to_pages(_app: Sphinx, _docname: str, source: list[str]) -> None:
    """Lead links to reports to their pages here."""
    source[0] = REPORT.sub(r"](/generated/results/\1.md\2)", source[0])
    source[0] = INDEX.sub("](/generated/results/index.md)", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", lead_to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
