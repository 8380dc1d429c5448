"""Files of arrays, without pickles or compression, that are checked when they are read."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.plan.run.facts import LARGEST

Arrays = dict[str, NDArray[Any]]


class InvalidCheckpoint(ValueError):
    """An unusable checkpoint; the one-line message names the file and the problem."""

    exit_code = 2


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays of any shape as a file for `read_arrays`, and wait until it is on disk.

    Raises:
        OSError: The file cannot be written.
    """
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # no array is called allow_pickle
        file.flush()
        os.fsync(file.fileno())


def read_arrays(path: Path) -> Arrays:
    """The arrays of a file that `write_arrays` wrote, not yet checked; their shapes may be any.

    Raises:
        InvalidCheckpoint: It is not such a file, or is damaged.
        OSError: It cannot be read.
    """
    require(path.is_file() or not path.exists(), "is not a regular file")
    try:
        with zipfile.ZipFile(path) as file:
            packed = any(member.compress_type != zipfile.ZIP_STORED for member in file.infolist())
        if not packed:
            with np.load(path, allow_pickle=False) as file:
                arrays: Arrays = {name: file[name] for name in file.files}
    except OSError:
        raise
    except Exception:  # zipfile and NumPy raise many types of errors for damaged files
        raise InvalidCheckpoint("is not a checkpoint, or is damaged") from None
    require(not packed, "is compressed; checkpoints must not be compressed")
    return arrays


def check_arrays(arrays: Arrays, expected: dict[str, tuple[type, int]], endless: Collection[str] = ()) -> None:
    """Check names, types, shapes and numbers of arrays.

    Args:
        expected: Type and number of columns of each array; 0 means shape (n,).
        endless: Names of arrays whose numbers are not checked.
    Raises:
        InvalidCheckpoint: They differ from what is expected, or a number is not finite or too large.
    """
    require(arrays.keys() == expected.keys(), f"must contain the arrays {', '.join(expected)}")
    for name, (kind, columns) in expected.items():
        array, shape = arrays[name], (columns,) if columns else ()
        require(array.dtype == kind, f"{name} is of type {array.dtype}; it must be {np.dtype(kind)}")
        fits = array.ndim == 1 + len(shape) and array.shape[1:] == shape
        require(fits, f"{name} has the shape {array.shape}; it must be {str(('n', *shape)).replace(chr(39), '')}")
        # NaN fails this comparison too.
        small = array.dtype.kind != "f" or name in endless or (np.abs(array) < LARGEST).all()
        require(bool(small), f"{name} must be finite and below {LARGEST:g}")


def require(holds: bool | np.bool_, complaint: str) -> None:
    """Raise `InvalidCheckpoint` with a complaint unless something holds."""
    if not holds:
        raise InvalidCheckpoint(complaint)
