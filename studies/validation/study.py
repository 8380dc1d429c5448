"""The parts of the validation: recorded growths, contacts, designs with every propagator, friction, and finer steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from dynamics.recording import Recording
from dynamics.registry import load_propagator, propagators
from studies.validation import contacts, cross_checks, friction, left_out, recordings_report, refinement
from studies.validation.contacts_plots import save_contacts
from studies.validation.cross_checks_plots import save_cross_checks
from studies.validation.recordings import simulate_recordings
from studies.validation.recordings_plots import save_errors, save_overlays
from studies.validation.refinement_plots import save_refinement
from studies.validation.variants import TELLING, make_variants
from vinewright.console.study import Report

Items = list[Any]


@dataclass(frozen=True, slots=True)
class PartPicture:
    """A figure of some items of a part."""

    words: str
    save: Callable[[Path, Items], None]
    models: tuple[str, ...] = ()
    """Only items of these models are drawn; if empty, all items."""

    def shown(self, items: Items) -> Items:
        """Return the items that are drawn."""
        return [one for one in items if not self.models or one.model in self.models]


@dataclass(frozen=True, slots=True)
class ValidationPart:
    """One part of the validation: its experiments, report and figures."""

    key: str
    title: str
    items: Callable[[], Iterable[Any]]
    total: int
    report: Callable[[Items], list[str]]
    pictures: Mapping[str, PartPicture] = field(default_factory=dict)
    """Figures by file name."""


@dataclass(frozen=True, slots=True)
class ValidationItem:
    """One result and its part."""

    key: str
    found: Any


def run_parts(parts: Sequence[ValidationPart]) -> Iterator[ValidationItem]:
    """Run the parts in sequence."""
    for part in parts:
        for found in part.items():
            yield ValidationItem(part.key, found)


def of_part(found: Sequence[ValidationItem], part: ValidationPart) -> Items:
    """Return the results of a part."""
    return [one.found for one in found if one.key == part.key]


def report(parts: Sequence[ValidationPart], found: Sequence[ValidationItem]) -> Report:
    """Return a section for each part that has items."""
    lines: list[str] = []
    content: dict[str, Any] = {}
    for part in parts:
        if items := of_part(found, part):
            lines += [f"## {part.title[0].upper()}{part.title[1:]}", "", *part.report(items), ""]
            shown = {file: one.words for file, one in part.pictures.items() if one.shown(items)}
            lines += [f"![{words}]({file})" for file, words in shown.items()] + ([""] if shown else [])
            content[part.key] = [item.content() for item in items]
    return Report("Propagators compared with real vines, each other and themselves", lines[:-1], content)


def part_pictures(parts: Sequence[ValidationPart]) -> dict[str, Callable[[Path, Sequence[ValidationItem]], None]]:
    """Return the functions that draw the figures, by file name; they draw nothing without items."""

    def draw(part: ValidationPart, picture: PartPicture, path: Path, found: Sequence[ValidationItem]) -> None:
        if items := picture.shown(of_part(found, part)):
            picture.save(path, items)

    return {file: partial(draw, part, picture) for part in parts for file, picture in part.pictures.items()}


def make_parts(names: Sequence[str], recorded: Sequence[Recording]) -> list[ValidationPart]:
    """Make the parts for these propagators, with the recordings if there are any."""
    able = contacts.with_contact(names)
    count = len(cross_checks.ENVIRONMENTS)
    rubbed = ValidationPart(
        "friction",
        "friction on the best designs",
        friction.run_friction,
        count * len(friction.COEFFICIENTS),
        friction.report,
    )
    chosen = ValidationPart(
        "left_out",
        "numbers chosen on the other recordings",
        lambda: left_out.run_left_out(recorded),
        len(recorded) * len(left_out.list_combinations()),
        left_out.report,
    )
    return [
        *([_recordings(names, able, recorded)] if recorded else []),
        *([chosen] if recorded and "quasistatic" in names else []),
        ValidationPart(
            "contacts",
            "contacts with one obstacle",
            lambda: contacts.run_contacts(names),
            len(contacts.list_runs(names)) * len(contacts.CASES),
            contacts.report,
            {"validation-contacts.png": PartPicture("Vines at a box", save_contacts)},
        ),
        ValidationPart(
            "cross_checks",
            "the same designs by every propagator",
            lambda: cross_checks.run_cross_checks(names),
            count * len(cross_checks.columns(names)),
            cross_checks.report,
            {"validation-designs.png": PartPicture("Designs by every propagator", save_cross_checks)},
        ),
        *([rubbed] if "quasistatic" in names else []),
        ValidationPart(
            "refinement",
            "refinement of steps and segments",
            lambda: refinement.run_refinement(names),
            len(refinement.cases(names)),
            refinement.report,
            {"validation-refinement.png": PartPicture("Errors over steps and segments", save_refinement)},
        ),
    ]


def _recordings(names: Sequence[str], able: Sequence[str], recorded: Sequence[Recording]) -> ValidationPart:
    """Recorded growths simulated with every propagator that supports contact, and with variants of the physics."""
    makers = {name: load_propagator(name) for name in able}
    changes = make_variants() if propagators()[0] in able else {}
    unable = [name for name in names if name not in able]
    own = tuple(able)
    return ValidationPart(
        "recordings",
        "recorded growths",
        lambda: simulate_recordings(recorded, makers | changes),
        len(recorded) * len(makers | changes),
        lambda items: recordings_report.report(items, able, unable),
        {
            "validation-recordings.png": PartPicture("Recorded and simulated centrelines", save_overlays, own),
            "validation-errors.png": PartPicture("Errors", save_errors, own),
            "validation-changes.png": PartPicture(
                "Recorded centrelines and those of changed physics", save_overlays, TELLING
            ),
        },
    )
