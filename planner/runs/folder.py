"""The folder a run is kept in: written under a temporary name beside it and then moved, so that it appears atomically.

A kill may leave what was being written, but only beside the folder and under a name that begins with a dot:
`.NAME.new.*` is half of something, and `.NAME.old.*` is the folder itself, caught between the two moves that exchange it.
These are never read; the next start puts the latter back and removes the former (`sweep`).
"""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from platform import machine
from typing import Any

import numpy as np

from dynamics.recording import Recording
from environments.environment import Environment, write_environment
from planner.design import Design
from planner.design_file import design_content
from planner.provenance import versions
from planner.replay import replay, trajectory
from planner.robustness.selection import Choice
from planner.runs.checkpoint import CHECKPOINT, write_checkpoint
from planner.runs.inputs import Inputs
from planner.search.run import Run
from planner.verification import Verification

FILES = (
    *("run.json", "environment.toml", "design.json", "solutions.json", "trajectory.npz", "plan.png", "simulation.json"),
    *("fit.json", "fit.png", "recording.json", "map.json", "map.png", CHECKPOINT),
)
"""What a folder written here may hold; a folder with anything else is never replaced."""
LONGEST_NAME = 80
"""Maximum number of letters of an environment's name in that of a file."""


class UnwritableFolder(OSError):
    """A folder that cannot be written, or must not be replaced."""


def stem_of(named: Environment | Recording) -> str:
    """The name of an environment or a recording in a form that a file name allows."""
    return re.sub(r"[^\w-]", "_", named.name)[:LONGEST_NAME] or "unnamed"


def check_folder(out: Path) -> None:
    """Make sure that a folder can be written before any work is done for it.

    Raises:
        UnwritableFolder: Saying why.
    """
    try:
        if out.exists() and not out.is_dir():
            raise UnwritableFolder(f"{out} is a file; give another --out")
        if strange := _strange(out):
            raise UnwritableFolder(
                f"{out} holds {strange[0]}, which is no part of a run; give an empty or new folder as --out"
            )
        parent = next(folder for folder in out.absolute().parents if folder.exists())
        os.rmdir(tempfile.mkdtemp(prefix=_prefix(out.absolute(), "new"), dir=parent))
    except UnwritableFolder:
        raise
    except OSError as error:
        raise UnwritableFolder(f"{out} cannot be written: {error.strerror}; give another --out") from None


def sweep(out: Path) -> None:
    """Remove what a killed run left beside a folder, and put the folder back if the kill came between two moves.

    Two runs that write the same folder at once would disturb each other; neither would leave half a folder.

    Raises:
        UnwritableFolder: Saying why.
    """
    out = out.absolute()
    try:
        new, old = (list(out.parent.glob(glob.escape(_prefix(out, kind)) + 8 * "?")) for kind in ("new", "old"))
        for folder in old:
            if not out.exists() and any(folder.iterdir()):
                folder.replace(out)
        for left in new + old:
            if not left.is_dir():
                left.unlink(missing_ok=True)
            elif not _strange(left):
                shutil.rmtree(left)
    except OSError as error:
        raise UnwritableFolder(f"{out} cannot be written: {error.strerror}; give another --out") from None


def _prefix(out: Path, kind: str) -> str:
    return f".{out.name}.{kind}."


def _strange(folder: Path) -> list[str]:
    """The files of a folder that are not part of a run."""
    if not folder.exists():
        return []
    # A file that is being written has a dot before its name, and the process and `partial` after it.
    names = {re.sub(r"^\.(.+)\.\d+\.partial$", r"\1", entry.name) for entry in folder.iterdir()}
    return sorted(names - set(FILES))


def save_checkpoint(out: Path, run: Run, inputs: Inputs) -> None:
    """Replace the checkpoint in the folder of a run atomically; the other files stay.

    So the results of an earlier run are there until this one has its own.

    Raises:
        UnwritableFolder: Saying why; what was there is unchanged.
    """
    out = out.absolute()
    fresh: Path | None = None
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=_prefix(out, "new"), dir=out.parent)
        os.close(handle)
        fresh = Path(name)
        write_checkpoint(fresh, run, inputs)
        fresh.chmod(0o644)
        fresh.replace(out / CHECKPOINT)
    except OSError as error:
        raise UnwritableFolder(f"{out} cannot be written: {error.strerror}; give another --out") from None
    finally:
        if fresh:
            fresh.unlink(missing_ok=True)


def write_folder(out: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write into a temporary folder beside `out`, then replace `out` by it.

    Raises:
        UnwritableFolder: Saying why; `out` is unchanged.
    """
    check_folder(out)
    out = out.absolute()
    fresh: Path | None = None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=_prefix(out, "new"), dir=out.parent))
        fill(fresh)
        fresh.chmod(0o755)
        if out.exists():
            old = Path(tempfile.mkdtemp(prefix=_prefix(out, "old"), dir=out.parent))
            out.replace(old)
            fresh.replace(out)
            old.replace(fresh)  # while it is removed it must not be taken for the folder
        else:
            fresh.replace(out)
    except OSError as error:
        raise UnwritableFolder(f"{out} cannot be written: {error.strerror}; give another --out") from None
    finally:
        if fresh:
            shutil.rmtree(fresh, ignore_errors=True)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write JSON that people can read."""
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _tree_facts(run: Run) -> dict[str, Any] | None:
    tree = run.reverse_tree
    if tree is None:
        return None
    return {"vertices": len(tree.poses), "seconds": round(tree.seconds, 3), "complaint": tree.failure}


def design_to_write(run: Run, choice: Choice | None, verification: Verification | None) -> Design:
    """The design of a run that has a solution: the best verified, else what --robust chose, else the one of lowest cost."""
    if verification:
        return verification.design
    return choice.chosen.design if choice else run.solutions.best[0].design


def write_run(
    out: Path,
    run: Run,
    inputs: Inputs,
    stopped: str,
    choice: Choice | None = None,
    verification: Verification | None = None,
) -> None:
    """Write a finished run that has a solution.

    Args:
        inputs: What the run was asked to do.
        stopped: Why it ended, as text.
        choice: What --robust chose.
        verification: What --verify found.
    """
    from planner.drawing.plan import save_plan
    from planner.search.tree import branches_of

    solutions = run.solutions
    best = design_to_write(run, choice, verification)
    start = np.asarray(run.environment.start)

    def fill(folder: Path) -> None:
        write_environment(run.environment, folder / "environment.toml")
        write_json(folder / "design.json", design_content(best))
        every = [design_content(solution.design) for solution in solutions.best]
        write_json(folder / "solutions.json", {"schema": 1, "solutions": every})
        content = {
            "schema": 1,
            "inputs": {
                "environment": run.environment.name,
                "sha256": run.environment.sha256,
                **inputs.model_dump(),
                "stopped": stopped,
            },
            "seed": inputs.seed,
            "versions": versions(),
            "device": f"{run.propagator.device_name} ({machine()})",
            "timings": {"prepare_s": round(run.prepare_seconds, 3), "search_s": round(run.seconds, 3)},
            "reverse_tree": _tree_facts(run),
            "time_to_first_s": round(run.history[0].seconds, 3),
            "iterations": run.search.iteration,
            "vine_steps": run.search.vine_steps,
            "cost": {"actuators": best.actuators, "length_mm": round(best.length * 1e3, 3)},
            "history": [[round(m.seconds, 3), m.actuators, round(m.length * 1e3, 3)] for m in run.history],
            "replayed": solutions.replayed,
            "rejected": solutions.rejected,
            "robust": choice.content() if choice else None,
            "verification": verification.content() if verification else None,
        }
        write_json(folder / "run.json", content)
        points, length = trajectory(run.environment, best, replay(best, solutions.replayer))
        np.savez_compressed(folder / "trajectory.npz", points=points, length=length)
        save_plan(folder / "plan.png", run.environment, best, branches_of(run.search.tree, start, run.params))
        write_checkpoint(folder / CHECKPOINT, run, inputs)

    write_folder(out, fill)
