"""Errors of one line: what is bad input, and what is a fault of the machine."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from typer.exceptions import TyperException

from dynamics.cuda import DeviceLost
from dynamics.propagator import CannotRun, OutOfMemory
from planner.output.claim import writing
from vinewright.console.errors import BadInput, MachineFault, apart, readable_errors


def raised(error: BaseException) -> TyperException:
    """Return the error with a message and an exit code that the console makes of another."""
    with pytest.raises(TyperException) as found, readable_errors():
        raise error
    return found.value


def test_too_little_memory_is_a_fault_of_the_machine() -> None:
    """Memory of the CPU and of a device count alike: exit code 4; a propagator that cannot do what is asked is bad input."""
    with pytest.raises(MachineFault, match=r"^out of memory; .*Unable to allocate") as found, readable_errors():
        np.empty((10**6, 10**6, 10**3))
    assert found.value.exit_code == 4
    assert raised(DeviceLost("the CUDA device failed (lost)")).exit_code == 4
    assert raised(OutOfMemory("cuda ran out of memory; try --batch 3")).exit_code == 4
    assert raised(CannotRun("geometric has no sections")).exit_code == 2


def test_libraries_and_threads_without_memory_are_a_fault_of_the_machine() -> None:
    """Also where a library tells its own story about that; other errors of libraries are faults of the program."""
    words = "/lib/_core.so: failed to map segment from shared object"
    told = OSError("Could not find/load shared object file")
    told.__context__ = OSError(words)
    numpy = ImportError("please read this")
    numpy.__cause__ = ImportError("libblas.so: cannot allocate memory in static TLS block")
    for error in (ImportError(words), told, numpy, RuntimeError("can't start new thread")):
        assert raised(error).exit_code == 4
        assert raised(error).format_message() == "out of memory; end other programs, or ask for less at once"
    for other in (ImportError("undefined symbol: x"), RuntimeError("no rest"), OSError("Could not find/load")):
        with pytest.raises(type(other)), readable_errors():
            raise other


@pytest.mark.parametrize(
    ("number", "code", "advice"),
    [
        (errno.EMFILE, 4, "raise the limit on open files: `ulimit -n`"),
        (errno.EFBIG, 4, "raise the limit on the size of files: `ulimit -f`"),
        (errno.ENOENT, 2, "give another --out"),
        (errno.ENOSPC, 4, "make room, or write elsewhere"),
        (errno.EDQUOT, 4, "make room, or write elsewhere"),
        (errno.EACCES, 4, "write elsewhere"),
        (errno.EROFS, 4, "write elsewhere"),
        (errno.EIO, 4, "write elsewhere"),
        (errno.ENOTDIR, 2, "give another --out"),
        (errno.ENAMETOOLONG, 2, "give another --out"),
    ],
)
def test_a_path_that_cannot_be_written(number: int, code: int, advice: str) -> None:
    """A full disk or a missing permission is a fault of the machine; an unsuitable path is bad input."""
    with pytest.raises(TyperException) as found, readable_errors(), writing(Path("runs/plus")):
        raise OSError(number, os.strerror(number))
    assert found.value.exit_code == code
    assert found.value.format_message() == f"runs/plus cannot be written: {os.strerror(number)}; {advice}"


def test_the_folder_that_is_read_is_not_written(tmp_path: Path) -> None:
    """Neither where the folder is given nor a file in it, and by no other name of it."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "design.json").write_text("{}")
    for read in (tmp_path / "run", tmp_path / "run" / "design.json"):
        with pytest.raises(BadInput, match="contains the design that is read; give another --out"):
            apart(tmp_path / "run" / ".." / "run", read, "design")
    apart(tmp_path / "other", tmp_path / "run", "design")
    apart(None, tmp_path / "run", "design")
