"""TODO."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from vinewright.console.errors import BadInput

Kept = TypeVar("Kept")


def read_earlier(out: Path | None, study: str, read: Callable[[dict[str, Any]], Kept]) -> Kept | None:
    """What is kept of an existing report; None if there is none."""
    file = out and out / study / "data.json"
    try:
        return read(json.loads(file.read_text(encoding="utf-8"))) if file and file.exists() else None
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{file} is not a report of {study}; move it away, or give another --out") from None
