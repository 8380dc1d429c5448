"""The events that the processes of the studio and its pages exchange."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Message = dict[str, Any]
"""An event or a job as JSON, with a `type` or a `what`."""
Send = Callable[[Message], None]
IDLE: Message = {
    "phase": "idle", "seconds": 0.0, "left": 0.0, "iterations": 0, "nodes": 0, "message": "", "best": None, "success": None,
    "run": None, "front": [], "drawing": None, "name": "",
}  # fmt: skip
"""The state of a plan before there is one, as `PlanState` in `page/types.js`."""
BUSY = "starting", "compiling", "searching", "refining", "writing"
"""Phases of a plan that is under way."""
