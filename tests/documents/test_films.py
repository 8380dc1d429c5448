"""The table of common films on the page of tubes: every film with its numbers, every number with its source."""

import re
import sys
from pathlib import Path

import pytest

from surrogate.films import FILMS, MATERIALS, SOURCES

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
pytest.importorskip("sphinx", reason="the extra docs is not installed")

from films import page  # noqa: E402


def test_every_film_is_in_the_table() -> None:
    """In a row with its thickness and stresses; the page of tubes includes the table."""
    rows = {cells[1]: cells for line in page().splitlines() if len(cells := re.split(r" *\| *", line)) == 10}
    for name, film in FILMS.items():
        cells = rows[f"`{name}`"]
        numbers = [float(cell.split()[0]) for cell in cells[3:7]]
        assert numbers == pytest.approx(
            [1e6 * film.thickness, *(1e-6 * one for one in (film.modulus, film.yield_stress, film.strength))], rel=5e-3
        )
    assert "generated/films.md" in (ROOT / "docs" / "howto" / "tubes.md").read_text()


def test_every_source_is_listed_under_its_number() -> None:
    """And each number of a material cites one, or says that it is assumed."""
    text = page()
    for number, source in enumerate(SOURCES.values(), start=1):
        assert f"\n{number}. {source}\n" in text
    for made in MATERIALS.values():
        (line,) = (line for line in text.splitlines() if line.lower().startswith(f"- {made.title.lower()}: modulus"))
        assert len(re.findall(r"(?:modulus|yield stress|strength|sealing) (?:sources? \d|.*assumed)", line)) == 4
