"""Files of TOML that `new` writes for users to edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from vinewright.console.errors import BadInput, readable_errors


def write_new_toml(file: Path, make_text: Callable[[], str], force: bool) -> None:
    """Write a file, whole or not at all, and print its name.

    Args:
        make_text: Returns its text.
        force: Whether an existing file may be replaced.
    Raises:
        BadInput: The name does not end in .toml, the text cannot be made, or the file exists.
        MachineFault: The file cannot be written.
    """
    if file.suffix.lower() != ".toml":
        raise BadInput(f"{file} must end in .toml")
    with readable_errors():
        from environments.writing import atomic_path
        from planner.output.claim import claim_file, writing

        text = make_text()
        with claim_file(file, force), writing(file), atomic_path(file) as partial:
            partial.write_text(text, encoding="utf-8")
    print(f"wrote {file}")
