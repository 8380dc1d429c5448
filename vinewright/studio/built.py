"""Measurements of a built design, for the panel Trust: their view, adding and removing, and the errors that were learnt from it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from environments.environment import Environment
from environments.file_model import ERRORS
from environments.learnt_errors import LearntErrors
from environments.objects import obstacles_digest
from environments.uncertainty import KEYS
from environments.uncertainty_in_files import StatedUncertainty
from planner.built.trial import NOTHING, BendTest, Growth, Trials, design_digest
from planner.built.trials_file import InvalidTrials, load_trials, save_trials
from planner.design.design import Design
from planner.design.design_file import SOLUTIONS, load_design
from planner.design.solutions_file import load_solutions_with_jumps
from planner.output.contents import MEASUREMENTS
from planner.uncertainty.causes import Cause, list_causes, tube_digest
from planner.uncertainty.deviations import OF_BENDS, OF_SECTIONS
from planner.uncertainty.errors import InvalidErrors, errors_of, read_errors
from vinewright.built.folder import (
    BuiltDesign,
    Item,
    begin_trials,
    describe,
    extend_trials,
    hold,
    items_of,
    summary,
)
from vinewright.built.learning import STATED
from vinewright.console.errors import BadInput
from vinewright.studio.built_requests import MeasuredRequest
from vinewright.studio.worker import line_of_error

_OF_WORLD = {
    "cell": "cell_common", "growth_pressure": "growth_pressure", "moment": "moment_share", "compliance": "contact_share",
    "friction": "friction", "shift": "obstacle_position", "rotation": "obstacle_rotation", "size": "obstacle_size",
    "share": "obstacle_share",
}  # fmt: skip
"""Fields of `Uncertainty` by the fields of `WorldErrors`, but for the base."""


def design_of(folder: Path, key: str) -> Design:
    """Return a design of a run: that of its file, "best", or a solution by its number."""
    return load_design(folder, None if key == "best" else int(key))


def keys_of(folder: Path, digest: str) -> list[str]:
    """Return the keys of the designs of a run that have a digest: the design to make may be one of the solutions, too."""
    designs = [("best", load_design(folder))]
    if (folder / SOLUTIONS).is_file():
        designs += [(str(k), one) for k, (one, _) in enumerate(load_solutions_with_jumps(folder / SOLUTIONS), start=1)]
    return [key for key, design in designs if design_digest(design) == digest]


def read_of(folder: Path, key: str) -> BuiltDesign:
    """Read a design of a run, with what was measured of it.

    Raises:
        InvalidTrials: There is nothing, or it is of another design, or cannot be used.
    """
    trials = load_trials(folder / MEASUREMENTS)
    _check_same(folder, key, trials)
    return BuiltDesign.read(folder)


def _check_same(folder: Path, key: str, trials: Trials) -> None:
    """Check that trials are those of a design of a run.

    Raises:
        InvalidTrials: They are not.
    """
    if key in (keys := keys_of(folder, trials.design)):
        return
    others = [f"solution {one}" if one != "best" else "the design to make" for one in keys]
    whose = f"{others[0]}: choose that" if others else "a design that this run no longer has, or that was changed"
    raise InvalidTrials(f"the trials in this run are of {whose}")


def in_words(text: str) -> str:
    """Replace keys of files and options of the command line, of which the page has none, by words."""
    told = text.removeprefix(f"{MEASUREMENTS}: ")
    told = re.sub(r"\b(growth|bend|point)s\[(\d+)\]\.?", lambda found: f"{found[1]} {int(found[2]) + 1}: ", told)
    for option, words in _OPTIONS.items():
        told = told.replace(option, words)
    return re.sub(r"\s+", " ", told).strip()


@contextmanager
def told_in_words() -> Iterator[None]:
    """Turn messages about what a user gave into the words of the page."""
    try:
        yield
    except Exception as error:
        if getattr(error, "exit_code", None) != BadInput.exit_code:
            raise
        raise BadInput(in_words(line_of_error(error))) from None


_OPTIONS = {
    ", and the unit with --unit": "", "with --uncertainty": "with the sliders", "; --samples with a larger number tells more": "",
    "--out ": "", "; give another --out": "", "give --uncertainty with errors, such as workshop": "choose errors that are not all zero",
    "its tip_mm": "its tip", "its length_mm =": "its length", "tip_mm =": "the tip", "bend_deg =": "the bend", "length_mm =": "the length",
    "pressure_kpa =": "the pressure",
    "reached = true": "it reached the goal", "reached = false": "it missed the goal",
    "give at least one of reached, tip_mm, length_mm and recording": "say whether it reached the goal, where its tip ended, or its length",
}  # fmt: skip
"""Words of messages for options and keys, and those of the page."""


# ---- the view ----


def built_view(folder: Path, name: str) -> dict[str, Any]:
    """Return what was measured of a design of a run; `problem` says why it cannot be used, if it cannot.

    Args:
        name: Name of the run on the page.
    """
    view: dict[str, Any] = {
        "run": name, "designs": [], "problem": "", "summary": "", "notes": [], "items": [], "tips": [], "learnt": None,
    }  # fmt: skip
    if not (folder / MEASUREMENTS).is_file():
        return view
    try:
        built = BuiltDesign.read(folder)
    except (BadInput, ValueError) as error:
        return {**view, "problem": f"{MEASUREMENTS} cannot be used: {in_words(line_of_error(error))}"}
    return {
        **view,
        "designs": keys_of(folder, built.trials.design),
        "summary": summary(built.trials, built.design).partition(": ")[2],
        "notes": list(map(in_words, built.notes)),
        "items": [_item_view(item, built.design) for item in items_of(built.trials)],
        "tips": [_tip_view(one) for one in built.trials.growths if one.tip is not None],
        "learnt": _learnt_view(folder, built),
    }


def _item_view(item: Item, design: Design) -> dict[str, str]:
    what, words = describe(item, design)
    return {"what": what, "words": words, "note": " ".join(item.note.split()) if isinstance(item, Growth) else ""}


def _tip_view(growth: Growth) -> dict[str, Any]:
    assert growth.tip is not None
    return {"at": [round(1e3 * one, 2) for one in growth.tip], "reached": growth.reached}


# ---- what was learnt ----


def learnt_in(folder: Path) -> LearntErrors | None:
    """Return the errors that were learnt in the folder of a run; None if there are none.

    Raises:
        InvalidErrors: The file cannot be used.
    """
    path = folder / STATED
    return read_errors(str(path)).learnt if path.is_file() else None


def stated_errors(given: Mapping[str, Any], folder: Path) -> StatedUncertainty:
    """Return the errors of a request about a run.

    Args:
        given: `preset`, `numbers`, and whether those that were `learnt` in the folder take their place.
    Raises:
        BadInput: Nothing was learnt there.
    """
    stated = StatedUncertainty.of(
        ERRORS.model_validate({"preset": given["preset"], **given["numbers"]}).model_dump(exclude_none=True)
    )
    if not given.get("learnt"):
        return stated
    if (learnt := learnt_in(folder)) is None:
        raise BadInput(
            "nothing is learnt from the trials of this run any more: learn again, or use the errors as they were assumed"
        )
    return replace(stated, learnt=learnt)


def _learnt_view(folder: Path, built: BuiltDesign) -> dict[str, Any] | None:
    """Return the view of the errors that were learnt; None without any that can be used for this tube."""
    try:
        learnt = learnt_in(folder)
    except InvalidErrors:
        return None
    fits = learnt and learnt.tube == tube_digest(built.design)
    if learnt is None or not fits or learnt.obstacles not in ("", obstacles_digest(built.environment)):
        return None
    older = (folder / STATED).stat().st_mtime < (folder / MEASUREMENTS).stat().st_mtime
    sliders = sliders_of(built.design, built.environment)
    rows = zip(learnt.errors, learnt.mean, learnt.deviation, strict=True)
    errors = [
        {
            "error": key.partition(" [")[0],
            "unit": key.partition(" [")[2].rstrip("]"),
            "mean": mean,
            "deviation": deviation,
            "slider": sliders.get(key),
        }
        for key, mean, deviation in rows
    ]
    return {"older": older, "errors": errors}


def sliders_of(design: Design, environment: Environment) -> dict[str, str]:
    """Return the keys of `[uncertainty]` to which single errors belong, by the names of these."""
    # Every error is listed if none is exact.
    every = StatedUncertainty.of(
        {key.name: 1.0 for key in KEYS.values() if key.name != "friction"} | {"friction": [0.0, 1.0]}
    )
    listed = list_causes(design, environment, errors_of(environment, design.params, every))
    return {cause.key: KEYS[_field_of(cause)].name for cause in listed}


def _field_of(cause: Cause) -> str:
    """Return the field of `Uncertainty` that states an error."""
    if cause.made:
        return {**OF_SECTIONS, **OF_BENDS}[cause.field]
    if cause.field == "start":
        return "start_heading" if cause.at == (2,) else "start_position"
    return _OF_WORLD[cause.field]


# ---- adding ----


@told_in_words()
def add_measured(folder: Path, asked: MeasuredRequest) -> list[str]:
    """Add a growth or a bend to the trials of a design; return notes on what is possible but unlikely.

    Raises:
        BadInput: It cannot have been measured, or there are trials of another design.
        UnwritableFolder: Another command writes in the folder for long.
    """
    item: Item
    if asked.bend:
        item = BendTest(asked.bend.section, 1e3 * asked.bend.pressure_kpa, math.radians(asked.bend.bend_deg))
    elif asked.growth:
        tip, length = asked.growth.tip_mm, asked.growth.length_mm
        item = Growth(
            asked.growth.reached,
            None if tip is None else (1e-3 * tip[0], 1e-3 * tip[1]),
            None if length is None else 1e-3 * length,
            None,
            None,
            asked.growth.note,
        )
    else:
        item = NOTHING
    with hold(folder):
        trials, design, environment = begin_trials(folder, None if asked.design == "best" else int(asked.design))
        _check_same(folder, asked.design, trials)
        more, notes = extend_trials(trials, [item], design, environment)
        save_trials(folder / MEASUREMENTS, more)
    return list(map(in_words, notes))
