"""The folder of a run: its design, solutions, pictures, trials, facts and checkpoint."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from platform import machine
from typing import Any

import numpy as np

from environments.environment_file import write_environment
from planner.design.design import Design
from planner.design.design_file import design_content
from planner.design.drive_margin import drive_margin
from planner.design.replay import replay, trajectory
from planner.design.solutions_file import solutions_content
from planner.design.verification import Verification
from planner.output.contents import CHECKPOINT
from planner.output.folder import replace_file, write_folder, write_json
from planner.output.provenance import versions
from planner.plan.choice.front import Choice
from planner.plan.inputs import Inputs
from planner.plan.run.checkpoint import write_checkpoint
from planner.plan.run.stages import Stages
from planner.plan.run.success import success, with_trials
from planner.search.run import Run
from planner.search.solutions import Solutions
from planner.uncertainty.shown_trials import TRIALS, ShownTrials


def save_checkpoint(out: Path, run: Run, inputs: Inputs) -> None:
    """Replace the checkpoint in the folder of a run atomically; the other files stay.

    The results of an earlier run therefore remain until this run has its own.

    Raises:
        UnwritableFolder: The folder cannot be written and is unchanged; the message gives the reason.
    """
    replace_file(out, CHECKPOINT, lambda path: write_checkpoint(path, run, inputs))


def _tree_facts(run: Run) -> dict[str, Any] | None:
    tree = run.reverse_tree
    if tree is None:
        return None
    return {"vertices": len(tree.poses), "seconds": round(tree.seconds, 3), "complaint": tree.failure}


def design_to_write(run: Run, choice: Choice | None, verification: Verification | None) -> Design:
    """The design of a run with a solution: the best verified one, else that chosen by trials, else that with the lowest cost."""
    if verification:
        return with_trials(verification.design, choice)
    return with_trials(choice.chosen.design if choice else run.solutions.best[0].design, choice)


def _solutions_content(solutions: Solutions) -> dict[str, Any]:
    """Return the content of the solutions file, with the obstacles that each design passes."""
    content = solutions_content([(one.design, one.jump) for one in solutions.best])
    for part, one in zip(content["solutions"], solutions.best, strict=True):
        part["obstacles_left"], part["obstacles_right"] = solutions.islands.passed(one.design.centerline)
    return content


def _timings(run: Run, choice: Choice | None) -> dict[str, float]:
    """Time of each stage of a run [s]."""
    stages = {"prepare_s": run.prepare_seconds + run.solutions.preparing, "search_s": run.seconds}
    if not choice:
        return stages
    later = ("friction_search_s", "refinement_s", "trials_s")
    return stages | {name: getattr(choice, name) for name in later}


def _run_content(
    run: Run, inputs: Inputs, stopped: str, best: Design, choice: Choice | None, verification: Verification | None
) -> dict[str, Any]:
    """Content of `run.json`; the arguments are those of `write_run`, and the design that is written."""
    tree, known = run.search.tree, run.search.switches.known
    return {
        "schema": 1,
        "inputs": {
            "environment": run.environment.name,
            "sha256": run.environment.sha256,
            **inputs.model_dump(),
            "stopped": stopped,
        },
        "seed": inputs.seed,
        "known": known.content() if known else None,
        "versions": versions(),
        "device": f"{run.propagator.device_name} ({machine()})",
        "timings": {name: round(seconds, 3) for name, seconds in _timings(run, choice).items()},
        "reverse_tree": _tree_facts(run),
        "time_to_first_s": round(run.history[0].seconds, 3),
        "iterations": run.search.iteration,
        "vine_steps": run.search.vine_steps,
        "tree": {"nodes": len(tree), "jumped": int(tree.jumped[tree.used].sum())},
        "cost": {"actuators": best.actuators, "length_mm": round(best.built * 1e3, 3)},
        "history": [[round(m.seconds, 3), m.actuators, round(m.length * 1e3, 3)] for m in run.history],
        "replayed": run.solutions.replayed,
        "rejected": run.solutions.rejected,
        "ambiguous": run.solutions.ambiguous,
        "trials": choice.content() if choice else None,
        "verification": verification.content() if verification else None,
    }


def write_run(
    out: Path,
    run: Run,
    inputs: Inputs,
    stopped: str,
    choice: Choice | None = None,
    verification: Verification | None = None,
    full_tree: bool = False,
    stages: Stages | None = None,
) -> None:
    """Write a finished run that has a solution.

    Args:
        inputs: Options of the run.
        stopped: Reason why it ended.
        choice: The front of designs and the chosen one.
        verification: Result of --verify.
        full_tree: Whether the picture shows every branch of the search tree.
        stages: The stages after the first search, to resume from.
    """
    best = design_to_write(run, choice, verification)

    def fill(folder: Path) -> None:
        fill_run(folder, run, inputs, stopped, best, choice, verification, full_tree)
        write_checkpoint(folder / CHECKPOINT, run, inputs)
        if stages:
            stages.write(folder)

    write_folder(out, fill)


def fill_run(
    folder: Path,
    run: Run,
    inputs: Inputs,
    stopped: str,
    best: Design,
    choice: Choice | None,
    verification: Verification | None,
    full_tree: bool,
) -> None:
    """Write all files of a run but its checkpoint into a folder; the arguments are those of `write_run`, and the design."""
    solutions = run.solutions
    tried = choice.show(best, run.environment, run.seed) if choice else None
    with ThreadPoolExecutor(1) as pool:
        replayed = pool.submit(replay, best, solutions.replayer)  # takes as long as the pictures
        _draw(folder, run, best, choice, verification, full_tree, tried)
        rollout = replayed.result()
    write_environment(run.environment, folder / "environment.toml")
    write_json(folder / "design.json", design_content(best))
    write_json(folder / "solutions.json", _solutions_content(solutions))
    margin = drive_margin(rollout, best.params)
    content = _run_content(run, inputs, stopped, best, choice, verification)
    write_json(folder / "run.json", {**content, "drive": margin.content() if margin else None})
    points, length = trajectory(run.environment, best, rollout)
    np.savez_compressed(folder / "trajectory.npz", points=points, length=length)
    if tried:
        tried.write(folder / TRIALS)


def _draw(
    folder: Path,
    run: Run,
    best: Design,
    choice: Choice | None,
    verification: Verification | None,
    full_tree: bool,
    tried: ShownTrials | None,
) -> None:
    """Draw the plan and its solutions; the arguments are those of `fill_run`, and the trials of the design."""
    from planner.drawing.plan import save_plan
    from planner.drawing.solutions import save_solutions
    from planner.plan.run.branches import select_branches

    branches = select_branches(run.search.tree, run.environment, run.params, full_tree)
    save_plan(folder / "plan.png", run.environment, best, branches, tried)
    found = run.solutions.best
    designs, words = [solution.design for solution in found], success(choice, verification, found)
    save_solutions(folder / "solutions.png", run.environment, designs, best, *words)
