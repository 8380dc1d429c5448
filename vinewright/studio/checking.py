"""The checks of the file format, for a drawing as it is edited."""

from __future__ import annotations

import re
from typing import Any

from dynamics.tube import VineParams
from environments.environment import Environment
from environments.environment_file import parse_environment
from environments.file_model import InvalidEnvironment
from environments.hints import environment_hints
from environments.passages import narrowest_passages
from environments.reach import WalledIn, goal_within_reach
from vinewright.studio.document import edited

PASSAGES = 6
"""Number of passages that are measured."""
MOST_CORNERS = 4000
"""Maximum number of corners of obstacles for which passages are measured, which then takes about a second."""
_KEY = re.compile(r"^(?:unknown key |missing key )?([a-z_]+(?:\.[a-z_]+)*(?:\[\d+\])?)")


def checked(text: str, content: Any, origins: Any, tube: VineParams) -> dict[str, Any]:
    """What the page shows of a drawing: the file, what is wrong with it, and its narrowest passages.

    `written` is false if the drawing could not be written into the file, whose text is then the one that was opened.

    Args:
        text: The file that was opened.
        content, origins: What is drawn, see `vinewright.studio.document.edited`.
        tube: The tube that is to grow there.
    """
    made, written = text, False
    try:
        made = edited(text, content, origins)
        written = True
        environment = parse_environment(made.encode(), "environment", tube.radius)
    except InvalidEnvironment as error:
        message = " ".join(str(error).split())
        problem = {"message": message, "key": key_of(message)}
        return {"text": made, "written": written, "problem": problem, "hints": [], "passages": []}
    hints, passages = environment_hints(environment, 2 * tube.radius), list[dict[str, Any]]()
    if sum(map(len, environment.obstacles.polygons)) + len(environment.obstacles.walls) <= MOST_CORNERS:
        passages = _passages(environment, tube)
        hints += _reach(environment, tube)
    return {"text": made, "written": True, "problem": None, "hints": hints, "passages": passages}


def key_of(message: str) -> str:
    """The key of the file that a message is about; "" if it names none."""
    found = _KEY.match(message)
    return found[1] if found else ""


def _passages(environment: Environment, tube: VineParams) -> list[dict[str, Any]]:
    found = narrowest_passages(environment, PASSAGES)
    return [
        {
            "ends": (1e3 * one.ends).round(2).tolist(),
            "width": round(1e3 * one.width, 2),
            "narrow": one.width < 2 * tube.clearance,
        }
        for one in found
    ]


def _reach(environment: Environment, tube: VineParams) -> list[str]:
    try:
        goal_within_reach(environment, tube.radius, tube.clearance)
    except WalledIn as error:
        return [" ".join(str(error).split())]
    return []
