"""Plans with all their stages, how much they do, and what comes out of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dynamics.tube import VineParams
from environments import Environment
from planner.design.design_file import design_content
from planner.plan.choice.refinement import Descent
from planner.plan.inputs import Inputs
from planner.plan.plan import Result, plan
from planner.plan.problem import Problem
from planner.plan.run.checkpoint import read_checkpoint
from planner.plan.run.stages import fingerprint
from planner.plan.watcher import Watcher
from planner.search.sst import Search
from planner.uncertainty import trials
from planner.uncertainty.errors import named_errors

OPTIONS = Inputs(iterations=4, batch=20, seed=7)


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Count the work done meanwhile: iterations of searches, generations of refinement, and vines grown in worlds with errors."""
    done = {"iterations": 0, "generations": 0, "vines": 0}
    iterate, generation, grow = Search.iterate, Descent.generation, trials.grow_rows

    def iterating(self: Search, examine: Any) -> Any:
        done["iterations"] += 1
        return iterate(self, examine)

    def growing(worlds: Any, rows: Any, *rest: Any) -> Any:
        done["vines"] += len(rows)
        return grow(worlds, rows, *rest)

    def passing(self: Descent, rows: Any) -> int:
        done["generations"] += 1
        return generation(self, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Search, "iterate", iterating)
        patch.setattr(Descent, "generation", passing)
        patch.setattr(trials, "grow_rows", growing)
        yield done


def resumed(folder: Path, watcher: Watcher | None = None, **changed: Any) -> Result:
    checkpoint = read_checkpoint(folder)
    options = checkpoint.inputs.model_copy(update=changed)
    problem = Problem.of(checkpoint.environment, checkpoint.tube, options)
    return plan(problem, checkpoint, folder, watcher or Watcher())


def fingerprint_of(environment: Environment, tube: VineParams, options: Inputs) -> str:
    """Fingerprint of a plan with these inputs."""
    _, uncertainty = named_errors(environment, tube, options.uncertainty)
    return fingerprint(environment, tube, options, uncertainty)


def front_of(result: Result) -> list[Any]:
    """The design and the front, with the result of each trial."""
    assert result.best
    assert result.choice
    reached = [one.reached.tolist() for one in result.choice.front]
    return [design_content(result.best), result.choice.content(), reached]
