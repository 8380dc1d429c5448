"""The first page of the guide: the questions of a workshop, each with the pages and files that answer it, and a box to tick."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from planner.drawing.style import INK
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.vessel import Vessel
from planner.fabrication.guide.flow import Column, Flow
from planner.fabrication.guide.paper import Page, Paper
from planner.fabrication.guide.steps import BuildStep, Task

SHEETS = "pattern"
"""Name of the sheets of the pattern among the places."""
ON_REQUEST = "bed/", "bench-1to1-a4.pdf", "bench-1to1-letter.pdf", "bench-1to1.svg"
"""Files that are in a pack only if they were asked for; a name that ends with a slash is a folder."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and where its answer may be: what a design does not have is left out."""

    task: Task
    text: str
    places: Sequence[str]
    """Titles and headings of the guide, and `SHEETS`."""
    files: Sequence[str]


QUESTIONS = (
    Question(
        "cut",
        "What do I buy, and what do I cut: how long, how wide, along which lines?",
        ("Parts and materials", SHEETS),
        ("parts.csv", "cut-list.csv", "pattern.dxf", "pattern.svg", "bed/"),
    ),
    Question(
        "seal",
        "Where do I seal, how wide, how hot and for how long?",
        ("Films and sealing", "Test strips: how to find the seal setting", SHEETS),
        ("pattern.dxf", "pattern.svg", "bed/"),
    ),
    Question(
        "glue",
        "Where does each strip or fold lie on the body, what holds it there, and how exact must it be?",
        ("Placement tolerance", SHEETS),
        ("sections.csv", "folds.csv", "bracket.stl"),
    ),
    Question(
        "mount",
        "What do I print, how does the tube get onto its base, and where do base and obstacles stand?",
        ("Base and printed parts", "Base in the wall and printed parts", "How to make and mount the base", "Bench"),
        ("vessel.stl", "clamp.stl", "environment.toml", *ON_REQUEST[1:]),
    ),
    Question(
        "plumb",
        "Which hose goes from where to where, through which regulator and valve?",
        ("Plumbing and operation", "How to join the parts", "Feed lines"),
        ("plumbing.svg", "parts.csv", "cut-list.csv"),
    ),
    Question(
        "inflate",
        "What do I open and set, at which length of tube, and which pressure is too much?",
        ("Operation", "Pressure lines [kPa]", "Pressures over the grown length [kPa]"),
        ("schedule.csv", "schedule.json", "pressures.json"),
    ),
    Question(
        "test",
        "How do I see that it is made well, and what do I change if it is not?",
        ("Acceptance test", "If an actuator fails the test"),
        ("pressures.json",),
    ),
)
"""The questions in the order of the work."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The places of the guide, and the files beside it."""

    places: Mapping[str, int]
    """Page number of each title, heading and step."""
    steps: Sequence[BuildStep]
    sheets: range
    """Page numbers of the sheets of the pattern."""
    files: Sequence[str]
    """Files that were written, with slashes."""


def draw_checklist(paper: Paper, build: Build, vessel: Vessel | None, tested: bool, contents: Contents) -> list[Page]:
    """Draw the list.

    Args:
        tested: Whether the acceptance test has accepted ranges.
    """
    flow = Flow(paper)
    flow.title(
        "Could I build it from the files alone?",
        "Answer each question from these pages and files before you cut; tick it if nothing is left to ask.",
    )
    rows, without = list[tuple[str, ...]](), _without(build, vessel)
    for question in QUESTIONS:
        note = _note(question.task, build, tested)
        if question.task == "glue" and not (build.actuators or build.bends):
            rows.append(("–", question.task, note, "–", "–"))
            continue
        names = [name for name in question.files if name not in without]
        pages, files = _pages_text(question, contents), ", ".join(_written(names, contents.files)) or "–"
        rows.append(("☐", question.task, f"{question.text}\n{note}".strip(), pages, files))
    columns = (
        Column("", 0.5),
        Column("to", 1.1),
        Column("question", 4.6),
        Column("pages of this guide", 5.4),
        Column("files of the pack", 3.0),
    )
    flow.table(columns, rows, [INK] * len(rows), rules=True)
    flow.reserve(2)
    if missing := _missing({*ON_REQUEST, *without}, contents.files):
        flow.paragraph(
            f"Not in this pack: {', '.join(missing)}. Export the pack again with the formats of these files if you need them.",
            mark="!",
        )
    return flow.pages


def _pages_text(question: Question, contents: Contents) -> str:
    """Return page numbers with what is there, a line for each page."""
    named: dict[int, list[str]] = {}
    for place in question.places:
        if place in contents.places:
            named.setdefault(contents.places[place], []).append(place)
    numbers: dict[int, list[str]] = {}
    for number, step in enumerate(contents.steps, start=1):
        if question.task in step.tasks:
            numbers.setdefault(contents.places[step.title], []).append(str(number))
    for page, each in numbers.items():
        named.setdefault(page, []).append(f"{'steps' if len(each) > 1 else 'step'} {', '.join(each)}")
    lines = [f"{page}: {', '.join(named[page])}" for page in sorted(named)]
    if SHEETS in question.places and contents.sheets:
        first, last = contents.sheets[0], contents.sheets[-1]
        lines.append(f"{first}{f'–{last}' if last > first else ''}: {SHEETS}")
    return "\n".join(lines)


def _written(names: Sequence[str], files: Sequence[str]) -> list[str]:
    """Return those of the names that were written."""
    there = {*files, *(f"{name.split('/')[0]}/" for name in files if "/" in name)}
    return [name for name in names if name in there]


def _without(build: Build, vessel: Vessel | None) -> set[str]:
    """Return the files that say nothing about this design, or that it does not have."""
    without = set[str]()
    if vessel is None:
        without |= {"vessel.stl", "clamp.stl"}
    if not build.bends:
        without.add("folds.csv")
    if not build.actuators:
        without.add("sections.csv")
    if not any(actuator.end == "bracket" for actuator in build.actuators):
        without.add("bracket.stl")
    return without


def _missing(without: Container[str], files: Sequence[str]) -> list[str]:
    """Return the files that answer a question and were not written, but for some."""
    names = dict.fromkeys(name for question in QUESTIONS for name in question.files if name not in without)
    there = _written([*names], files)
    return [name for name in names if name not in there]


def _note(task: Task, build: Build, tested: bool) -> str:
    """Return what this design lacks for a task; empty if nothing."""
    if task == "test" and (build.actuators or build.bends) and not tested:
        return "There are no accepted ranges: the design misses its goal in the model, as planned or with errors."
    if build.actuators:
        return ""
    match task:
        case "seal":
            return "There are no actuators: only the tip of the body is sealed."
        case "glue":
            if build.bends:
                return "There are no actuators: only the folds are taped."
            return "Nothing to glue: there are no actuators and no folds."
        case "plumb":
            return "There are no actuators: only the line of the body."
    return ""
