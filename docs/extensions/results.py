"""Extension: each report of `results/` becomes a page, and the gallery shows them with their commands.

Pages link to reports, examples and other files of the repository by relative paths, as a reader of the repository needs them. In
the built documentation such a link leads to the page of the report, or else downloads the file.

Reports of results that this program would perhaps not measure again alike are marked: at the top of their pages, in the gallery,
and at every link to them and picture of them, so that no page has to say it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from pages import write
from sphinx.application import Sphinx
from sphinx.util import logging

from studies.stored import State, StoredResult, read_results, read_rows

logger = logging.getLogger(__name__)
ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "generated" / "results"
REPORT = re.compile(r"\]\((?:\.\./)+results/([\w-]+)/README\.md(#[\w-]*)?\)")
"""A link to a report from a page of the documentation."""
PICTURE = re.compile(r"\]\((?:\.\./)+results/([\w-]+)/(?!README\.md)[\w.-]+\)")
"""A picture of a report on a page of the documentation, or a link to one."""
MARK = '<sup class="stale" title="Measured with an earlier version of the program">stale</sup>'
INDEX = re.compile(r"\]\((?:\.\./)+results/README\.md\)")
COMMAND = re.compile(r"Made by `([^`]+)`")


def write_pages(app: Sphinx) -> None:
    """Write a page for each report, and the gallery, below `docs/generated`."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    stale = app.config.stale_results
    reports = sorted(ROOT.glob("results/*/README.md"))
    for path in reports:
        write(GENERATED / f"{path.parent.name}.md", _page(path, stale.get(path.parent.name, "")))
    for page in GENERATED.glob("*.md"):
        if page.name != "index.md" and not (ROOT / "results" / page.stem).exists():
            page.unlink()
    write(GENERATED / "index.md", _gallery({path.parent.name: path for path in reports}, stale))


def find_stale() -> dict[str, str]:
    """The note about each result that is not current, by its name."""
    return {one.name: note(one) for one in read_results(ROOT / "results") if one.state is not State.CURRENT}


def note(result: StoredResult) -> str:
    """The note on the page of a stale result."""
    return (
        f"**Stale**: measured with an earlier version of the program ({result.reason}). `{result.command} --out results --force` "
        "measures it again."
    )


def mark(text: str, stale: Collection[str]) -> str:
    """A page of the documentation with a mark behind every link to a report, and every picture of one, that is stale."""
    for pattern in (REPORT, PICTURE):
        text = pattern.sub(lambda found: f"{found[0]}{MARK if found[1] in stale else ''}", text)
    return text


def _page(report: Path, stale: str) -> str:
    """The text of a report, with its links and pictures as seen from the generated page, and a note if it is stale."""
    name = report.parent.name
    text = report.read_text(encoding="utf-8")
    if stale:
        title, _, rest = text.partition("\n")
        text = f"{title}\n\n{_warning(stale)}\n{rest}"
    text = re.sub(r"\]\((?!\w+:|#|\.\./)([\w./-]+)\)", rf"](../../../results/{name}/\1)", text)
    return _within(text)


def _warning(words: str) -> str:
    return f":::{{warning}}\n{words}\n:::\n"


def _within(text: str) -> str:
    """A text of `results/` with its links to other reports and to the documentation as seen from the generated page."""
    text = re.sub(r"\]\((?:\.\./)?([\w-]+)/README\.md", r"](\1.md", text)
    return re.sub(r"\]\((?:\.\./)+docs/", "](../../", text)


def _gallery(reports: dict[str, Path], stale: dict[str, str]) -> str:
    """The index of `results/`, its table as one entry for each report: title, question, note, command, and first picture."""
    intro = _within((ROOT / "results" / "README.md").read_text(encoding="utf-8")).partition("| Study |")[0]
    rows = [row for row in read_rows(ROOT / "results") if row[0] in reports]
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
        if name in stale:
            entries.append(_warning(stale[name]))
        entries += ["```sh", made.group(1) if made else command, "```", ""]
        pictures = sorted(one.name for one in reports[name].parent.glob("*.png"))
        if picture or pictures:  # some reports only name theirs
            words, file = picture.groups() if picture else (question, pictures[0])
            entries += [f"![{words}](../../../results/{name}/{file})", ""]
    toctree = ["```{toctree}", ":hidden:", "", *(name for name, *_ in rows), "```", ""]
    return "\n".join([intro.replace("# Results", "# Gallery of results", 1), *entries, *toctree])


def lead_to_pages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Lead links to reports to their pages here, with marks where these are stale; pages of reports have a note already."""
    if not docname.startswith("generated/"):
        source[0] = mark(source[0], app.config.stale_results)
    source[0] = REPORT.sub(r"](/generated/results/\1.md\2)", source[0])
    source[0] = INDEX.sub("](/generated/results/index.md)", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_config_value("stale_results", find_stale(), "env", dict)  # a change of it builds every page again
    app.connect("builder-inited", write_pages)
    app.connect("source-read", lead_to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
