"""Files of trials drawn by Hypothesis, and `vinewright trials add` with any values: the only errors are messages of one line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments import load_environment
from planner.built.trial import design_digest
from planner.design.design_file import load_design
from tests.fuzz.conftest import DESIGN, ENVIRONMENT
from tests.fuzz.test_fuzz_commands import VALUES
from tests.fuzz.test_fuzz_files import FAST, bytes_like, several, spoilt, toml

RunCommand = Callable[..., tuple[int, str]]
FAIR = {
    "schema": 1,
    "errors": {"tip_mm": 5, "bend_deg": 1.5},
    "growths": [
        {"reached": True, "tip_mm": [1290, 480], "length_mm": 1195, "note": "first"},
        {"reached": False, "pressures_kpa": [7.5]},
    ],
    "bends": [{"section": 1, "pressure_kpa": 8, "bend_deg": 6}],
    "points": [{"obstacle": "circle 1", "planned_mm": [700, 180], "measured_mm": [702, 177]}],
}
OPTIONS = "--tip", "--length", "--pressures", "--bend", "--point", "--recording", "--note", "--unit", "--solution"


@pytest.fixture
def built(folder: Path) -> Path:
    """A folder with a design and its environment."""
    path = folder / "built"
    path.mkdir(exist_ok=True)
    (path / "environment.toml").write_text(ENVIRONMENT)
    sha256 = load_environment(path / "environment.toml").sha256
    (path / "design.json").write_text(json.dumps({**DESIGN, "environment": {"name": "fair", "sha256": sha256}}))
    return path


@several(60, 3000)
def test_listing_trials_gives_no_other_error(run: RunCommand, built: Path, examples: int) -> None:
    """The command lists what was measured, or prints one line with the error in the file."""
    fair = {**FAIR, "design": design_digest(load_design(built))}
    texts = spoilt(fair).map(lambda one: "\n".join(f"{key} = {toml(value)}" for key, value in one.items()))
    seen = set()

    @settings(FAST, max_examples=examples)
    @given(bytes_like(texts))
    def show(data: bytes) -> None:
        (built / "trials.toml").write_bytes(data)
        seen.add(run("trials, listed", "trials", "list", "built")[0])

    show()
    assert seen == {0, 2}  # both were tried


@several(40, 2000)
def test_adding_trials_gives_no_other_error(run: RunCommand, built: Path, examples: int) -> None:
    """The command adds what can be measured, and the file can be read afterwards; or prints one line."""
    pairs = st.lists(st.tuples(st.sampled_from(OPTIONS), VALUES), max_size=3)
    (built / "trials.toml").unlink(missing_ok=True)

    @settings(FAST, max_examples=examples)
    @given(pairs, st.sampled_from([["--reached"], ["--missed"], []]))
    def add(given: list[tuple[str, str]], reached: list[str]) -> None:
        (built / "trials.toml").unlink(missing_ok=True)
        code, _ = run("trials, added", "trials", "add", "built", *reached, *(word for pair in given for word in pair))
        if code == 0:
            assert run("trials, listed", "trials", "list", "built")[0] == 0

    add()
