"""Folders and files for results: each is written by one process at a time, and no earlier results are replaced unasked.

While a command works on a folder or file NAME, it holds a lock on `.NAME.lock` beside it. The operating system releases
the lock when the process ends, however it ends, so a lock file that a killed process left
behind does not block others on this machine; one from another machine must be removed by hand.
A symbolic link stands for what it leads to: lock and temporary files lie beside that, and the link stays.
"""

from __future__ import annotations

import errno
import glob
import os
import shlex
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from planner.output.contents import MEASUREMENTS, describe_contents, foreign_files, is_unfinished, names_in
from planner.output.removal import remove_folder

BAD_PATHS = {
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY, errno.EINVAL, errno.ENAMETOOLONG),
    *(errno.ELOOP, errno.EBUSY, errno.EXDEV, errno.EILSEQ),
}
"""Error numbers that mean that the path is unsuitable; with any other, for example of a full disk, the machine is at fault."""
FULL = {errno.ENOSPC, errno.EDQUOT}
"""Error numbers of a full disk."""
NO_MORE_FILES = {errno.EMFILE, errno.ENFILE}
"""Error numbers of too many open files."""
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
"""Error numbers of file systems that have no locks; work goes on without one there."""
ATTEMPTS = 1000
"""How often a lock file is made again that other processes remove: on some file systems, as `/proc`, it can never be made."""


class UnwritableFolder(OSError):
    """A folder or file that cannot be written, or must not be replaced."""

    def __init__(
        self,
        problem: str,
        remedy: str = "give another folder",
        option: str = "give another --out",
        machine: bool = False,
    ) -> None:
        """State the problem and what to do about it, in Python (`remedy`) and on the command line (`option`).

        Args:
            machine: Whether the machine is at fault, for example a full disk, and not the request.
        """
        super().__init__(f"{problem}; {remedy}")
        self.on_console = f"{problem}; {option}"
        self.exit_code = 4 if machine else 2


class Occupied(UnwritableFolder):
    """An existing file, or a folder that contains results or files that no command wrote."""


class Locked(Occupied):
    """A folder or file that another process is writing."""


def is_of_machine(error: OSError) -> bool:
    """Whether the machine is at fault, for example a full disk, and not the path."""
    return bool(error.errno) and error.errno not in BAD_PATHS


@contextmanager
def writing(path: Path, begun: bool = False) -> Iterator[None]:
    """Turn errors of the operating system while writing a path into `UnwritableFolder`.

    Args:
        begun: Whether the path is known to be suitable: if a folder is missing now, another program has removed it.
    """
    try:
        yield
    except UnwritableFolder:
        raise
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror or error}"
        if is_of_machine(error) or (begun and error.errno == errno.ENOENT):
            advice = _advise(error)
            raise UnwritableFolder(problem, advice, advice, machine=True) from None
        raise UnwritableFolder(problem) from None


def _advise(error: OSError) -> str:
    """Say what to do about an error of the machine."""
    if error.errno == errno.EFBIG:
        return "raise the limit on the size of files: `ulimit -f`"
    if error.errno == errno.ENOENT:
        return "another program has removed it; write elsewhere"
    if error.errno in NO_MORE_FILES:
        return "raise the limit on open files: `ulimit -n`"
    return "make room, or write elsewhere" if error.errno in FULL else "write elsewhere"


def find_destination(path: Path) -> Path:
    """Find where a path leads: absolute, through symbolic links, whether or not something is there.

    Raises:
        Occupied: It is a symbolic link that leads to itself.
        UnwritableFolder: It begins in the working folder, which has been removed.
    """
    try:
        target = Path(os.path.realpath(path))
    except FileNotFoundError:
        raise UnwritableFolder(
            f"{path} cannot be written: the working folder has been removed", "change to another", "change to another"
        ) from None
    if target.is_symlink():
        raise Occupied(f"{path} cannot be written: it is a symbolic link that leads to itself")
    return target


def _check_parents(path: Path, target: Path) -> None:
    """Check that what is above a path is a folder, as far as it exists.

    Raises:
        UnwritableFolder: It is not.
    """
    above = next(folder for folder in target.parents if folder.exists())
    if not above.is_dir():
        raise UnwritableFolder(f"{path} cannot be written: {above} is not a folder")


# ---- locks ----


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the lock of a folder or file, which need not exist.

    Raises:
        Locked: Another process holds it; the message says which.
        UnwritableFolder: The lock file cannot be written.
    """
    target = find_destination(path)
    if not target.name:
        raise UnwritableFolder(f"{path} cannot be written: it is the root of the file system")
    file = target.with_name(f".{target.name}.lock")
    with writing(path):
        _check_parents(path, target)
        missing = [folder for folder in target.parents if not folder.exists()]
        handle = _acquire(path, file)
    try:
        yield
    finally:
        _release(handle, file)
        with suppress(OSError):  # stops at the first folder that is not empty
            for folder in missing:
                folder.rmdir()


def _acquire(path: Path, file: Path) -> int:
    """Open and lock a lock file, and write the number of this process and the name of this machine into it."""
    for _ in range(ATTEMPTS):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            handle = _open_alone(file)
            break
        except FileNotFoundError:  # another process has removed the folder, which was empty
            continue
    else:
        raise UnwritableFolder(f"{path} cannot be written: no file can be made in {file.parent}")
    if handle is None:
        advice = "wait until it has finished, or write elsewhere"
        raise Locked(f"{path} is being written by {_holder(file)}", advice, advice)
    try:
        left = os.read(handle, 300).decode(errors="replace").split()
        if len(left) > 1 and left[1] != socket.gethostname():
            # Some network file systems do not show the locks of other machines.
            advice = f"if that process has ended, remove {file}"
            raise Locked(f"{path} is being written by {_holder(file)}", advice, advice)
    except BaseException:
        os.close(handle)
        raise
    try:
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{os.getpid()} {socket.gethostname()}\n".encode())
    except BaseException:
        _release(handle, file)
        raise
    return handle


def _release(handle: int, file: Path) -> None:
    with suppress(OSError):  # Windows deletes it when it is closed
        file.unlink()
    os.close(handle)


if sys.platform == "win32":

    def _open_alone(file: Path) -> int | None:
        """The open lock file, which no other process can open until this one has closed it; None if another has."""
        try:
            return os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_TEMPORARY)
        except (FileExistsError, PermissionError):
            return None

else:

    def _open_alone(file: Path) -> int | None:
        """The open lock file, locked; None if another process has locked it."""
        import fcntl

        for _ in range(ATTEMPTS):
            handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Its last owner may have removed it between the two calls; then others lock another file of this name.
                if os.path.samestat(os.fstat(handle), file.stat()):
                    return handle
            except BlockingIOError:
                os.close(handle)
                return None
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno in NO_LOCKS:
                    return handle
                os.close(handle)
                raise
            os.close(handle)
        raise FileNotFoundError(file)


def _holder(file: Path) -> str:
    """Return the process that holds a lock, in words."""
    for _ in range(20):  # it writes its number just after it has locked the file
        with suppress(OSError):
            owner = file.read_text(encoding="utf-8", errors="replace").split()
            if len(owner) == 2:
                machine = "" if owner[1] == socket.gethostname() else f" on {owner[1]}"
                return f"process {owner[0]}{machine}"
        time.sleep(0.01)
    return "another process"


# ---- claims ----


@contextmanager
def claim(out: Path | None, default: Path, force: bool = False) -> Iterator[Path]:
    """Hold the lock of a folder for results, without leftovers of a killed process in it.

    Args:
        out: The folder; None takes the first of `default`, `default-2`, `default-3` ... that is free.
        force: Whether results in `out` may be replaced.
    Raises:
        UnwritableFolder: `out` contains results or other files, another process is writing it, or it cannot be written.
    """
    with ExitStack() as held:
        if out is not None:
            _claim(held, out, force)
        yield _first_free(held, default) if out is None else out


@contextmanager
def claim_to_resume(folder: Path) -> Iterator[Path]:
    """Hold the lock of a folder to continue the run in it, without leftovers of a killed process.

    Raises:
        UnwritableFolder: Another process is writing it, or it cannot be written.
    """
    with lock(folder):
        clear_leftovers(folder)
        yield folder


@contextmanager
def claim_file(path: Path, force: bool, option: str = "") -> Iterator[Path]:
    """Hold the lock of a file for results, without leftovers of a killed process.

    Args:
        force: Whether an existing file may be replaced.
        option: The option that names the file, for messages.
    Raises:
        Occupied: The file exists, or another process is writing it.
        UnwritableFolder: It cannot be written.
    """
    named, other = f"{option} {path}".strip(), f"give another {option or 'name'}"
    with writing(path):
        above = find_destination(path).parent
        if not above.is_dir():
            shown = above if path.is_symlink() else path.parent
            state = f"{shown} is not a folder" if above.exists() else f"the folder {shown} does not exist"
            raise UnwritableFolder(f"{named} cannot be written: {state}", other, other)
        if path.is_dir():
            raise Occupied(f"{named} is a folder", other, other)
        if path.exists() and not path.is_file():
            raise Occupied(f"{named} is a device or a pipe, which is not replaced", other, other)
    with lock(path):
        clear_leftovers(path)
        if path.exists() and not force:
            advice = f"{other}, or --force to replace it"
            raise Occupied(f"{named} already exists", advice, advice)
        yield path


def check_folder(out: Path, force: bool = False) -> None:
    """Check that a folder can be written, before any work is done for it.

    Args:
        force: Whether results in it may be replaced.
    Raises:
        UnwritableFolder: The folder cannot be written, or must not be replaced; the message gives the reason.
    """
    with writing(out):
        if out.exists() and not out.is_dir():
            raise Occupied(f"{out} is a file")
        if (out / MEASUREMENTS).is_file():
            raise Occupied(f"{out} contains {MEASUREMENTS}, measurements of a built design, which are never replaced")
        if others := foreign_files(out):
            raise Occupied(
                f"{out} contains {others[0]}, which is not part of a run",
                "give an empty or new folder",
                "give an empty or new folder as --out",
            )
        names = names_in(out)
        if names and not force:
            resume = (
                f"continue it with `vinewright plan --resume {shlex.quote(str(out))}`, " if is_unfinished(names) else ""
            )
            raise Occupied(
                f"{out} contains {describe_contents(out)}",
                "give another folder, or force=True to replace it",
                f"{resume}give another --out, or --force to replace it",
            )
        target = find_destination(out)
        if os.path.ismount(target):
            raise Occupied(
                f"{out} cannot be replaced: a file system is mounted there",
                f"give a folder in {out}",
                f"give a folder in {out}",
            )
        parent = next(folder for folder in target.parents if folder.exists())
        os.rmdir(tempfile.mkdtemp(prefix=temporary_prefix(target, "new"), dir=parent))


def clear_leftovers(out: Path) -> None:
    """Remove the temporary files of a killed run, and restore the folder if the run was killed between two moves.

    Raises:
        UnwritableFolder: The folder cannot be written; the message gives the reason.
    """
    out = find_destination(out)
    with writing(out):
        new, old = (_leftovers(out, kind) for kind in ("new", "old"))
        for folder in old:
            if not out.exists() and any(folder.iterdir()):
                folder.replace(out)
        for left in new + old:
            if not left.is_dir():
                left.unlink(missing_ok=True)
            elif not foreign_files(left):
                remove_folder(left)


def temporary_prefix(out: Path, kind: str) -> str:
    """Return the beginning of the names of temporary files beside a folder."""
    return f".{out.name}.{kind}."


def _leftovers(out: Path, kind: str) -> list[Path]:
    pattern = glob.escape(temporary_prefix(out, kind)) + 8 * "?"
    return [one for end in {"", glob.escape(out.suffix)} for one in out.parent.glob(pattern + end)]


def _claim(held: ExitStack, folder: Path, force: bool) -> None:
    held.enter_context(claim_to_resume(folder))
    check_folder(folder, force)


def _first_free(held: ExitStack, default: Path) -> Path:
    folder, number = default, 1
    while True:
        try:
            with writing(folder), ExitStack() as attempt:
                target = find_destination(folder)
                left = _leftovers(target, "new") + _leftovers(target, "old")
                if left or not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
                    _claim(attempt, folder, force=False)
                    held.push(attempt.pop_all())
                    return folder
        except Occupied:
            pass
        number += 1
        folder = default.with_name(f"{default.name}-{number}")
