"""The list "Could I build it from the files alone?": what it names is on those pages and in those files, read back from written packs."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pytest
from pypdf import PageObject, PdfReader

import vinewright as vw
from dynamics.vine import Status
from planner.design.replay import GrowthEnd
from planner.fabrication import FORMATS, GUIDE, KNOWN
from planner.fabrication.assembly.build import Build
from planner.fabrication.formats import guide_last, write_formats
from planner.fabrication.guide.checklist import QUESTIONS, SHEETS
from planner.fabrication.guide.guide import guide_pages
from planner.fabrication.guide.paper import Paper
from planner.fabrication.pack import Pack
from planner.fabrication.pattern.bed import Bed
from tests.planner.fabrication.operated import steered
from tests.planner.fabrication.test_guide import check_page, words
from tests.planner.fabrication.test_pack import planned
from tests.planner.fabrication.test_wall_base import LEFT, room

pytestmark = pytest.mark.usefixtures("small_pictures")

MakeBuild = Callable[..., Build]
TITLE = "Could I build it from the files alone?"
TASKS = ["cut", "seal", "glue", "mount", "plumb", "inflate", "test"]
KINDS = ["bare", "one", "three", "mixed", "steered", "preformed", "off"]
"""Kinds of packs: 0, 1 and 3 actuators, several types, a schedule, folds only, and an actuator for another environment."""
QUICK = [("bare", "free", "a4"), ("mixed", "wall", "letter"), ("steered", "free", "a4"), ("preformed", "wall", "a4")]
ALL = [(kind, mount, paper) for kind in KINDS for mount in ("free", "wall") for paper in ("a4", "letter")]
NEEDED = {
    "cut": ["Parts and materials", "Join the sheets", "Cut the body"],
    "seal": ["Films and sealing", "Test strips: how to find the seal setting", "Seal the tip"],
    "glue": ["Placement tolerance"],
    "mount": ["How to make and mount the base", "Bench", "Clamp the body on the vessel", "Grow"],
    "plumb": ["Plumbing and operation", "How to join the parts"],
    "inflate": ["Operation", "Pressure lines [kPa]", "Invert the tube", "Grow"],
    "test": ["Acceptance test"],
}
"""Places that every pack names, but for the glue of one with nothing to glue."""
ACTUATED = {
    "cut": ["Make the strips"],
    "seal": ["Make the strips", "Find leaks"],
    "glue": ["Fix the strips to the body"],
    "plumb": ["Feed lines", "Lay the feed lines"],
    "test": ["If an actuator fails the test", "Accept each actuator", "Find leaks"],
}
"""Places that a pack with actuators of one type names too."""


@dataclass
class Row:
    """A row of the list, as it is printed."""

    box: str
    question: str
    pages: list[str]
    files: list[str]


@dataclass(eq=False)
class Printed:
    """A template that was read back."""

    folder: Path
    paper: str

    @cached_property
    def pages(self) -> list[PageObject]:
        return [*PdfReader(self.folder / f"template-{self.paper}.pdf").pages]

    @cache  # noqa: B019
    def lines(self, number: int) -> list[str]:
        """Lines of text of a page by its number."""
        return [" ".join(line.split()) for line in self.pages[number - 1].extract_text().splitlines()]

    @cached_property
    def sheets(self) -> list[int]:
        """Numbers of the sheets of the pattern, which are wider than high, after the last page that is not."""
        upright = max(k for k, page in enumerate(self.pages, 1) if page.mediabox.height > page.mediabox.width)
        return [*range(upright + 1, len(self.pages) + 1)]

    @cached_property
    def at(self) -> int:
        """Number of the page with the list."""
        return next(k for k in range(1, len(self.pages)) if TITLE in self.lines(k))

    @cached_property
    def rows(self) -> dict[str, Row]:
        """The list by tasks; its columns begin where their heads do."""
        chunks: list[tuple[float, float, str]] = []

        def visit(text: str, cm: list[float], tm: list[float], *_: object) -> None:
            if text.strip():
                chunks.append((tm[5] * cm[3] + cm[5], tm[4] * cm[0] + cm[4], text))

        self.pages[self.at - 1].extract_text(visitor_text=visit)
        top, *_ = next(chunk for chunk in chunks if chunk[2].strip() == "question")
        heads = [
            x for y, x, text in chunks if y == top and text.strip() in ("to", "question", "pages of this guide", "fi")
        ]
        assert len(heads) == 4
        end = next((y for y, _, text in chunks if text.strip() == "!"), 50.0)
        lines: dict[tuple[int, float], str] = {}
        for y, x, text in chunks:
            if end < y < top - 1:
                key = int(np.searchsorted(heads, x + 1.0)), y
                lines[key] = lines.get(key, "") + text
        starts = {y: text.strip() for (column, y), text in lines.items() if column == 1}
        cells: dict[str, list[list[str]]] = {task: [[], [], [], [], []] for task in starts.values()}
        for (column, y), text in sorted(lines.items(), key=lambda item: -item[0][1]):
            cells[starts[min(start for start in starts if start >= y)]][column].append(text.strip())
        return {
            task: Row(box[0], " ".join(question), unwrapped(pages), " ".join(files).split(", "))
            for task, (box, _, question, pages, files) in cells.items()
        }

    def places(self, task: str) -> list[str]:
        """The titles, headings and steps that a row names, each checked to be on its page; of the sheets, their number is checked."""
        found = []
        for line in self.rows[task].pages:
            at, _, named = line.partition(": ")
            if named == SHEETS:
                first, _, last = at.partition("–")
                assert [*range(int(first), int(last or first) + 1)] == self.sheets
                found.append(SHEETS)
                continue
            lines = self.lines(int(at))
            for name in re.sub(r",? ?steps? [\d, ]+$", "", named).split(", "):
                if name:
                    assert name in lines, f"{name} is not on page {at}"
                    found.append(name)
            for number in re.findall(r"\d+", (re.search(r"steps? [\d, ]+$", named) or [""])[0]):
                (title,) = [
                    one.removeprefix(f"{number} ") for one in lines if re.match(rf"{number} [A-Z][a-z ]+$", one)
                ]
                found.append(title)
        return found


def unwrapped(lines: list[str]) -> list[str]:
    """Lines of a cell, of which those that do not begin with a page number continue the one before."""
    return re.split(r" (?=\d+(?:–\d+)?: )", " ".join(lines))


def build_of(kind: str, example: Build, mixed: Build, make_build: MakeBuild) -> Build:
    match kind:
        case "bare":
            return make_build(("none", 0.5))
        case "one":
            return make_build(("none", 0.2), ("left", 5, 0.04))
        case "three":
            return make_build(("left", 4, 0.03), ("right", 5, 0.03), ("none", 0.1), ("left", 6, 0.03))
        case "mixed":
            return mixed
        case "steered":
            return steered(example, [0.0, 0.5, 0.91, 0.91, 1.2], [[35, 35], [20, 35], [20, 35], [0, 20], [0, 35]])
        case "preformed":
            bent = [
                replace(one, preformed=True, l_0=0.0, pressure=0.0) if one.actuated else one
                for one in example.design.sections
            ]
            return Build(replace(example.design, sections=tuple(bent)))
        case _:
            sections = [replace(one, on=one.side != "left") for one in example.design.sections]
            return Build(replace(example.design, sections=tuple(sections)))


@pytest.fixture(scope="session")
def make_pack(example: Build, mixed: Build, make_build: MakeBuild) -> Callable[[str, str], Pack]:
    """Factory of packs of a kind, on a free base or in a wall; none reaches its goal, so that little is simulated."""

    def make(kind: str, mount: str) -> Pack:
        design = build_of(kind, example, mixed, make_build).design
        end = GrowthEnd(design, Status.GROWN, "grown", reached=False, ends_in_goal=False)
        return Pack(design, room((0.1 if mount == "wall" else 0.2, 0.5, 0.0), LEFT, mount=mount), end, 1)

    return make


@pytest.fixture(scope="session")
def write(make_pack: Callable[[str, str], Pack], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Printed]:
    """Write a pack in all usual formats, on one paper and once."""

    @cache
    def write(kind: str, mount: str, paper: Paper) -> Printed:
        folder, pack = tmp_path_factory.mktemp(f"{kind}-{mount}"), make_pack(kind, mount)
        written = write_formats(pack, [form for form in FORMATS if form != GUIDE], folder)
        assert not written.missing
        pack._write_template(folder, paper, written.files)
        return Printed(folder, paper)

    return write


@pytest.mark.parametrize(
    ("kind", "mount", "paper"),
    [pytest.param(*one, marks=[pytest.mark.slow] * (one not in QUICK)) for one in ALL],
)
def test_what_is_named_is_there(
    write: Callable[..., Printed], make_pack: Callable[[str, str], Pack], kind: str, mount: str, paper: Paper
) -> None:
    """Each row names pages of the template with that content, and files of the pack; none that the work needs is left out."""
    printed, build = write(kind, mount, paper), make_pack(kind, mount).build
    first = next(
        k for k in range(1, len(printed.pages)) if any("· builder's guide" in line for line in printed.lines(k)[-3:])
    )
    assert first == printed.at
    assert [*printed.rows] == TASKS
    named: set[str] = set()
    for task, row in printed.rows.items():
        if task == "glue" and kind == "bare":
            assert (row.box, row.pages, row.files) == ("–", ["–"], ["–"])
            assert row.question == "Nothing to glue: there are no actuators and no folds."
            continue
        assert row.box == "☐"
        places = printed.places(task)
        needed = [*NEEDED[task], *(ACTUATED.get(task, []) if build.actuators and not build.mixed else [])]
        assert {*needed} <= {*places}, task
        assert (SHEETS in places) == (task in ("cut", "seal", "glue"))
        assert all((printed.folder / name).is_file() for name in row.files), row.files
        named.update(row.files)
    there = {path.name for path in printed.folder.iterdir() if path.suffix != ".pdf"} - {"pack.json", "design.json"}
    assert named == there - ({"sections.csv"} if not build.actuators else set())
    assert not any("Not in this pack" in line for line in printed.lines(printed.at))


@pytest.mark.parametrize(("kind", "mount"), [("bare", "free"), ("preformed", "wall"), ("steered", "free")])
def test_rows_say_what_a_design_does_not_have(write: Callable[..., Printed], kind: str, mount: str) -> None:
    """Without actuators there are no strips to seal and no line but that of the body; folds are taped, and a miss has no ranges."""
    printed = write(kind, mount, "a4")
    rows = printed.rows
    bare = kind != "steered"
    assert ("only the tip of the body is sealed" in rows["seal"].question) == bare
    assert ("only the line of the body" in rows["plumb"].question) == bare
    assert ("only the folds are taped" in rows["glue"].question) == (kind == "preformed")
    assert ("no accepted ranges" in rows["test"].question) == (kind != "bare")
    assert ("Fold the bends" in printed.places("glue") if kind != "bare" else False) == (kind == "preformed")
    assert ("Pressures over the grown length [kPa]" in printed.places("inflate")) == (kind == "steered")
    base = "Base in the wall and printed parts" if mount == "wall" else "Base and printed parts"
    assert base in printed.places("mount")


def test_each_type_has_its_steps(write: Callable[..., Printed]) -> None:
    """The strips of three types are cut, sealed and fixed in three steps each."""
    printed = write("mixed", "wall", "letter")
    for kind in ("spam", "pouch", "fpam"):
        assert f"Make the {kind} strips" in printed.places("cut")
        assert f"Make the {kind} strips" in printed.places("seal")
        assert f"Fix the {kind} strips to the body" in printed.places("glue")


@pytest.mark.parametrize("tiled", [(), pytest.param(("bench",), marks=pytest.mark.slow)], ids=["pattern", "bench"])
def test_the_guide_is_written_last_and_names_what_was_written(tiled: tuple[str, ...], tmp_path: Path) -> None:
    """Asked for first, for a design that reaches its goal: tiles are named, and what was left out is said not to be there."""
    divider, folder = vw.load_environment("divider"), tmp_path / "pack"
    design = planned(divider)
    goal = replace(divider, goal=np.array([*design.tip[:2], 0.05]))
    vw.export(design, goal, folder, ["pdf", "svg", *tiled], bed=(0.6, 0.4), trials=20)
    printed = Printed(folder, "a4")
    rows = printed.rows
    assert rows["cut"].files == ["pattern.svg", "bed/"]
    assert rows["mount"].files == (["bench-1to1-a4.pdf", "bench-1to1-letter.pdf", "bench-1to1.svg"] if tiled else ["–"])
    assert rows["glue"].files == rows["test"].files == ["–"]
    for task in TASKS:
        assert printed.places(task)
        assert all(name == "–" or (folder / name).exists() for name in rows[task].files)
    assert "no accepted ranges" not in rows["test"].question
    (missing,) = re.findall(r"Not in this pack: (.*)\. Export the pack again", " ".join(printed.lines(printed.at)))
    assert {*missing.split(", ")} == {
        "parts.csv", "cut-list.csv", "sections.csv", "schedule.csv", "pattern.dxf", "vessel.stl", "clamp.stl", "bracket.stl",
        "environment.toml", "schedule.json", "pressures.json",
    }  # fmt: skip
    assert not [name for name in missing.split(", ") if (folder / name).exists()]


def test_the_guide_comes_after_all_other_formats() -> None:
    """Wherever it was asked for; the others stay in their order."""
    assert [*guide_last(("pdf", "stl", "csv"))] == ["stl", "csv", "pdf"]
    assert [*guide_last(("csv", "stl"))] == ["csv", "stl"]
    assert {*guide_last(KNOWN)} == {*KNOWN}


def test_every_place_and_file_of_the_questions_exists(make_pack: Callable[[str, str], Pack]) -> None:
    """None is misspelt: each is named by the list of one of these packs, if all files are written."""
    files = [name + "x" * name.endswith("/") for question in QUESTIONS for name in question.files]
    found = ""
    for kind, mount in (("steered", "free"), ("mixed", "wall"), ("preformed", "free")):
        pack = replace(make_pack(kind, mount), bed=Bed(600.0, 400.0))
        page, *_ = guide_pages(replace(pack.guide, files=files), "letter", 2, 7)
        check_page(page.figure)
        found += words([page])
    assert [place for question in QUESTIONS for place in question.places if place not in found] == []
    assert [name for question in QUESTIONS for name in question.files if name not in found] == []
    assert [question.task for question in QUESTIONS] == TASKS
