"""`vinewright environments import --pick`: start and goal by mouse, and the messages without a window."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from matplotlib import pyplot
from matplotlib.backend_bases import MouseEvent
from matplotlib.backends.backend_agg import FigureCanvasAgg

Vinewright = Callable[..., tuple[int, str, str]]
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="2000mm" height="1000mm" viewBox="0 0 2000 1000">
<rect x="900" y="0" width="200" height="500"/></svg>"""


@pytest.fixture(autouse=True)
def agg() -> Iterator[None]:
    """Matplotlib draws without a display."""
    before = pyplot.get_backend()
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(before)


@pytest.fixture
def drawing() -> Path:
    Path("a.svg").write_text(SVG)
    return Path("a.svg")


@pytest.fixture
def clicks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float]]:
    """Positions [mm] that are clicked while the window is open, which is closed afterwards."""
    places: list[tuple[float, float]] = []

    def show(block: bool) -> None:
        assert block
        figure = pyplot.gcf()
        figure.canvas.draw()
        for place in places:
            x, y = figure.axes[0].transData.transform(place)
            for name in ("button_press_event", "button_release_event"):
                figure.canvas.callbacks.process(name, MouseEvent(name, figure.canvas, x, y, 1))

    monkeypatch.setattr(FigureCanvasAgg, "required_interactive_framework", "made for a test")
    monkeypatch.setattr(pyplot, "show", show)
    return places


def test_what_is_picked_can_be_repeated(
    vinewright: Vinewright, drawing: Path, clicks: list[tuple[float, float]]
) -> None:
    """The printed options, without --pick, write the same environment."""
    clicks += [(300, 500), (300, 900), (1700, 400)]
    before = pyplot.get_fignums()  # of other tests
    code, out, errors = vinewright("environments", "import", drawing, "--pick")
    assert (code, errors) == (0, "")
    (line,) = [line for line in out.splitlines() if line.startswith("picked")]
    assert pyplot.get_fignums() == before
    options = line.split()[1:]
    assert options[::2] == ["--start", "--goal"]
    assert [float(part) for part in options[1].split(",")] == pytest.approx([300, 500, 90], abs=3)
    assert [float(part) for part in options[3].split(",")] == pytest.approx([1700, 400, 100], abs=3)
    assert vinewright("environments", "import", drawing, *options, "--out", "b.toml")[0] == 0
    assert Path("b.toml").read_text().replace('"b"', '"a"') == Path("a.toml").read_text()


def test_only_what_is_not_given_is_picked(
    vinewright: Vinewright, drawing: Path, clicks: list[tuple[float, float]]
) -> None:
    """With a goal given only the start is picked, also left of the origin and with --crop reach; with both there is nothing to pick."""
    goal = "--goal", "1700,400,50"
    clicks += [(-20, 500), (500, 500)]
    code, out, _ = vinewright("environments", "import", drawing, "--pick", *goal, "--crop", "reach", "--mount", "wall")
    (line,) = [line for line in out.splitlines() if line.startswith("picked")]
    assert line.startswith("picked     --start -")
    assert "--goal" not in line
    options = line.split()[1:]
    again = vinewright("environments", "import", drawing, *options, *goal, "--crop", "reach", "--mount", "wall")
    assert again[0] == code
    assert [one for one in out.splitlines() if one != line] == again[1].splitlines()
    code, _, errors = vinewright("environments", "import", drawing, "--pick", *goal, "--start", "300,500,90")
    assert (code, errors) == (2, "error: --pick has nothing to pick: --start and --goal are given\n")


def test_a_window_that_is_closed_early_is_told(
    vinewright: Vinewright, drawing: Path, clicks: list[tuple[float, float]]
) -> None:
    """One line says what was not picked; nothing is written."""
    clicks += [(300, 500), (300, 900)]
    code, _, errors = vinewright("environments", "import", drawing, "--pick")
    assert code == 2
    assert errors.startswith("error: --pick: the window was closed before the goal was picked; give --start X,Y,DEG")
    assert not Path("a.toml").exists()


@pytest.mark.parametrize("broken", [False, True])
def test_without_a_display_a_message_says_what_to_give(
    vinewright: Vinewright, drawing: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    """One line, and nothing is written: where Matplotlib can only draw files, and where it cannot load what it is set to use."""

    def fail(**_: object) -> None:
        raise ImportError("Cannot load backend 'TkAgg', as 'headless' is currently running")

    if broken:
        monkeypatch.setattr(pyplot, "figure", fail)
    before = pyplot.get_fignums()  # of other tests
    code, _, errors = vinewright("environments", "import", drawing, "--pick")
    assert code == 2
    assert errors == (
        "error: --pick cannot open a window; give --start X,Y,DEG and --goal X,Y,RADIUS in mm instead; --picture FILE.png shows where\n"
    )
    assert sorted(path.name for path in Path().iterdir()) == ["a.svg"]
    assert pyplot.get_fignums() == before
