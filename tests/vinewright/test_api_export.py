"""The pack written by `vw.export`: every option of the command that changes files changes them alike."""

import inspect
import json
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import vinewright as vw
from dynamics.tube import VineParams
from planner.design.design_file import design_content
from planner.fabrication.pattern.bed import UnfitBed
from surrogate.pouch import PouchMotor
from tests.command_line import vinewright
from tests.planner.fabrication.test_pack import planned
from vinewright.api import ExportOptions
from vinewright.commands.export import export as command

OPTIONS: dict[str, tuple[Any, Any]] = {
    "bed": ((0.4, 0.6), "600x400"),
    "stock": ("58,100mm", "58,100mm"),
    "seam": ("5mm", "5mm"),
    "supply": ("60kPa", "60kPa"),
    "trials": (20, 20),
}
"""Value of each option for `vw.export`, and for the command."""


@pytest.fixture(scope="module")
def design() -> vw.Design:
    """Two sections of pouches for `divider`."""
    return planned(vw.load_environment("divider"), VineParams(actuator=PouchMotor()))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_pack_is_that_of_the_command(design: vw.Design, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all options of the workshop, each file is the same to the byte, tiles and the tube of the stock included."""
    (tmp_path / "design.json").write_text(json.dumps(design_content(design)))
    flags = [part for name, (_, text) in OPTIONS.items() for part in (f"--{name}", text)]
    arguments = (
        "export",
        tmp_path / "design.json",
        "--out",
        tmp_path / "command",
        "--formats",
        "json,csv,svg",
        "--allow-limit",
    )
    assert vinewright(monkeypatch, *arguments, *flags) in (0, 3)
    pack = vw.export(
        design, vw.load_environment("divider"), tmp_path / "python", ["json", "csv", "svg"], allow_limit=True,
        **{name: value for name, (value, _) in OPTIONS.items()},
    )  # fmt: skip
    made = contents(tmp_path / "python")
    assert made == contents(tmp_path / "command")
    assert "stock-tube.toml" in made
    assert {name for name in made if name.startswith("bed/body-1of")} == {"bed/body-1of3.svg"}
    assert pack.grown.design.success is not None
    assert pack.grown.design.success.trials == 20


def test_every_option_of_the_command_has_its_argument() -> None:
    """All but those that choose or load the design, which a program has, and those of the terminal."""
    asked = {*inspect.signature(command).parameters} - {"out", "solution", "env", "as_json"}
    given = {*inspect.signature(vw.export).parameters} - {"environment", "folder", "options"}
    assert asked == given | get_type_hints(ExportOptions).keys()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bed": (0.6, 0.03)}, r"sides of a bed must be from 50 to 10000 mm, not 600 and 30 mm"),
        ({"bed": (600.0, 400.0)}, r"sides of a bed must be from 50 to 10000 mm"),
        ({"bed": (float("nan"), 0.4)}, r"sides of a bed must be from 50 to 10000 mm"),
        ({"stock": "58"}, r"'58' has no unit"),
        ({"trials": 19}, r"trials = 19 must be from 20 to 100000"),
        ({"seam": "wide"}, r"--seam wide is not a width"),
        ({"seam": "8mm"}, r"--seam 8mm is not the seam of this design"),
    ],
)
def test_bad_options_are_refused(design: vw.Design, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    """With the reason of the command, and nothing is written."""
    with pytest.raises(ValueError, match=message):
        vw.export(design, vw.load_environment("divider"), tmp_path / "pack", ["svg"], allow_limit=True, **options)
    assert not [*tmp_path.rglob("*")]


def test_a_bed_that_is_too_narrow_leaves_the_folder(design: vw.Design, tmp_path: Path) -> None:
    """Film of 104.8 mm does not fit a bed of 100 by 60 mm: the earlier pack stays."""
    divider = vw.load_environment("divider")
    vw.export(design, divider, tmp_path / "pack", ["csv"], allow_limit=True, trials=20)
    before = contents(tmp_path)
    with pytest.raises(UnfitBed, match=r"body is 104.8 mm wide"):
        vw.export(design, divider, tmp_path / "pack", ["svg"], force=True, allow_limit=True, bed=(0.1, 0.06), trials=20)
    assert contents(tmp_path) == before


def test_an_unknown_option_is_an_error(design: vw.Design, tmp_path: Path) -> None:
    """A name that is misspelt is not ignored."""
    with pytest.raises(TypeError, match="bde"):
        vw.export(design, vw.load_environment("divider"), tmp_path / "pack", bde=(0.6, 0.4))  # type: ignore[call-arg]
