"""Data of an earlier report of a study, from which parts are kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from vinewright.console.errors import BadInput

Data = TypeVar("Data")


def read_earlier(out: Path | None, study: str, read: Callable[[dict[str, Any]], Data]) -> Data | None:
    """Read what is kept of the report of a study in `out`; None if there is none.

    Args:
        read: Takes it from the content of `data.json`.
    Raises:
        BadInput: The file is not data of this study.
    """
    file = out and out / study / "data.json"
    try:
        return read(json.loads(file.read_text(encoding="utf-8"))) if file and file.exists() else None
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{file} is not a report of {study}; move it away, or give another --out") from None
