"""The checks of the file format, for a drawing as it is edited."""

from __future__ import annotations

import re
from typing import Any

from dynamics.tube import VineParams
from environments.environment import Environment
from environments.environment_file import parse_environment
from environments.file_model import InvalidEnvironment
from environments.hints import environment_hints
from environments.obstacles import KINDS, plural
from environments.passages import narrowest_passages
from environments.reach import WalledIn, goal_within_reach
from environments.uncertainty_in_files import StatedUncertainty
from planner.uncertainty.errors import errors_of
from vinewright.studio.document import edit_text

PASSAGES = 6
"""Maximum number of passages that are measured."""
MOST_CORNERS = 4000
"""Maximum number of corners of obstacles for which passages are measured, which then takes about a second."""
_VALUE = r"""(?: = (?:\[[^\]]*\]|"[^"]*"|'[^']*'|[^\s]+)(?: (?:mm|cm|m|in|ft)(?= ))?)?"""
"""Value behind a key in a message, with the unit of lengths."""
_ASIDE = re.compile(r" \([a-z_]+\.[a-z_]+ = [^)]*\)")
"""Key and value in brackets, as `(bounds.edge = "wall")`."""
_WORDS = {
    "name": "the name",
    "description": "the description",
    "tube": "the tube",
    "bounds": "the rectangle of the bounds",
    "start": "the start",
    "start.position": "the start",
    "start.heading_deg": "the heading of the start",
    "goal": "the goal",
    "goal.position": "the goal",
    "goal.radius": "the radius of the goal",
    "obstacles.friction": "the friction of walls",
}
"""Words for the keys of a file that a drawing can have wrong."""
_KEY = re.compile(r"^(?:unknown key |missing key )?([a-z_]+(?:\.[a-z_]+)*(?:\[\d+\])?)")


def check_drawing(
    text: str, content: Any, origins: Any, tube: VineParams, unit: str = "mm", errors: str | None = None
) -> dict[str, Any]:
    """Check a drawing: return the text of its file, its problem and hints, and its narrowest passages.

    `written` is false if the drawing cannot be written into the file; the text is then the opened text.

    Args:
        text: The file that was opened.
        content, origins: The drawing, see `vinewright.studio.document.edit_text`.
        tube: The tube that is to grow in the environment.
        unit: Unit of lengths in messages, one of `environments.lengths.SHOWN_UNITS`.
        errors: Preset of the errors that plans use; None for those of environment and tube.
    """
    new_text, written = text, False
    try:
        new_text = edit_text(text, content, origins)
        written = True
        environment = parse_environment(new_text.encode(), "environment", tube.radius, unit)
    except InvalidEnvironment as error:
        message = " ".join(str(error).split())
        problem = {"message": words_of(message), "key": key_of(message)}
        return {"text": new_text, "written": written, "problem": problem, "hints": [], "passages": []}
    built = errors_of(environment, tube, StatedUncertainty(errors))
    hints, passages = environment_hints(environment, 2 * tube.radius, built, unit), list[dict[str, Any]]()
    if sum(map(len, environment.obstacles.polygons)) + len(environment.obstacles.walls) <= MOST_CORNERS:
        passages = _passages(environment, tube)
        hints += _reach(environment, tube)
    return {"text": new_text, "written": True, "problem": None, "hints": hints, "passages": passages}


def words_of(message: str) -> str:
    """Return a message of the checks with the name of the object instead of its key and value in the file.

    >>> words_of("obstacles.boxes[1] = [3, 0, 2, 1] must have x_min < x_max and y_min < y_max")
    'box 2 must have x_min < x_max and y_min < y_max'
    """
    words, key = _ASIDE.sub("", message), key_of(message)
    if listed := re.match(r"obstacles\.(boxes|polygons|circles|walls)\[(\d+)\]", key):
        kind = {plural(kind): kind for kind in KINDS[:4]}[listed[1]]
        name = f"{kind} {int(listed[2]) + 1}"
    elif key in _WORDS:
        name = _WORDS[key]
    else:
        return words
    return re.sub(rf"^{re.escape(key)}(?:\[\d+\])*{_VALUE}", name, words)


def key_of(message: str) -> str:
    """Return the key that a message begins with; "" if there is none."""
    found = _KEY.match(message)
    return found[1] if found else ""


def _passages(environment: Environment, tube: VineParams) -> list[dict[str, Any]]:
    found = narrowest_passages(environment, PASSAGES)
    return [
        {
            "ends": (1e3 * passage.ends).round(2).tolist(),
            "width": round(1e3 * passage.width, 2),
            "narrow": passage.width < 2 * tube.clearance,
        }
        for passage in found
    ]


def _reach(environment: Environment, tube: VineParams) -> list[str]:
    try:
        goal_within_reach(environment, tube.radius, tube.clearance)
    except WalledIn as error:
        return [" ".join(str(error).split())]
    return []
