"""Figure of all solutions of a run side by side."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from environments.uncertainty import PRESETS
from planner.design.design import Design, Section, Side
from planner.design.estimate import Estimate
from planner.design.replay import grow_designs
from planner.design.verification import Verification
from planner.drawing import solutions
from planner.drawing.solutions import DEFAULT_LAYOUT, PageLayout, save_solutions
from planner.drawing.style import TUBE
from planner.plan.choice.front import Champion, Choice
from planner.plan.run.success import success

MakeEnvironment = Callable[..., Environment]
DPI = 60
COARSE = PageLayout(dpi=DPI)
"""Lower than in a run, which makes the tests faster."""


def straight(length: float, side: Side = "none") -> Design:
    """A straight tube along the x axis, with one section."""
    section = Section(0.0, length, side, *((0.0,) * 3 if side == "none" else (2.0, 0.03, 3e4)))
    joints = np.stack([np.linspace(0, length, 9), np.zeros(9)], axis=-1)
    return Design("bare", "0" * 64, VineParams(), (section,), np.array([length, 0, 0]), joints)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Figure]:
    """Draws designs; returns the figure, which was also written to `solutions.png`."""
    kept: list[Figure] = []

    def save(path: Path, figure: Figure, dpi: int) -> None:
        kept.append(figure)
        written(path, figure, dpi)

    written = solutions.save_figure
    monkeypatch.setattr(solutions, "save_figure", save)

    def draw(*arguments: object, layout: PageLayout = COARSE, **options: object) -> Figure:
        save_solutions(tmp_path / "solutions.png", *arguments, layout=layout, **options)  # type: ignore[arg-type]
        return kept[-1]

    return draw


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def test_every_solution_has_a_panel_with_its_number(environment: MakeEnvironment, drawn: Callable[..., Figure]) -> None:
    """Numbered from 1, with actuators, length and remarks; the one in design.json is marked in the legend."""
    designs = [straight(0.5), straight(0.7, "left"), straight(0.9, "right")]
    figure = drawn(environment(), designs, designs[1], lambda design: [f"ends at {design.length:g} m"], "about it")
    assert len(figure.axes) == 3
    words = texts(figure)
    for number, facts, remark in (
        ("1", "no actuators, 500 mm", "ends at 0.5 m"),
        ("2", "1 actuator, 700 mm", "ends at 0.7 m"),
        ("3", "1 actuator, 900 mm", "ends at 0.9 m"),
    ):
        at = words.index(number)
        assert words[at : at + 3] == [number, facts, remark]
    assert {"bare", "3 solutions", "about it"} <= set(words)
    assert [axes.spines["left"].get_linewidth() > 1 for axes in figure.axes] == [False, True, False]
    assert "in design.json" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_tubes_are_drawn_in_their_panels(
    environment: MakeEnvironment, drawn: Callable[..., Figure], tmp_path: Path
) -> None:
    """In the middle of each tube the picture has the colour of its section, and beside the tube it is white."""
    sides: tuple[Side, ...] = ("none", "left", "right")
    room = environment(bounds=(-0.5, -0.8, 1.5, 0.8))
    room = replace(room, goal=np.array([1.2, 0.6, 0.1]))
    figure = drawn(room, [straight(0.8, side) for side in sides])
    figure.set_dpi(DPI)
    pixels = np.asarray(Image.open(tmp_path / "solutions.png").convert("RGB")).astype(int)
    for axes, side in zip(figure.axes, sides, strict=True):
        axes.apply_aspect()
        for point, colour in (((0.5, 0.0), to_rgb(TUBE[side])), ((0.5, 0.2), (1, 1, 1)), ((1.1, 0.0), (1, 1, 1))):
            x, y = axes.transData.transform(point)
            assert np.abs(pixels[len(pixels) - int(y), int(x)] - 255 * np.array(colour)).max() < 3


def test_remarks_take_as_many_lines_as_they_need(environment: MakeEnvironment, drawn: Callable[..., Figure]) -> None:
    """One in a wide drawing, more in narrow ones, in order and each of them whole; all drawings of a page keep their places."""
    remarks = ("replay ✓", "quasistatic ✗", "100 % of trials", "tip jumps 310 mm")
    designs = [straight(0.5 + 0.01 * k) for k in range(9)]

    def known(design: Design) -> Sequence[str]:
        return remarks if design is designs[0] else ()

    for least, lines in ((4.0, 1), (1.2, 4)):
        layout = replace(COARSE, least=least, widest=2 * solutions.SIDE + least)
        figure = drawn(environment(), designs[:3], None, known, layout=layout)
        words = texts(figure)
        shown = words[words.index("1") + 2 : words.index("2")]
        assert "  ·  ".join(shown).split("  ·  ") == list(remarks)
        assert len(shown) == lines


def test_a_design_that_is_no_solution_is_drawn_too(environment: MakeEnvironment, drawn: Callable[..., Figure]) -> None:
    """First, under the name of its file, without a number."""
    words = texts(drawn(environment(), [straight(0.5), straight(0.7)], straight(0.6)))
    assert [word for word in words if word in ("design.json", "1", "2", "3")] == ["design.json", "1", "2"]
    assert "2 solutions" in words


@pytest.mark.parametrize(("written", "last"), [(None, 4), (3, 4), (5, 6)])
def test_only_so_many_are_drawn(
    environment: MakeEnvironment,
    drawn: Callable[..., Figure],
    written: int | None,
    last: int,
) -> None:
    """The first, and it says of how many; the one in design.json is always among them."""
    room = environment(bounds=(-1.0, -1.0, 1.0, 1.0))
    few = replace(COARSE, most=4)
    designs = [straight(0.5 + 0.01 * k) for k in range(7)]
    words = texts(drawn(room, designs, None if written is None else designs[written], layout=few))
    assert [int(word) for word in words if word.isdecimal()] == [1, 2, 3, last]
    assert "4 of 7 solutions; all are in solutions.json" in words
    assert len(texts(drawn(room, designs, straight(2.0), layout=few))) == len(words)


@pytest.mark.parametrize(
    ("count", "aspect"),
    [
        (1, 0.2),
        (5, 6.0),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in ((DEFAULT_LAYOUT.most, 1.0), (1, 6.0), (4, 1.0), (9, 0.2))
        ),
    ],
)
def test_nothing_overlaps_or_leaves_the_page(
    environment: MakeEnvironment, drawn: Callable[..., Figure], count: int, aspect: float
) -> None:
    """For wide and tall environments and any number of panels: drawings and texts keep apart, also with long words and many remarks."""
    room = replace(environment(bounds=(0, 0, 2, 2 * aspect)), name="a name of many words " * 9)
    remarks = ("replay ✓", "quasistatic ✗", "100 % of trials", "tip jumps 1310 mm", "tip jumps 1310 mm")
    many = straight(4.5, "left")
    many = replace(many, sections=tuple(replace(many.sections[0], start=0.5 * k, end=0.5 * (k + 1)) for k in range(9)))
    figure = drawn(room, [straight(1.0, "left"), *[straight(1.0)] * (count - 1)], many, lambda _: remarks, "note " * 15)
    figure.draw_without_rendering()
    boxes = [one.get_window_extent() for one in (*figure.texts, *figure.axes, *figure.legends)]
    page = figure.bbox
    for k, box in enumerate(boxes):
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
        assert not [other for other in boxes[:k] if box.overlaps(other)]


def test_the_remarks_are_what_the_run_knows(environment: MakeEnvironment) -> None:
    """Every kept design passed the replay; rate and second propagator stand with the designs that they are known of."""
    designs = [straight(0.5), straight(0.7, "left"), straight(0.9)]
    front = [Champion(designs[0], Estimate(421, 1000), 1), Champion(designs[1], Estimate(967, 1000), 9)]
    choice = Choice("workshop", PRESETS["workshop"], 0.9, front)
    words, note = success(choice, None)
    assert [words(design) for design in designs] == [
        ["replay ✓", "42 % of trials"],
        ["replay ✓", "97 % of trials"],
        ["replay ✓"],
    ]
    assert "under workshop errors" in note
    room = replace(environment(), goal=np.array([0.5, 0.0, 0.1]))
    grown = grow_designs([designs[0], straight(0.2)], room, QuasiStatic(room, designs[0].params))
    words, note = success(None, Verification("impulse", room, designs, grown))
    assert [words(design) for design in designs] == [["replay ✓", "impulse ✓"], ["replay ✓", "impulse ✗"], ["replay ✓"]]
    assert "impulse: verified with this propagator" in note
