"""The error of tables over time."""

from __future__ import annotations


class InvalidTimeTable(ValueError):
    """An unusable table of inputs or of a reference; for a file, the one-line message names it, line, value and allowed range."""

    exit_code = 2
