"""Run folders: written atomically."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planner.output.claim import UnwritableFolder, check_folder
from planner.output.folder import write_folder


def fill(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "run.json").write_text(text)

    return write


def test_a_folder_is_written_and_replaced_whole(tmp_path: Path) -> None:
    """The new files are there, the old ones are gone, and nothing else is left beside."""
    out = tmp_path / "a" / "run"
    write_folder(out, fill("one"))
    (out / "plan.png").write_text("old")
    write_folder(out, fill("two"))
    assert [entry.name for entry in out.iterdir()] == ["run.json"]
    assert (out / "run.json").read_text() == "two"
    assert [entry.name for entry in out.parent.iterdir()] == ["run"]


def test_a_failed_write_leaves_the_old_folder(tmp_path: Path) -> None:
    """If filling breaks off, the old folder is as it was and no half-written one remains."""
    out = tmp_path / "run"
    write_folder(out, fill("one"))

    def broken(folder: Path) -> None:
        (folder / "run.json").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_folder(out, broken)
    assert (out / "run.json").read_text() == "one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_a_folder_with_other_things_is_not_touched(tmp_path: Path) -> None:
    """A folder that holds anything but a run is refused by the name of that thing; so is a file."""
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UnwritableFolder, match=r"thesis\.tex"):
        check_folder(tmp_path)
    with pytest.raises(UnwritableFolder, match="is a file"):
        check_folder(tmp_path / "thesis.tex")
    with pytest.raises(UnwritableFolder, match="cannot be written"):
        check_folder(tmp_path / "thesis.tex" / "run")
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]
