"""Notes about the room that inflated actuators need: the same by every command that grows a design."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import load_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.design.replay import grow_designs
from planner.drawing.room import room_notes
from planner.output.folder import write_json

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
SECTIONS = Section(0.0, 0.2, "none", 0, 0, 0), Section(0.2, 0.41, "left", 0.3, 0.03, 8e3)
CASES = {
    "passage": ("[[250, 240, 300, 500], [250, 0, 300, 160]]", "section 1 needs "),
    "squeezed": ("[[250, 240, 300, 500]]", "section 1's inflated actuator is squeezed by box 1 "),
}


@pytest.fixture(params=CASES)
def expected(request: pytest.FixtureRequest, small_environment: Callable[[str], str], tmp_path: Path) -> list[str]:
    """A folder with a design of whole cells; returns the notes about it as it grows."""
    boxes, beginning = CASES[request.param]
    (tmp_path / "small.toml").write_text(small_environment(boxes))
    # Where walls met the actuators, the tube would make way for them.
    environment, tube = load_environment(tmp_path / "small.toml"), VineParams(thickness_share=0.0)
    design = Design("small", environment.sha256, tube, SECTIONS, np.zeros(3), np.zeros((1, 2)))
    write_json(tmp_path / "design.json", design_content(design))
    grown = grow_designs([design], environment, QuasiStatic(environment, tube))[0].design
    notes = room_notes(grown, environment)
    assert len(notes) == 1
    assert notes[0].startswith(beginning)
    return [f"note: {note}" for note in notes]


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "small.toml", "design.json"),
        ("robustness", "small.toml", "design.json", "--trials", 2, "--no-sources", "--out", "out"),
        (
            "export",
            "design.json",
            "--env",
            "small.toml",
            "--out",
            "out",
            "--formats",
            "csv",
            "--trials",
            20,
            "--seam",
            "0mm",
        ),
    ],
    ids=lambda command: command[0],
)
def test_commands_print_the_notes(vinewright: Vinewright, expected: list[str], command: tuple[object, ...]) -> None:
    """Once, on stdout, about the design as it grows there."""
    code, printed, errors = vinewright(*command)
    assert (code, errors) == (0, "")
    assert [line for line in printed.splitlines() if line.startswith("note: section")] == expected
