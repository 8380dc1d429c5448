"""A design that is known before a plan, with which it begins."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from environments.reading import UnreadableFile, read_file
from planner.design.design import Design, InvalidDesign
from planner.design.design_file import DESIGN, MOST_BYTES, load_design


@dataclass(frozen=True, slots=True, eq=False)
class KnownDesign:
    """A design with which a plan begins, and where it comes from."""

    design: Design
    file: str
    """Path of its file, or of the folder of its run, as it was given."""
    sha256: str
    """Hash of the content of that file."""
    changes: tuple[str, ...] = ()
    """Changes that make it a design of the tube of the plan, each as text."""

    @classmethod
    def load(cls, path: str) -> KnownDesign:
        """Read a design as `load_design` does.

        Raises:
            InvalidDesign: As there.
        """
        file = Path(path) / DESIGN if Path(path).is_dir() else Path(path)
        design = load_design(path)
        try:
            return cls(design, path, sha256(read_file(file, MOST_BYTES)).hexdigest())
        except UnreadableFile as error:
            raise InvalidDesign(f"{file}: {error}") from None

    @property
    def words(self) -> str:
        """Origin, size and changes as one line of text."""
        length = f"{1e3 * self.design.built:.0f} mm"
        return "; ".join([f"begins with {self.file}: {self.design.words}, {length}", *self.changes])

    def content(self) -> dict[str, Any]:
        """Return the content for a JSON file."""
        return {"file": self.file, "sha256": self.sha256, "changes": list(self.changes)}
