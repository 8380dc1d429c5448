import math
from pathlib import Path

import pytest

from environments import Environment, InvalidEnvironment, environment_hints, load_environment

DIAMETER = 0.0667
ROOM = """schema = 2
unit = "{unit}"
bounds = {{ min = [0, 0], max = [1200, 800] }}
start = {{ position = [200, 100], heading_deg = {heading} }}
goal = {{ position = [1000, 600], radius = 100 }}
[obstacles]
boxes = [[150, 600, 400, 800]]
circles = [[1000, 200, 150]]
"""


def hints(bounds: tuple[float, ...] = (0, 0, 1.2, 0.8), heading: float = 0.0, diameter: float = DIAMETER) -> list[str]:
    return environment_hints(Environment(bounds=bounds, start=(0, 0, heading), goal=(1, 0.5, 0.1)), diameter)


@pytest.mark.parametrize("name", ["building", "divider", "long", "maze", "needle", "pickone", "plus", "spiral", "tube"])
def test_nothing_is_wrong_with_the_shipped_environments(name: str, shipped: dict[str, Environment]) -> None:
    """There is no hint for any of them, also with a tube of a tenth of the width."""
    assert environment_hints(shipped[name], DIAMETER) == environment_hints(shipped[name], DIAMETER / 10) == []


def test_millimetres_read_as_metres() -> None:
    """Above 1000 tube diameters the width is questioned, and only above."""
    assert hints((0, 0, 1200, 800)) == ['the environment is 1200 m wide: are its lengths in mm? unit = "mm"']
    assert hints((0, 0, 10, 1001 * DIAMETER)) != []
    assert hints((0, 0, 10, 999 * DIAMETER)) == []


def test_metres_read_as_millimetres() -> None:
    """An environment narrower than the tube in both directions is questioned, and only such a one."""
    text = 'the environment is 1.2 mm wide, less than the tube (66.7 mm): are its lengths in m? unit = "m"'
    assert hints((0, 0, 1.2e-3, 0.8e-3)) == [text]
    assert hints((0, 0, 0.067, 0.01)) == []


@pytest.mark.parametrize(
    ("heading", "degrees"),
    [(1.5708, 90), (1.571, 90), (3.1416, 180), (3.14, 180), (0.7854, 45), (-1.0472, -60), (6.2832, 360), (0.262, 15), (math.pi / 2, 90)],
)  # fmt: skip
def test_headings_that_look_like_radians(heading: float, degrees: int) -> None:
    """A round angle in radians, to three digits or more, is questioned, with the degrees that are meant."""
    (hint,) = hints(heading=math.radians(heading))
    assert hint == f"start.heading_deg = {heading:g} looks like radians: {degrees} degrees is meant?"


@pytest.mark.parametrize(
    "heading", [0, 1, 3, 5, -2, 0.5, 1.5, 3.1, 1.58, 2.25, 0.001, 11.459, 22.918, 90, 157.08, -360]
)
def test_headings_that_are_degrees(heading: float) -> None:
    """Whole and other numbers of degrees are not questioned."""
    assert hints(heading=math.radians(heading)) == []


def refusal(folder: Path, text: str) -> str:
    (folder / "room.toml").write_text(text)
    with pytest.raises(InvalidEnvironment) as caught:
        load_environment(folder / "room.toml")
    return str(caught.value)


def test_positions_with_y_pointing_down(tmp_path: Path) -> None:
    """A start or goal inside an obstacle, or at a negative y, that would be free with y pointing down is answered with that."""
    text, hint = ROOM.format(unit="mm", heading=0), "with y pointing down it would be free: y points up here"
    for old, new, wrong in (
        ("[200, 100]", "[200, 700]", "is inside box 1"),
        ("[200, 100]", "[200, -100]", "must lie within the bounds"),
        ("[1000, 600], radius = 100", "[1000, 200], radius = 100", "lies wholly inside circle 1"),
        ("[1000, 600], radius = 100", "[1000, -200], radius = 20", "must reach into the bounds"),
    ):
        assert old in text
        message = refusal(tmp_path, text.replace(old, new).replace("150]]", "150]]" if "-200" not in new else "15]]"))
        assert wrong in message
        assert message.endswith(f"; {hint}")
    for start in ("[-200, 100]", "[200, 1000]", "[170, 570]"):
        assert hint not in refusal(tmp_path, text.replace("[200, 100]", start))
    # Neither side is free.
    both = text.replace("[200, 100]", "[200, 700]").replace("[[150,", "[[150, 0, 400, 200], [150,")
    assert hint not in refusal(tmp_path, both)


def test_a_start_without_room_in_a_tiny_environment(tmp_path: Path) -> None:
    """Metres typed as millimetres leave no room for the tube: the error says what is probably wrong."""
    metres = "bounds = { min = [0, 0], max = [1.2, 0.8] }\nstart = { position = [0.2, 0.1], heading_deg = 0 }\n"
    metres += "goal = { position = [1, 0.6], radius = 0.1 }\nobstacles = { circles = [[0.5, 0.3, 0.05]] }\n"
    message = refusal(tmp_path, f'schema = 2\nunit = "mm"\n{metres}')
    assert "start.position = [0.2, 0.1] is 0.3106 mm from circle 1; at least 33.35 mm (the tube radius)" in message
    assert message.endswith(
        '; the environment is 1.2 mm wide, less than the tube (66.7 mm): are its lengths in m? unit = "m"'
    )


def test_the_start_needs_no_more_room_than_the_tube(tmp_path: Path) -> None:
    """A distance that rounds to the tube's radius is given with the digits that tell them apart."""
    near = ROOM.format(unit="mm", heading=0).replace("[[150, 600, 400, 800]]", "[[233.349999, 0, 400, 300]]")
    assert "is 33.349999 mm from box 1; at least 33.35 mm" in refusal(tmp_path, near)
