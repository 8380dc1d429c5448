"""Extension: a table of every key of each file, written at each build from what reads and checks the files.

Pages in `docs/reference/formats` include these tables. A key without description, or a number without unit, is a warning.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from limits_of_functions import messages_in
from model_tables import Row, Table, docstrings, tables_of
from pages import write
from sphinx.application import Sphinx
from sphinx.util import logging
from units import unit_of, without_unit

from dynamics.actuator_file import actuator_table
from dynamics.euler_lagrange.robot_file import DEFAULT_ROBOT, ROBOT_FILE, load_robot, robot_content
from dynamics.recording import _build_recording, _RecordingFile, _time
from dynamics.tube import VineParams
from dynamics.tube_file import _FILE_MODELS, check_bends, similar, tube_content
from dynamics.tube_keys import ACTUATORS, LIMITS, ORDER, STRIP_FILM, TUBE
from environments.checks import check_goal, check_start
from environments.file_model import ERRORS, EnvironmentFile
from environments.importing.ros_map import MapFile
from planner.built.trials_check import _check_all
from planner.built.trials_file import TrialsFile
from planner.design.design_file import _FIRST, _MODELS, _FirstTubePart, parse_trials
from planner.design.schedule_file import parse_schedule
from planner.design.sections_in_file import check_sections
from planner.fabrication.plumbing.operation_file import ScheduleFile
from planner.mapping.session_file import _SessionFile
from planner.plan.inputs import Inputs
from planner.plan.run import checkpoint, stages
from planner.plan.run.facts import Facts
from vinewright.sweeps.study_file import StudyFile

logger = logging.getLogger(__name__)
ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "generated" / "formats"
KEYS = ROOT / "docs" / "reference" / "formats" / "keys"
"""Descriptions of files that the program writes and no model checks."""
STYLE = "```{raw} html\n<style>article table { font-size: 0.85em; } article td:last-child { min-width: 15em; }</style>\n```\n\n"
"""Narrow columns of numbers leave more room for words."""
HEAD = "| key | type | unit | default | limits | what it is |\n|---|---|---|---|---|---|"


@dataclass
class Part:
    """Some tables of a page, all from one model."""

    heading: str
    model: Any
    path: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Any, ...] = ()
    """Functions that check several keys together."""
    skip: tuple[str, ...] = ()
    """Tables that another part or page has."""


def parts() -> dict[str, list[Part]]:
    """The models of each page."""
    usual = tube_content(VineParams())
    others = [kind for kind in ACTUATORS if kind != "spam"]
    of_kind = {kind: tube_content(similar(VineParams().radius, kind=kind))["actuator"] for kind in others}
    same_tube = ("tube.uncertainty", "tube", "actuator")
    return {
        "environment": [Part("", EnvironmentFile, checks=(check_start, check_goal))],
        "tube": [
            Part("", _FILE_MODELS["spam"], defaults=usual, checks=(check_bends,)),
            *(Part("", actuator_table(kind), f"actuator, {kind}", of_kind[kind]) for kind in others),
        ],
        "robot": [Part("", ROBOT_FILE, defaults=robot_content(load_robot(DEFAULT_ROBOT)))],
        "design": [
            Part("", _MODELS[2, "spam"], checks=(check_sections, parse_schedule, parse_trials), skip=same_tube),
            Part("Schema 1", _FirstTubePart, "tube"),
            *(Part("", model, f"actuator, {kind}") for kind, model in _FIRST.items()),
        ],
        "recording": [Part("", _RecordingFile, checks=(_build_recording, _time))],
        "uncertainty": [Part("", ERRORS, "uncertainty")],
        "trials": [Part("", TrialsFile, checks=(_check_all,))],
        "study": [Part("", StudyFile)],
        "session": [Part("", _SessionFile)],
        "ros-map": [Part("", MapFile)],
        "pack": [Part("", ScheduleFile, "schedule.json")],
        "run": [Part("", Inputs, "inputs")],
        "checkpoint": [
            Part("", Facts, "facts", skip=("facts.inputs",)),
            Part("", stages._Facts, "facts of refinement.npz"),
        ],
    }


def write_pages(_app: Sphinx) -> None:
    """Write the tables of all pages below `docs/generated`."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    pages = {name: _of_models(name, some) for name, some in parts().items()}
    for path in sorted(KEYS.glob("*.toml")):
        pages[path.stem] = pages.get(path.stem, "") + _of_keys(path)
    for name, text in pages.items():
        write(GENERATED / f"{name}.md", text)


def _of_models(name: str, some: list[Part]) -> str:
    text, plan = STYLE, docstrings(Inputs)
    for part in some:
        text += f"## {part.heading}\n\n" if part.heading else ""
        tables = [one for one in tables_of(part.model, part.path, plan, part.defaults) if one.path not in part.skip]
        text += "".join(_table(name, one) for one in tables)
        rules = list(dict.fromkeys(rule for check in part.checks for rule in messages_in(check)))
        if part.model is _FILE_MODELS["spam"]:
            rules += _orders()
        text += _rules("What is refused besides", rules)
    return text


def _orders() -> list[str]:
    """Pairs of numbers of which the first must not exceed the second, by their keys."""
    names = {name: key.name for keys in (TUBE, LIMITS, STRIP_FILM, *ACTUATORS.values()) for name, key in keys.items()}
    return [f"`{names[low]}` must be at most `{names[high]}`" for low, high in ORDER]


def _table(page: str, table: Table) -> str:
    for row in table.rows:
        where = f"{page}: {table.path}{'.' * bool(table.path)}{row.key}"
        if not row.meaning:
            logger.warning("%s has no description", where)
        if not row.unit and ("number" in row.kind or "integer" in row.kind):
            logger.warning("%s has no unit; name it in its key or description, or write: dimensionless", where)
    lines = [HEAD, *(f"| {' | '.join(map(_cell, _cells(row)))} |" for row in table.rows), "", ""]
    heading = f"## `{table.path}`\n\n" if table.path else "## The whole file\n\n"
    return heading + "\n".join(lines) + _rules("Rules of this table", table.rules)


def _cells(row: Row) -> tuple[str, ...]:
    return f"`{row.key}`", row.kind, row.unit, row.default, row.limits, row.meaning.replace("None", "null")


def _cell(text: str) -> str:
    return _options(text.replace("|", "\\|"))


def _options(text: str) -> str:
    """Options as code, because prose would turn two hyphens into a dash."""
    return re.sub(r"(?<![`\w-])(--[\w-]+)", r"`\1`", text)


def _rules(title: str, rules: list[str]) -> str:
    if not rules:
        return ""
    return (
        f"{title}, in the words of the messages:\n\n"
        + "".join(f"- {_options(one.replace('|', '/'))}\n" for one in rules)
        + "\n"
    )


def _of_keys(path: Path) -> str:
    """The tables of files that are only written, described by hand; arrays get shape and type from what writes them."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    arrays = {"checkpoint": checkpoint.ARRAYS, "refinement": stages.ARRAYS}
    text = ""
    for title, table in content.items():
        if title in arrays:
            if missing := arrays[title].keys() ^ table.keys():
                logger.warning(
                    "%s: arrays of %s that only one of the two has: %s", path.name, title, ", ".join(missing)
                )
            text += f"## `{title}.npz`\n\n| array | shape | type | what it is |\n|---|---|---|---|\n"
            text += "".join(
                _array(name, *arrays[title][name], meaning) for name, meaning in table.items() if name in arrays[title]
            )
            text += "\n"
        else:
            text += f"## {title}\n\n| key | unit | what it is |\n|---|---|---|\n"
            text += (
                "".join(f"| `{key}` | {unit} | {_cell(meaning)} |\n" for key, unit, meaning in _described(path, table))
                + "\n"
            )
    return text


def _described(path: Path, table: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for key, meaning in table.items():
        if not meaning:
            logger.warning("%s: %s has no description", path.name, key)
        yield key, unit_of(key.removesuffix("[]").split(".")[-1], meaning), without_unit(meaning)


def _array(name: str, kind: type, columns: int, meaning: str) -> str:
    shape = f"(n, {columns})" if columns else "(n,)"
    return f"| `{name}` | {shape} | {np.dtype(kind)} | {_cell(meaning)} |\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("config-inited", lambda _app, config: config.exclude_patterns.append("generated/formats"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
