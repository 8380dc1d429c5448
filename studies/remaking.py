"""Measuring stored results again: which of them fit into a time, and the run of each command."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studies.stored import State, StoredResult


@dataclass(frozen=True, slots=True)
class Choice:
    """A stale result, and whether it is made again."""

    result: StoredResult
    command: str
    """Its command with the inputs of this machine."""
    skipped: str = ""
    """Why it is not made again; empty if it is."""


def choose(results: Sequence[StoredResult], hours: float, inputs: dict[str, Path], root: Path) -> list[Choice]:
    """Choose the stale results that are made again: the oldest first, as far as the times that they took fit.

    Of those without a date the quickest come first.

    Args:
        hours: Time for all of them [h].
        inputs: Files and folders of the user, by the option that takes them, for example `--recordings`.
        root: Folder to which paths in commands are relative.
    """
    left, found = hours * 3600, []
    stale = [one for one in results if one.state is State.STALE]
    for result in sorted(stale, key=lambda one: (one.date, one.seconds or 0.0, one.name)):
        command, skipped = _complete(result.command, inputs, root)
        if not skipped and result.seconds is None:
            skipped = "the time that it took was not recorded"
        elif not skipped and result.seconds is not None and result.seconds > left:
            skipped = f"it took {result.seconds / 3600:.2g} h, and {max(left, 0) / 3600:.2g} h are left"
        if not skipped and result.seconds is not None:
            left -= result.seconds
        found.append(Choice(result, command, skipped))
    return found


def _complete(command: str, inputs: dict[str, Path], root: Path) -> tuple[str, str]:
    """Return a command with the user's inputs, and why it cannot run here, if it cannot."""
    words = shlex.split(command)
    for place, word in enumerate(words):
        if re.fullmatch(r"[A-Z]{2,}", word):
            option = words[place - 1]
            if option not in inputs:
                return command, f"needs {option} {word}"
            words[place] = str(inputs[option])
        elif "/" in word and not (root / word).exists():
            return command, f"needs {word}, which is not here"
    if words[1:3] == ["bench", "gpu"]:
        from dynamics.cuda import why_not

        if reason := why_not():
            return command, f"needs a CUDA device: {reason}"
    return shlex.join(words), ""


def make_again(choice: Choice, results: Path) -> str:
    """Run the command of a result; return how it failed, empty if it did not.

    A result is replaced only by a whole one: after Ctrl-C or a failure its folder is as it was.
    """
    folder = results / choice.result.name
    with tempfile.TemporaryDirectory() as kept:
        before, whole = Path(kept) / folder.name, False
        shutil.copytree(folder, before)
        try:
            failure = _run([*shlex.split(choice.command)[1:], "--out", results.name, "--force"], results.parent)
            failure = failure or _stopped(folder)
            whole = not failure
        finally:
            if not whole:
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(before, folder)
    return failure


def _stopped(folder: Path) -> str:
    """Return why a study ended before all its cases were done, as its report says; empty if they are."""
    command: str = json.loads((folder / "data.json").read_text(encoding="utf-8"))["command"]
    return command.partition(", ")[2].rstrip(",")


def _run(arguments: list[str], root: Path) -> str:
    """Run a command of Vinewright in a folder; return how it failed, empty if it did not. Exit code 3 is a result too.

    Ctrl-C is passed on, and waits for the end of the command.
    """
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r}); from vinewright.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=root, start_new_session=True, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        errors = process.communicate()[1]
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate()
        raise
    if process.returncode in (0, 3):
        return ""
    lines = errors.strip().splitlines()
    return f"exit code {process.returncode}: {lines[-1] if lines else 'no message'}"
