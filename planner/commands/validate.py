"""`vinewright validate`: every propagator against recordings of real vines, against what papers show, and against the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.commands.reproduce import FolderOption, write_tables
from planner.console.errors import BadInput, needs, readable_errors, writable

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.recording import Recording


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the validation: what it grows, and what it makes of that."""

    key: str
    title: str
    items: Callable[[], Iterable[Any]]
    total: int
    report: Callable[[list[Any]], list[str]]
    pictures: Callable[[Path, list[Any]], dict[str, str]] = lambda _out, _items: {}
    """Draws into a folder; what each picture shows, by the name of its file."""


def validate(
    recordings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder with recorded growths of passive tubes (*.json).")
    ] = None,
    propagator: Annotated[
        list[str] | None,
        typer.Option(
            "--propagator", metavar="NAME", help="Only these, beside the default for comparison; may be repeated."
        ),
    ] = None,
    out: FolderOption = Path("results"),
) -> None:
    """Hold every propagator against recorded growths, against the others, and against itself at finer steps.

    Takes some minutes; Ctrl-C keeps what was found.
    """
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), needs("torch"):
        from dynamics.registry import load_propagator, propagators
        from planner.provenance import machine, versions
        from planner.studies.validation.recordings import read_recordings

        names = list(dict.fromkeys(propagator or propagators()))
        for name in names:
            if name not in propagators():
                raise BadInput(f"unknown propagator {name!r}; known: {', '.join(propagators())}")
            load_propagator(name)
        recorded = read_recordings(recordings) if recordings else []
        command = "vinewright validate" + " --recordings DIR" * bool(recordings)
        command += "".join(f" --propagator {name}" for name in propagator or ())
        with writable(out):
            begun, parts = time.perf_counter(), _parts(names, recorded)
            found = _gathered(console, parts)
            if not found:
                raise BadInput("interrupted before a vine was grown; nothing was written")
            if sum(map(len, found.values())) < sum(part.total for part in parts):
                command += ", interrupted,"
            made = f"Made by `{command}` on {machine()}, in {time.perf_counter() - begun:.0f} s."
            lines = ["# Propagators against real vines, each other and themselves", "", made]
            pictures: dict[str, str] = {}
            for part in parts:
                if items := found.get(part.key):
                    own = part.pictures(out, items)
                    lines += ["", f"## {part.title[0].upper()}{part.title[1:]}", "", *part.report(items), ""]
                    lines += [f"![{words}]({file})" for file, words in own.items()]
                    pictures |= own
            content = {"schema": 1, "command": command, "machine": machine(), "versions": versions()}
            content |= {key: [item.content() for item in items] for key, items in found.items()}
            write_tables(console, out / "validation", "\n".join(lines) + "\n", content)
    console.print(f"wrote {', '.join(str(out / file) for file in pictures)}")
    if not recorded:
        console.print("no recorded growths were compared: --recordings DIR gives a folder of them")


def _gathered(console: Console, parts: Sequence[Part]) -> dict[str, list[Any]]:
    """What each part yields that yields anything, one part after the other; after Ctrl-C what came before it."""
    from planner.console.progress import gathered

    found: dict[str, list[Any]] = {}
    for part in parts:
        items = gathered(console, part.items(), part.total, part.title)
        if items:
            found[part.key] = items
        if len(items) < part.total:
            break
    return found


def _parts(names: Sequence[str], recorded: Sequence[Recording]) -> list[Part]:
    """What these propagators are held against; recordings where there are some."""
    from planner.studies.validation import contacts, cross_checks, friction, refinement
    from planner.studies.validation.contacts_plots import save_contacts
    from planner.studies.validation.cross_checks_plots import save_cross_checks
    from planner.studies.validation.refinement_plots import save_refinement

    able = contacts.able(names)
    parts = [_recordings(names, able, recorded)] if recorded else []

    def picture(
        file: str, words: str, save: Callable[[Path, list[Any]], None]
    ) -> Callable[[Path, list[Any]], dict[str, str]]:
        def draw(out: Path, items: list[Any]) -> dict[str, str]:
            save(out / file, items)
            return {file: words}

        return draw

    rubbed = Part(
        "friction", "friction on the best designs", friction.study, len(cross_checks.PLACES) * len(friction.COEFFICIENTS), friction.report
    )  # fmt: skip
    return [
        *parts,
        Part(
            "contacts", "contacts with one obstacle", lambda: contacts.study(names), len(able) * len(contacts.CASES),
            contacts.report, picture("validation-contacts.png", "Vines at a box", save_contacts),
        ),
        Part(
            "cross_checks", "the same designs by every propagator", lambda: cross_checks.study(names),
            len(cross_checks.PLACES) * len(cross_checks.columns(names)),
            cross_checks.report, picture("validation-designs.png", "Designs by every propagator", save_cross_checks),
        ),
        *([rubbed] if "quasistatic" in names else []),
        Part(
            "refinement", "refinement of steps and segments", lambda: refinement.study(names), len(refinement.cases(names)),
            refinement.report, picture("validation-refinement.png", "Errors over steps and segments", save_refinement),
        ),
    ]  # fmt: skip


def _recordings(names: Sequence[str], able: Sequence[str], recorded: Sequence[Recording]) -> Part:
    """Recorded growths by every propagator that knows contact, and by changes to the physics."""
    from dynamics.registry import load_propagator, propagators
    from planner.studies.validation.recordings import deployments
    from planner.studies.validation.recordings_plots import save_errors, save_overlays
    from planner.studies.validation.recordings_report import report
    from planner.studies.validation.variants import TELLING, variants

    makers = {name: load_propagator(name) for name in able}
    changes = variants() if propagators()[0] in able else {}
    unable = [name for name in names if name not in able]

    def draw(out: Path, items: list[Any]) -> dict[str, str]:
        own = [one for one in items if one.model in able]
        changed = [one for one in items if one.model in TELLING]
        drawn = {"validation-recordings.png": "Recorded and simulated centrelines", "validation-errors.png": "Errors"}
        save_overlays(out / "validation-recordings.png", own)
        save_errors(out / "validation-errors.png", own)
        if changed:
            save_overlays(out / "validation-changes.png", changed)
            drawn["validation-changes.png"] = "Recorded centrelines and those of changed physics"
        return drawn

    return Part(
        "recordings", "recorded growths", lambda: deployments(recorded, makers | changes),
        len(recorded) * len(makers | changes), lambda items: report(items, able, unable), draw,
    )  # fmt: skip
