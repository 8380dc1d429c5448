"""The option `--uncertainty`."""

from pathlib import Path

import pytest

from environments.given import Given
from environments.uncertainty import PRESETS
from planner.console.errors import BadInput
from planner.console.uncertainty import asked_errors


def test_presets_by_name() -> None:
    """Each preset, and nothing where nothing is asked for."""
    assert asked_errors(None) is None
    for name in PRESETS:
        assert asked_errors(name) == Given(name)


@pytest.mark.parametrize("opening", ["", "[uncertainty]\n", 'schema = 1\nname = "bench"\n[uncertainty]\n'])
def test_files(tmp_path: Path, opening: str) -> None:
    """The keys stand in a table or at the top, also in the file of a tube."""
    (tmp_path / "errors.toml").write_text(f'{opening}preset = "lasercut"\npressure_kpa = 2\nfriction = [0, 1]\n')
    expected = Given.of({"preset": "lasercut", "pressure_kpa": 2.0, "friction": [0, 1]})
    assert asked_errors(str(tmp_path / "errors.toml")) == expected


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"pressure_kpa = -1", "pressure_kpa = -1 must be greater than or equal to 0"),
        (b"pressure_kpa = nan", "pressure_kpa = nan must be a finite number"),
        (b"[uncertainty]\npressure_kpa = 'much'", "pressure_kpa = 'much' must be a valid number"),
        (b"[uncertainty]\npressure = 1", "unknown key pressure (did you mean pressure_kpa?); allowed: preset, "),
        (b"preset = 'none'\nfriction = [1, 0]", "friction = [1, 0] must have its smaller number first"),
        (
            b"preset = 'fild'",
            "preset = 'fild' must be one of workshop, handmade, lasercut, field, paper, none (did you mean",
        ),
        (b"[uncertainty.obstacle.1]\nsize_mm = 1", "unknown key obstacle (did you mean "),
        (b"uncertainty = 3", "must be a table"),
        (b"pressure_kpa 3", "is not TOML"),
        (b"\xff", "is not UTF-8 text"),
        (b"#" * 200_000, "is larger than the allowed"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, words: str) -> None:
    """One line with the option, the file and the reason; exit code 2."""
    path = tmp_path / "errors.toml"
    path.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        asked_errors(str(path))
    assert caught.value.exit_code == 2
    assert caught.value.message.startswith(f"--uncertainty {path}: ")
    assert words in caught.value.message
    assert "\n" not in caught.value.message


def test_unknown_names(tmp_path: Path) -> None:
    """The presets are listed, with a hint; a folder is no file."""
    known = "workshop, handmade, lasercut, field, paper, none, or the path of a TOML file"
    for value, end in (
        ("worksop", " (did you mean workshop?)"),
        ("xyzzy", ""),
        ("", ""),
        ("a\0b", ""),
        (str(tmp_path), ""),
    ):
        with pytest.raises(BadInput) as caught:
            asked_errors(value)
        assert caught.value.message == f"--uncertainty {value} must be one of {known}{end}"
