"""The options of `import_environment`, for type checkers."""

from dataclasses import fields
from typing import get_type_hints

from environments.importing.options import ImportArguments, ImportOptions


def test_type_checkers_know_every_option() -> None:
    """The typed arguments are the fields of the options, with the same types."""
    known = get_type_hints(ImportOptions)
    assert get_type_hints(ImportArguments) == {one.name: known[one.name] for one in fields(ImportOptions)}
