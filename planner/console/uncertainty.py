"""The value of `--uncertainty`: the name of a preset, or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planner.console.errors import BadInput

if TYPE_CHECKING:
    from environments.given import Given

_MOST_BYTES = 100_000


def asked_errors(value: str | None) -> Given | None:
    """The errors that are asked for, for `planner.robustness.uncertainty.errors_of`.

    Args:
        value: Value of `UncertaintyOption`.
    Raises:
        BadInput: It is neither a preset nor a file that can be used.
    """
    from pydantic import ValidationError

    from environments.environment_file import parse_toml
    from environments.file_model import ERRORS, InvalidEnvironment, describe, hint
    from environments.given import Given
    from environments.reading import Unreadable, read_file
    from environments.uncertainty import PRESETS

    if value is None or value in PRESETS:
        return (value and Given(value)) or None
    path = Path(value)
    try:
        if not path.is_file():
            known = f"{', '.join(PRESETS)}, or the path of a TOML file{hint(value, [*PRESETS])}"
            raise BadInput(f"--uncertainty {value} must be one of {known}")
        content = parse_toml(read_file(path, _MOST_BYTES))
        table = content.get("uncertainty", content)
        return Given.of(ERRORS.model_validate(table).model_dump(exclude_none=True))
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except (InvalidEnvironment, Unreadable) as error:
        reason = str(error)
    except ValidationError as error:
        reason = describe(error, ERRORS)
    raise BadInput(" ".join(f"--uncertainty {value}: {reason}".split("\n")))
