"""Bad input and faults of the machine, reported in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from typer.exceptions import TyperException

if TYPE_CHECKING:
    from rich.console import Console

    from environments import Environment
    from planner.design.design import Design


EXTRAS = {
    "cluster": ("Dask, Bokeh and PyArrow", ("bokeh", "cloudpickle", "dask", "distributed", "pyarrow")),
    "cuda": ("PyTorch and numba-cuda", ("numba_cuda", "torch")),
    "fab": ("ezdxf, trimesh and manifold3d", ("ezdxf", "manifold3d", "trimesh")),
    "import": ("ezdxf, OpenCV, PyYAML and svgelements", ("cv2", "ezdxf", "svgelements", "yaml")),
    "fit": ("CasADi and h5py", ("casadi", "h5py")),
    "osqp": ("OSQP", ("osqp",)),
    "studio": (
        "Starlette, uvicorn, websockets and platformdirs",
        ("starlette", "uvicorn", "websockets", "platformdirs"),
    ),
    "torch": ("PyTorch", ("torch",)),
    "video": ("OpenCV, scikit-image and imageio-ffmpeg", ("cv2", "imageio_ffmpeg", "skimage")),
}
"""Contents of each extra, as text and as the packages that are imported."""
NOT_EVERYWHERE = {"ompl": ("OMPL", ("ompl",))}
"""Libraries that are no extra, but are not published for each platform: their name in text, and the packages that are imported."""
UNSURE = "cuda", "import"
"""Extras that share libraries with others, which are named instead."""


REPOSITORY = (Path(__file__).parents[2] / "setup.cfg").is_file()
"""Whether this is a copy of the repository; an installed wheel has no `setup.cfg`."""
NO_MEMORY = "out of memory; end other programs, or ask for less at once"
NO_MEMORY_FOR = "failed to map segment", "annot allocate memory", "can't start new thread"
"""Words of errors without a number: of the system's loader of libraries, and of Python where a thread needs memory."""


class BadInput(TyperException):
    """Something the user gave cannot be used; the message says what is allowed."""

    exit_code = 2


class MachineFault(TyperException):
    """The machine could not do what was asked: its disk is full, memory ran out, or a process was killed."""

    exit_code = 4


class NothingKept(TyperException):
    """Ctrl-C came before there was any result to keep."""

    exit_code = 130


@contextmanager
def readable_errors() -> Iterator[None]:
    """Turn errors of the user into `BadInput`, and those of the machine into `MachineFault`.

    An exception says by its attribute `exit_code` whose it is. Errors of the operating system, a full memory, also while a library
    is loaded, and a library that is not installed are recognised without that; all others are faults of the program, and remain.
    """
    try:
        yield
    except TyperException:
        raise
    except MemoryError as error:
        raise MachineFault(f"{NO_MEMORY} ({error})" if str(error) else NO_MEMORY) from None
    except ModuleNotFoundError as error:
        if (extra := extra_of(error)) is None:
            raise
        raise BadInput(need_text(extra)) from None
    except Exception as error:
        if _lacks_memory(error):
            raise MachineFault(NO_MEMORY) from None
        code = getattr(error, "exit_code", None)
        if code is None and isinstance(error, OSError):
            from planner.output.claim import is_of_machine

            code = MachineFault.exit_code if is_of_machine(error) else None
        if code not in (BadInput.exit_code, MachineFault.exit_code):
            raise
        fault = MachineFault if code == MachineFault.exit_code else BadInput
        raise fault(getattr(error, "on_console", str(error))) from None


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether an error, or one that led to it, says that a library could not be loaded or a thread not started for want of memory."""
    while error is not None:
        if isinstance(error, ImportError | OSError | RuntimeError) and any(
            words in str(error) for words in NO_MEMORY_FOR
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def readable_options() -> Iterator[None]:
    """Turn pydantic's errors about options, such as a NaN, into `BadInput`."""
    from pydantic import ValidationError

    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        option = "-".join(str(part) for part in first["loc"]).replace("_", "-")
        raise BadInput(f"--{option} {first['input']} {first['msg'].removeprefix('Input ')}") from None


def same_environment(console: Console, design: Design, environment: Environment, force: bool) -> None:
    """Check that a design was made for this environment; with `force`, only print a warning if it was not.

    Raises:
        BadInput: It was made for another one.
    """
    if design.sha256 == environment.sha256:
        return
    other = f"this design was made for another environment ({design.environment}) or an earlier version of {environment.name}"
    if not force:
        raise BadInput(f"{other}; use --force to continue anyway")
    console.print(f"warning: {other}")


def remedy(
    extra: str,
    version: tuple[int, int] = sys.version_info[:2],
    platform: str = sys.platform,
    repository: bool = REPOSITORY,
) -> str:
    """Say how to install what is missing: the pip command, or an explanation if it is not published for this platform.

    Args:
        extra: One of `EXTRAS` or `NOT_EVERYWHERE`.
        version: First two numbers of the Python version.
        platform: As in `sys.platform`.
        repository: Whether Vinewright runs from a copy of the repository, instead of an installed wheel.
    """
    if extra in NOT_EVERYWHERE:
        if version >= (3, 14) or platform == "win32":
            return "OMPL is not published for Python 3.14 or Windows; use Python 3.11 to 3.13 on Linux or macOS"
        return f"pip install -c constraints.txt {extra}" if repository else f"pip install {extra}"
    return f"pip install -c constraints.txt -e '.[{extra}]'" if repository else f"pip install 'vinewright[{extra}]'"


def without_extra(extra: str) -> str:
    """Why something is not written whose libraries are in an extra that is not installed, and how to install it."""
    return f"not written, because an extra is not installed: {remedy(extra)}"


def missing(extra: str) -> list[str]:
    """The packages of an extra, or of one of `NOT_EVERYWHERE`, that are not installed."""
    return [name for name in (EXTRAS | NOT_EVERYWHERE)[extra][1] if find_spec(name) is None]


def need_text(extra: str) -> str:
    """Say which extra, or which of `NOT_EVERYWHERE`, is needed, and how to install it."""
    return f"this needs {(EXTRAS | NOT_EVERYWHERE)[extra][0]}: {remedy(extra)}"


def extra_of(error: ModuleNotFoundError) -> str | None:
    """Find the extra, or the one of `NOT_EVERYWHERE`, that has a library which is not installed; None if there is none."""
    package, every = (error.name or "").split(".")[0], EXTRAS | NOT_EVERYWHERE
    return next((extra for extra in sorted(every, key=UNSURE.__contains__) if package in every[extra][1]), None)


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """If a library of an extra is missing, say how to install that extra: for libraries that several extras have.

    Raises:
        BadInput: It is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in EXTRAS[extra][1]:
            raise
        raise BadInput(need_text(extra)) from None


def apart(out: Path | None, read: Path, what: str) -> None:
    """Check that a folder for results is not the one that a command reads from, which not even --force replaces.

    Args:
        read: The file that is read, or its folder.
        what: What is read, for the message.
    Raises:
        BadInput: It is.
    """
    if out is None or not read.exists():
        return
    folders = [read] if read.is_dir() else [read.parent, Path(os.path.realpath(read)).parent]
    if os.path.realpath(out) in map(os.path.realpath, folders):
        raise BadInput(f"{out} contains the {what} that is read; give another --out")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn bad options and missing libraries into a ValueError of one line, for callers in Python."""
    from pydantic import ValidationError

    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]).replace("time_budget_s", "seconds")
        raise ValueError(f"{name} = {first['input']!r}: {first['msg']}") from None
    except ModuleNotFoundError as error:
        if (extra := extra_of(error)) is None:
            raise
        raise ValueError(need_text(extra)) from None
    except BadInput as error:
        raise ValueError(error.message) from None
