"""Content of a release: one version, metadata, the files of wheel and sdist, and the documents around them."""

import configparser
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import LONGEST
from vinewright.console.errors import EXTRAS

ROOT = Path(__file__).parents[1]
SETTINGS = configparser.ConfigParser()
SETTINGS.read(ROOT / "setup.cfg")
VERSION = SETTINGS["metadata"]["version"]
REQUIRED = {"cff-version", "message", "title", "authors"}
"""Keys that Citation File Format 1.2.0 requires; each reference needs type, title and authors."""


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    """The content of CITATION.cff."""
    yaml = pytest.importorskip("yaml")
    content: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return content


def test_the_citation_has_what_its_format_requires(citation: dict[str, Any]) -> None:
    """Version 1.2.0 of it, and only keys that it knows."""
    assert citation.keys() >= REQUIRED
    assert citation["cff-version"] == "1.2.0"
    known = REQUIRED | {"abstract", "type", "version", "date-released", "license", "references"}
    assert citation.keys() <= known
    for paper in citation["references"]:
        assert {"type", "title", "authors"} <= paper.keys()
        assert paper.keys() <= {"type", "title", "authors", "conference", "month", "year", "start", "notes"}
        assert paper["type"] in ("article", "conference-paper")
        assert all({"family-names", "given-names"} == one.keys() or {"name"} == one.keys() for one in paper["authors"])
        assert (paper["type"] == "conference-paper") == ("conference" in paper)


def test_the_citation_names_every_paper_of_the_documentation(citation: dict[str, Any]) -> None:
    """Those of the table of sources, by number."""
    table = ROOT / "docs/reference/propagators.md"
    cited = re.findall(r"^\| (\d{3}(?:, \d{3})*) \| (.*?): \*(.*?)\*", table.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(cited) == len(citation["references"]) == 4
    for (numbers, authors, title), paper in zip(cited, citation["references"], strict=True):
        assert paper["title"] == title
        assert all(number in paper["notes"] for number in numbers.split(", "))
        assert authors.startswith(paper["authors"][0]["family-names"])


def test_there_is_one_version(citation: dict[str, Any]) -> None:
    """The citation and the first entry of the changelog have the version of setup.cfg, with one date."""
    (number, date), *older = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert VERSION == number == citation["version"]
    assert date == citation["date-released"]
    assert [date, *(day for _, day in older)] == sorted([date, *(day for _, day in older)], reverse=True)
    elsewhere = [
        path
        for folder in ("environments", "surrogate", "dynamics", "planner", "vinewright", "studies")
        for path in (ROOT / folder).rglob("*.py")
        if f'"{VERSION}"' in path.read_text(encoding="utf-8")
    ]
    assert not elsewhere


def test_the_changelog_has_the_sections_of_its_format() -> None:
    """Added, Changed, Deprecated, Removed, Fixed and Security, each with at least one entry."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### (.*)\n\n(\*)?", text, re.MULTILINE)
    assert len(sections) >= 4
    assert {name for name, _ in sections} <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert all(entry for _, entry in sections)


def test_every_extra_is_described() -> None:
    """With its size, in the page on installation; the command that names what is missing knows all but `docs` too."""
    page = ROOT / "docs/howto/installation.md"
    rows = re.findall(r"^\| `(\w+)` \| .* \| \+\d+ \| \+\d+ \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(rows) == {"docs", *EXTRAS} == set(SETTINGS["options.extras_require"]) - {"test"}


def test_every_command_is_in_the_readme() -> None:
    """One row of its table each, except hidden ones."""
    from vinewright.commands.registry import COMMANDS

    rows = re.findall(r"^\| `vinewright ([\w-]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(name for name, listed in COMMANDS.items() if not listed.hidden)


@pytest.mark.slow
def test_wheel_and_sdist_have_what_they_need(tmp_path: Path) -> None:
    """All modules, data and markers of types in the wheel, neither results nor tests; what it takes to build in the sdist."""
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, ROOT]
    subprocess.run(build, check=True, capture_output=True, timeout=LONGEST)
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as files:
        packed = {name for name in files.namelist() if ".dist-info/" not in name}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    packages = ("environments/", "surrogate/", "dynamics/", "planner/", "vinewright/", "studies/")
    assert packed == {name for name in tracked if name.startswith(packages)}
    with tarfile.open(sdist) as archive:
        kept = {name.partition("/")[2] for name in archive.getnames()}
    assert packed | {"setup.cfg", "pyproject.toml", "README.md", "LICENSE", "constraints.txt", "CHANGELOG.md"} <= kept
    assert not [name for name in kept if name.startswith(("results", "tests"))]
