"""Bad input and faults of the machine, reported in one line."""

from __future__ import annotations

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
    "ompl": ("OMPL", ("networkx", "ompl")),
    "osqp": ("OSQP", ("osqp",)),
    "studio": ("Starlette, uvicorn and websockets", ("starlette", "uvicorn", "websockets")),
    "torch": ("PyTorch", ("torch",)),
    "video": ("OpenCV, scikit-image and imageio-ffmpeg", ("cv2", "imageio_ffmpeg", "skimage")),
}
"""Contents of each extra, as text and as the packages that are imported."""


REPOSITORY = (Path(__file__).parents[2] / "setup.cfg").is_file()
"""Whether this is a copy of the repository; an installed wheel has no `setup.cfg`."""
NO_MEMORY = "out of memory; end other programs, or ask for less at once"


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
    """Turn the project's errors about files, folders and memory into `BadInput` or `MachineFault`."""
    try:
        yield
    except Exception as error:
        # Imported here because these imports take longer than many commands.
        from dynamics.cuda import DeviceLost
        from dynamics.propagator import CannotRun, OutOfMemory
        from dynamics.recording import InvalidRecording
        from dynamics.tube import InvalidTube
        from environments.file_model import InvalidEnvironment
        from environments.importing.traced import UnusableFile
        from environments.reach import WalledIn
        from planner.cluster.cluster import NoScheduler, SchedulerLost
        from planner.design.design import InvalidDesign
        from planner.design.schedule import InvalidSchedule
        from planner.mapping.actions import NoLaunch
        from planner.mapping.session_file import InvalidSession
        from planner.output.claim import UnwritableFolder, is_of_machine
        from planner.plan.run.arrays import InvalidCheckpoint
        from planner.sweep.errors import InvalidManifest, InvalidStudy, OtherProgram
        from planner.uncertainty.errors import InvalidErrors
        from surrogate.weights_file import InvalidWeights

        known = (
            CannotRun,
            InvalidCheckpoint,
            InvalidDesign,
            InvalidEnvironment,
            InvalidErrors,
            InvalidManifest,
            InvalidRecording,
            InvalidSchedule,
            InvalidSession,
            InvalidStudy,
            InvalidTube,
            InvalidWeights,
            NoLaunch,
            NoScheduler,
            OtherProgram,
            UnusableFile,
            WalledIn,
        )
        if isinstance(error, UnwritableFolder):
            raise (MachineFault if error.machine else BadInput)(error.on_console) from None
        if isinstance(error, DeviceLost | OutOfMemory | SchedulerLost):
            raise MachineFault(str(error)) from None
        if isinstance(error, MemoryError):
            raise MachineFault(f"{NO_MEMORY}{f' ({error})' * bool(str(error))}") from None
        if isinstance(error, known):
            raise BadInput(str(error)) from None
        if isinstance(error, OSError) and is_of_machine(error):
            raise MachineFault(str(error)) from None
        raise


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


def known_actuator(name: str) -> str:
    """An actuator's kind, checked."""
    from surrogate.registry import actuators

    if name not in actuators():
        raise BadInput(f"unknown actuator {name!r}; known: {', '.join(actuators())}")
    return name


def known_actuators(names: str) -> list[str]:
    """Kinds of actuators, separated by commas, checked.

    Raises:
        BadInput: One is unknown, or given twice.
    """
    kinds = [known_actuator(name.strip()) for name in names.split(",")]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise BadInput(f"--actuator {names}: {kind} is given twice")
    return kinds


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
    """How to install a missing extra: the pip command, or an explanation if the extra is not published for this platform.

    Args:
        version: First two numbers of the Python version.
        platform: As in `sys.platform`.
        repository: Whether Vinewright runs from a copy of the repository, instead of an installed wheel.
    """
    if extra == "ompl" and (version >= (3, 14) or platform == "win32"):
        return "OMPL is not published for Python 3.14 or Windows; use Python 3.11 to 3.13 on Linux or macOS"
    return f"pip install -c constraints.txt -e '.[{extra}]'" if repository else f"pip install 'vinewright[{extra}]'"


def missing(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    return [name for name in EXTRAS[extra][1] if find_spec(name) is None]


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """If a library of an extra is missing, say how to install the extra."""
    words, packages = EXTRAS[extra]
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in packages:
            raise
        raise BadInput(f"this needs {words}: {remedy(extra)}") from None


def apart(out: Path | None, read: Path, what: str) -> None:
    """Check that a folder for results is not the one that a command reads from, which not even --force replaces.

    Args:
        read: The file that is read, or its folder.
        what: What is read, for the message.
    Raises:
        BadInput: It is.
    """
    if out and read.exists() and out.resolve() == (read if read.is_dir() else read.parent).resolve():
        raise BadInput(f"{out} contains the {what} that is read; give another --out")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn bad options into a ValueError of one line, for callers in Python."""
    from pydantic import ValidationError

    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]).replace("time_budget_s", "seconds")
        raise ValueError(f"{name} = {first['input']!r}: {first['msg']}") from None
    except BadInput as error:
        raise ValueError(error.message) from None
