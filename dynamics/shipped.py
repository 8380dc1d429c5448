"""TOML files of a kind that come with the program, such as tubes, and those of users: one is named, the other has a path."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from environments.error_messages import hint
from environments.reading import UnreadableFile, parse_toml, read_file

Read = TypeVar("Read")
SUFFIX = ".toml"
MOST_BYTES = 100_000
"""Largest file that is read [bytes]."""


class ShippedFiles(NamedTuple):
    """A folder of files that come with the program, of one kind."""

    plural: str
    """Name of the kind in messages."""
    folder: tuple[str, ...]
    """Folder below the package `dynamics`."""
    invalid: type[ValueError]
    """Error of a file that cannot be used."""

    def names(self) -> list[str]:
        """Return the sorted names of the shipped files."""
        entries = files("dynamics").joinpath(*self.folder).iterdir()
        return sorted(Path(entry.name).stem for entry in entries if entry.name.endswith(SUFFIX))

    def read(self, name_or_path: str | os.PathLike[str], convert: Callable[[dict[str, Any]], Read]) -> Read:
        """Return the result of a function for the parsed content of a file.

        Args:
            name_or_path: One of `names()`, or the path of a TOML file.
            convert: May raise `invalid`.
        Raises:
            ValueError: The error `invalid`: the file is missing or malformed, or the function refuses its content. The message is one
                line that begins with the file's name.
        """
        name, path, known = str(name_or_path), Path(name_or_path), self.names()
        try:
            if name not in known and not path.exists():
                choices = f"shipped {self.plural}: {', '.join(known)}; or give the path of a TOML file"
                raise self.invalid(f"not found{hint(path.stem, known)}; {choices}")
            shipped = files("dynamics").joinpath(*self.folder, f"{name}{SUFFIX}")
            return convert(parse_toml(read_file(shipped if name in known else path, MOST_BYTES)))
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
        except (self.invalid, UnreadableFile) as error:
            reason = str(error)
        raise self.invalid(" ".join(f"{path.name or path}: {reason}".split("\n")))
