"""The files of the page: their types, colours and sizes, and that nothing is fetched from elsewhere."""

import configparser
import re
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from planner.design.estimate import NONE_STANDS_OUT
from planner.drawing import style
from tests.waiting import LONGEST

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "vinewright" / "studio" / "page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
MODULES = [path for path in FILES if path.suffix == ".js"]
MOST_LINES, MOST_FUNCTION_LINES = 400, 60
STYLES = {
    "ink": style.INK, "faint": style.FAINT, "searched": style.SEARCHED, "jumped": style.JUMPED, "goal": style.GOAL,
    "missed": style.MISSED, "dimension": style.DIMENSION, "obstacle": style.OBSTACLE["facecolor"],
    "obstacle-edge": style.OBSTACLE["edgecolor"], "overlap": style.OVERLAP["edgecolor"],
    **{f"tube-{side}": colour for side, colour in style.TUBE.items()},
    **{f"actuator-{side}": colour for side, colour in style.ACTUATOR.items()},
}  # fmt: skip


def colours(part: str) -> dict[str, str]:
    """The colours that a part of the style sheet defines."""
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part))


def themes() -> tuple[dict[str, str], dict[str, str]]:
    """The light and the dark colours."""
    return colours((PAGE / "style.css").read_text()), colours((PAGE / "dark.css").read_text())


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_colours_are_those_of_the_plots() -> None:
    """In the light theme every colour that the plots have is the same one."""
    light, dark = themes()
    assert {name: light[name] for name in STYLES} == STYLES
    assert light.keys() == dark.keys()


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_has_contrast(theme: int) -> None:
    """Text has a contrast of 4.5 or more on every ground it stands on (AA), marks on the drawing one of 3."""
    found = themes()[theme]
    for ground in ("panel", "raised", "paper"):
        for ink in ("ink", "faint", "error", "accent", "dimension"):
            assert contrast(found[ink], found[ground]) >= 4.5, (ink, ground)
        for mark in ("goal", "missed", "overlap", "actuator-left", "actuator-right", "jumped"):
            assert contrast(found[mark], found[ground]) >= 3, (mark, ground)
    assert contrast(found["on-accent"], found["accent"]) >= 4.5


def test_contrast_of_black_and_white() -> None:
    """The formula gives 21 for black on white, and 1 for equal colours."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=1e-3)


def test_nothing_is_fetched_from_elsewhere() -> None:
    """No file names another host, and the page has no inline script or style."""
    for path in FILES:
        text = path.read_text()
        found = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+|https?://\S+", text)) - {"http://www.w3.org/2000/svg"}
        assert not {one for one in found if "w3.org" not in one}, path
    page = (PAGE / "index.html").read_text()
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*src=)", page)


def test_no_page_code_runs_text() -> None:
    """Nothing from the server becomes markup or code."""
    for path in MODULES:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(", path.read_text()
        ), path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PAGE)))
def test_modules_are_short(path: Path) -> None:
    """A module has at most 400 lines, a function at most 60."""
    lines = path.read_text().splitlines()
    assert len(lines) <= MOST_LINES
    for first, line in enumerate(lines):
        if re.match(r"(export )?(async )?function ", line):
            last = next(k for k in range(first, len(lines)) if lines[k].startswith("}"))
            assert last - first < MOST_FUNCTION_LINES, line


def test_all_files_are_in_the_wheel() -> None:
    """Every file of the page is package data."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    patterns = [pattern.strip() for pattern in config["options.package_data"]["vinewright.studio"].split(",")]
    for path in FILES:
        name = str(path.relative_to(PAGE.parent))
        assert any(fnmatch(name, pattern) and name.count("/") == pattern.count("/") for pattern in patterns), name


def test_types() -> None:
    """The modules are clean for the TypeScript compiler, strict, with the types of their comments."""
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("no TypeScript compiler: npm install --global typescript@5.9.3")
    done = subprocess.run(
        [compiler, "-p", PAGE / "jsconfig.json"], capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert done.returncode == 0, done.stdout


def test_no_single_error_is_said_without_a_heading() -> None:
    """The panel Trust knows the sentence, which does not follow on "Weakest: "."""
    assert f'NONE_STANDS_OUT = "{NONE_STANDS_OUT}"' in (PAGE / "panels" / "trust.js").read_text()
