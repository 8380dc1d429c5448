"""Writing a pack for fabrication in several formats, of which some may not be possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from planner.fabrication import GUIDE

if TYPE_CHECKING:
    from planner.fabrication.pack import Pack

OPTIONAL = "ezdxf", "manifold3d", "trimesh"
"""Packages that some formats need, and that may be missing."""


@dataclass(slots=True)
class WrittenFormats:
    """Files written of a pack, and formats that are missing or incomplete."""

    files: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Formats whose libraries are not installed."""
    faults: dict[str, str] = field(default_factory=dict)
    """Reason why a format is not complete, by its name."""


def guide_last(formats: Iterable[str]) -> Iterator[str]:
    """Return the formats in the order in which they are written: the builder's guide names the files of all others."""
    asked = False
    for form in formats:
        if form == GUIDE:
            asked = True
        else:
            yield form
    if asked:
        yield GUIDE


def write_formats(pack: Pack, formats: Iterable[str], folder: Path) -> WrittenFormats:
    """Write all formats that can be written.

    Args:
        formats: Some of `planner.fabrication.KNOWN`.
    """
    from planner.fabrication.assembly.bracket import NoBracket

    written = WrittenFormats()
    for form in guide_last(formats):
        try:
            written.files += pack.write(form, folder, written.files)
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] not in OPTIONAL:
                raise
            written.missing.append(form)
        except NoBracket as error:
            written.faults[form] = error.message
            written.files += error.written
    return written
