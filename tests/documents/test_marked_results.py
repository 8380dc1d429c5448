"""Marks of stale results in the built documentation: at every link and picture, on their pages, and in the gallery."""

import sys

import pytest

from studies.stored import ROOT, State, StoredResult, find_pages, quoted, read_results

sys.path.insert(0, str(ROOT / "docs" / "extensions"))
pytest.importorskip("sphinx", reason="the extra docs is not installed")

from results import MARK, _gallery, _page, find_stale, mark, note

NAMES = [one.name for one in read_results()]
OLD = StoredResult(
    "old", "vinewright reproduce old", State.STALE, ["dynamics.a", "dynamics.b", "dynamics.c", "planner.d"]
)


def test_links_and_pictures_of_stale_results_are_marked() -> None:
    """Behind the link or picture; those of current results are as they were."""
    link, picture = "[r](../../results/old/README.md#top)", "![A vine](../../results/old/vine.png)"
    assert mark(f"{link}, {picture}.", ["old"]) == f"{link}{MARK}, {picture}{MARK}."
    assert mark(f"{link}, {picture}.", ["new"]) == f"{link}, {picture}."


@pytest.mark.parametrize(
    "page", [page for page in find_pages() if page != ROOT / "README.md"], ids=lambda page: page.stem
)
def test_every_quote_of_a_stale_result_is_marked(page: object) -> None:
    """Were all results stale, each paragraph of the documentation that quotes one would have a mark for it."""
    text = page.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    for paragraph, names in quoted(text):
        assert set(names) <= set(NAMES)
        assert mark(paragraph, NAMES).count(MARK) >= len(names), paragraph


def test_a_page_says_that_it_is_stale() -> None:
    """Below its title, with what changed and the command that measures it again; a current one does not."""
    report = ROOT / "results" / "snaps" / "README.md"
    text = _page(report, note(OLD))
    assert text.splitlines()[2] == ":::{warning}"
    assert "changed since: dynamics.a, dynamics.b, dynamics.c and 1 more" in text
    assert "`vinewright reproduce old --out results --force` measures it again" in text
    assert "{warning}" not in _page(report, "")


def test_the_gallery_says_what_is_stale() -> None:
    """Only there."""
    reports = {path.parent.name: path for path in sorted(ROOT.glob("results/*/README.md"))}
    text = _gallery(reports, {"snaps": note(OLD)})
    assert text.count("{warning}") == 1
    assert text.index("(snaps.md)") < text.index("{warning}") < text.index("(validation.md)")


def test_what_is_stale_is_computed() -> None:
    """From the data of the results, not from a list."""
    assert find_stale().keys() == {one.name for one in read_results() if one.state is not State.CURRENT}
