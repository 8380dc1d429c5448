"""Drawings on disk: what is kept, which versions, and what is gone on with."""

import json
from pathlib import Path
from typing import Any

import pytest

from environments.writing import atomic_path
from vinewright.studio import drawings
from vinewright.studio.drawings import MOST_DRAWINGS, MOST_VERSIONS, VERSION_S, Drawings, NoDrawing

ONE, OTHER = "a1b2c3d4", "z9y8x7w6"


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def time(self) -> float:
        self.now += 0.001
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(drawings, "time", made)
    return made


@pytest.fixture
def kept(tmp_path: Path) -> Drawings:
    return Drawings(tmp_path / "data" / "drawings", "bench")


def drawn(number: int) -> dict[str, Any]:
    """A drawing that can be told from others."""
    return {"name": f"bench {number}", "content": {"walls": [[number]]}}


def test_the_last_drawing_is_gone_on_with_in_its_place(kept: Drawings, clock: Clock) -> None:
    """Also by another studio of the user, but only in the same folder, and only while its changes are in no file."""
    kept.keep(ONE, drawn(1), True)
    kept.keep(OTHER, drawn(2), True)
    again = Drawings(kept.folder, kept.place)
    assert again.last() == {**drawn(2), "id": OTHER, "edited_ms": int(1e3 * clock.now)}
    assert Drawings(kept.folder, "elsewhere").last() is None
    again.keep(OTHER, drawn(3), False)
    assert kept.last() is None
    kept.keep(ONE, drawn(4), True)
    assert again.last() is not None
    # An empty drawing was shown since: it is the last one, though it is not kept.
    kept.keep("untouched1", drawn(5), False)
    assert again.last() is None
    assert [row["id"] for row in again.list_drawings()] == [ONE, OTHER]
    assert [row["is_changed"] for row in again.list_drawings()] == [True, False]


def test_what_is_more_than_a_file_is_gone_on_with(kept: Drawings, clock: Clock) -> None:
    """A picture, a lock, or the run of a file, is kept without a change of the drawing; runs of drawings in no file are in the list."""
    picture, run = {"background": {"key": "a"}, "run": None}, {"background": None, "run": "bench"}
    kept.keep(ONE, {**drawn(1), "beside": picture}, False)
    assert kept.last() == {**drawn(1), "beside": picture, "id": ONE}
    clock.now += 1  # two drawings that are edited in the same millisecond have no order
    kept.keep(OTHER, {**drawn(2), "beside": run}, False)
    assert kept.last() is None
    kept.keep(OTHER, {**drawn(2), "beside": run, "path": "/bench.toml"}, False)
    assert (kept.last() or {})["id"] == OTHER
    free: dict[str, list[str]] = {"groups": [], "locked": [], "hidden": []}
    kept.keep("untouched2", {**drawn(3), "beside": {"objects": free}}, False)
    assert kept.last() is None
    kept.keep("untouched2", {**drawn(3), "beside": {"objects": {**free, "locked": ["wall 1"]}}}, False)
    assert (kept.last() or {})["id"] == "untouched2"
    # The run of a plan that ended later; a drawing that is not kept has none.
    kept.note_run(ONE, "bench-2")
    kept.note_run("untouched1", "bench-2")
    kept.note_run("../etc", "bench-2")
    assert kept.open(ONE)["beside"] == {**picture, "run": "bench-2", "design": "best"}
    assert [row["id"] for row in kept.list_drawings()] == ["untouched2", OTHER, ONE]


def test_a_version_for_each_minute_of_edits(kept: Drawings, clock: Clock) -> None:
    """Edits within a minute replace each other; later ones begin a version, and the earlier one stays as it was."""
    kept.keep(ONE, drawn(1), True)
    clock.now += VERSION_S - 1
    kept.keep(ONE, drawn(2), True)
    assert kept.list_drawings()[0]["versions"] == []
    clock.now += 2
    kept.keep(ONE, drawn(3), True)
    (row,) = kept.list_drawings()
    assert row["name"] == "bench 3"
    assert kept.open(ONE) == drawn(3)
    assert kept.open(ONE, row["versions"][0]) == drawn(2)


def test_the_oldest_are_removed(kept: Drawings, clock: Clock) -> None:
    """Versions and drawings beyond their numbers go, the first ones first."""
    for number in range(MOST_VERSIONS + 5):
        kept.keep(ONE, drawn(number), True)
        clock.now += VERSION_S + 1
    (row,) = kept.list_drawings()
    assert len(row["versions"]) == MOST_VERSIONS - 1
    assert kept.open(ONE, row["versions"][-1]) == drawn(5)
    for number in range(MOST_DRAWINGS):
        kept.keep(f"drawing{number:04}", drawn(number), True)
    names = {row["id"] for row in kept.list_drawings()}
    assert len(names) == MOST_DRAWINGS
    assert ONE not in names
    assert not (kept.folder / ONE).exists()


@pytest.mark.parametrize("name", ["../../etc", "a/b", "", "A1B2C3D4", "a1b2c3d4\n", "x" * 41])
def test_names_are_no_paths(kept: Drawings, name: str) -> None:
    """Nothing outside the folder is read or written."""
    for use in (lambda: kept.keep(name, drawn(1), True), lambda: kept.open(name)):
        with pytest.raises(NoDrawing):
            use()
    assert not kept.folder.exists()
    kept.keep(ONE, drawn(1), True)
    for version in ("../../secret", "1" * 13):
        with pytest.raises(NoDrawing, match="not kept any more"):
            kept.open(ONE, version)


def test_damaged_files_are_passed_over(kept: Drawings) -> None:
    """The list leaves out a drawing whose last version cannot be read, and has the others."""
    kept.keep(ONE, drawn(1), True)
    kept.keep(OTHER, drawn(2), True)
    (file,) = (kept.folder / OTHER).glob("*.json")
    for text in ("", "[]", json.dumps({"drawing": 3, "is_changed": True, "edited_ms": 1})):
        file.write_text(text)
        assert kept.last() is None
        assert [row["id"] for row in kept.list_drawings()] == [ONE]


def test_a_full_disk_leaves_the_version_before(kept: Drawings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes to the caller, and what was kept is whole."""
    kept.keep(ONE, drawn(1), True)

    def full(self: Path, *_: Any, **__: Any) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left"):
        kept.keep(ONE, drawn(2), True)
    monkeypatch.undo()
    assert kept.open(ONE) == drawn(1)
    assert len(list((kept.folder / ONE).iterdir())) == 1
    with atomic_path(kept.folder / "probe") as partial:
        partial.write_text("works again")
