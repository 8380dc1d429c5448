"""The stages of a plan after its first search, kept in its folder beside the checkpoint of that search.

Each search with friction has a checkpoint of its own, `FRICTION`. What refinement and trials have found is in `REFINEMENT`, a file
of the same kind. They are used only by a plan with the inputs of the one that wrote them: a folder that is copied together, or
written again, may have others.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dynamics.tube import VineParams
from dynamics.tube_file import tube_content
from environments.environment import Environment
from environments.environment_file import environment_text
from environments.error_messages import describe
from environments.uncertainty import Uncertainty
from planner.design.known_design import KnownDesign
from planner.output.claim import writing
from planner.output.contents import FRICTION, REFINEMENT
from planner.output.folder import replace_file
from planner.output.provenance import versions
from planner.plan.choice.contest import Round
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from planner.plan.run.arrays import InvalidCheckpoint, check_arrays, read_arrays, require, write_arrays
from planner.plan.run.checkpoint import Checkpoint, exact_numbers, read_checkpoint, write_checkpoint
from planner.plan.run.stored_rounds import StoredRound
from planner.plan.run.stored_sections import LARGEST, NotNegative, store_sections
from planner.search.planners import SST_STAR
from planner.search.run import Run
from planner.uncertainty.errors import named_errors
from planner.uncertainty.memo import AS_PLANNED, DIGEST, MOST_TRIALS, TrialMemo

MAY_CHANGE = {"time_budget_s", "iterations", "first", "target_actuators", "verify", "device"}
"""Inputs that say how far a plan goes, or on which device: the others must be those of the plan that is resumed."""
ARRAYS: dict[str, tuple[type, int]] = {
    "facts": (np.uint8, 0),
    "designs": (np.uint8, DIGEST),
    "counts": (np.int64, 0),
    "trials": (np.int64, 0),
    "nearest": (np.float64, 0),
    "last": (np.float64, 0),
    "when": (np.float64, 0),
}
"""Type and number of columns of each array of `REFINEMENT`; 0 means a one-dimensional array."""


class _Facts(BaseModel):
    """`facts` of `REFINEMENT`."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    # pydantic keeps the name `schema` for itself
    version: Literal[1] = Field(alias="schema")
    """Schema of the file."""
    versions: dict[str, str]
    """Versions of Python and the packages that affect results."""
    inputs: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """See `fingerprint`."""
    seconds: NotNegative
    """Time of the stages so far [s], see `TrialMemo.spent`."""
    before: NotNegative
    """Time of the budgets before the present one [s], see `TrialMemo.base`."""
    rounds: list[StoredRound] = []
    """Rounds of refinement; none in a file of an older version, or where iterations limit the plan."""


@dataclass(slots=True, eq=False)
class Stages:
    """The stages after the first search, and where they are kept."""

    problem: Problem
    folder: Path | None = None
    """Where they are saved; None saves nothing."""
    searches: list[Run] = field(default_factory=list)
    """The searches with friction."""
    known: TrialMemo = field(default_factory=TrialMemo)
    """Results of refinement and trials."""
    rounds: list[Round] = field(default_factory=list)
    """Rounds of refinement, also those of the plan that is resumed."""
    _before: list[Checkpoint] = field(default_factory=list)
    """The searches with friction of the plan that is resumed."""
    _replaces: bool = True
    """Whether `folder` may contain stages of another plan."""

    @classmethod
    def of(
        cls, problem: Problem, folder: Path | None, checkpoint: Checkpoint | None, note: Callable[[str], None]
    ) -> Stages:
        """The stages of a plan before its first search.

        Args:
            folder: Where they are saved; None saves nothing.
            checkpoint: The plan that is resumed, whose stages lie beside it; None begins without any.
            note: Called with a message for the user.
        Raises:
            InvalidCheckpoint: A file of a later stage is damaged.
        """
        made, options = cls(problem, folder), problem.options
        if checkpoint is None or options.fast:
            return made
        source = checkpoint.path.parent
        made._replaces = folder is None or folder.resolve() != source.resolve()
        try:
            made._read(source, note)
            if checkpoint.inputs.budget != options.budget:  # a new budget: what is left of it is shared again
                made.known.base = made.known.spent
        except InvalidCheckpoint as error:
            raise InvalidCheckpoint(f"{error}; without this file its stage of the plan is made again") from None
        return made

    def _read(self, source: Path, note: Callable[[str], None]) -> None:
        inputs = self._fingerprint()
        for name in FRICTION:
            if not (source / name).exists():
                break
            one = read_checkpoint(source, name)
            _, uncertainty = named_errors(one.environment, one.tube, one.inputs.uncertainty)
            if fingerprint(one.environment, one.tube, one.inputs, uncertainty, one.known) != inputs:
                note(f"note: {source / name} belongs to another plan and is not used")
                break
            self._before.append(one)
        if not (source / REFINEMENT).exists():
            return
        facts, known = read_known(source / REFINEMENT)
        if facts.inputs != inputs or facts.versions != versions():
            note(f"note: {source / REFINEMENT} belongs to another plan or to other versions and is not used")
            return
        self.known = known
        self.rounds = [one.restore(self.problem.environment, self.problem.tube) for one in facts.rounds]
        note(f"refinement and trials: {known.count} results are known, which took {known.spent:.1f} s")

    def begin(self, run: Run) -> None:
        """Add a search with friction, which continues where it was, if it had begun before.

        Raises:
            InvalidCheckpoint: Its checkpoint is not valid for this run.
        """
        if len(self.searches) < len(self._before):
            self._before[len(self.searches)].restore(run)
        self.searches.append(run)

    def save_search(self, number: int) -> None:
        """Save one of the searches with friction.

        Raises:
            UnwritableFolder: The folder cannot be written.
        """
        if self.folder:
            name, run = FRICTION[number], self.searches[number]
            replace_file(self.folder, name, lambda path: write_checkpoint(path, run, self.problem.options))

    def save_known(self) -> None:
        """Save what refinement and trials have found.

        Raises:
            UnwritableFolder: The folder cannot be written.
        """
        if self.folder:
            replace_file(self.folder, REFINEMENT, self._write_known)

    def clear(self) -> None:
        """Remove the stages of another plan from the folder, once, before the first checkpoint of this one.

        Raises:
            UnwritableFolder: They cannot be removed.
        """
        if self.folder and self._replaces:
            with writing(self.folder):
                for name in (*FRICTION, REFINEMENT):
                    (self.folder / name).unlink(missing_ok=True)
            self._replaces = False

    def write(self, folder: Path) -> None:
        """Write the files of all stages that have begun, also of those that had begun before the plan was resumed.

        Raises:
            OSError: They cannot be written.
        """
        for number, name in enumerate(self.files):
            if name == REFINEMENT:
                self._write_known(folder / name)
            elif number < len(self.searches) and not self.searches[number].past:
                write_checkpoint(folder / name, self.searches[number], self.problem.options)
            else:  # it has not yet got as far again
                self._before[number].write(folder / name)

    @property
    def files(self) -> list[str]:
        """Names of the files of all stages that have begun."""
        begun = max(len(self.searches), len(self._before))
        return [*FRICTION[:begun], *[REFINEMENT] * bool(self.known.count)]

    def _fingerprint(self) -> str:
        problem = self.problem
        return fingerprint(problem.environment, problem.tube, problem.options, problem.uncertainty, problem.known)

    def _write_known(self, path: Path) -> None:
        inputs = self._fingerprint()
        facts = {
            "schema": 1,
            "versions": versions(),
            "inputs": inputs,
            "seconds": self.known.spent,
            "before": self.known.base,
            "rounds": [StoredRound.of(one).model_dump() for one in self.rounds],
        }
        packed = np.frombuffer(json.dumps(facts, allow_nan=False).encode(), np.uint8)
        write_arrays(path, {"facts": packed, **self.known.to_arrays()})


def fingerprint(
    environment: Environment,
    tube: VineParams,
    options: Inputs,
    uncertainty: Uncertainty,
    known: KnownDesign | None = None,
) -> str:
    """Hash of everything that decides the results of a search, of refinement and of trials, besides how far they go."""
    content: dict[str, Any] = {
        "environment": environment_text(environment),
        "numbers": exact_numbers(environment).tolist(),
        "tube": tube_content(tube),
        "uncertainty": repr(uncertainty),
        "options": options.model_dump(exclude=MAY_CHANGE),
    }
    if options.planner == SST_STAR:  # so that what older versions wrote, which knew no other, is still used
        del content["options"]["planner"]
    del content["options"]["start_from"]  # its content decides, not its place
    if known:
        content["known"] = [one.model_dump() for one in store_sections(known.design.sections)]
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_known(path: Path) -> tuple[_Facts, TrialMemo]:
    """Read and check what refinement and trials have found, and the facts about it.

    Raises:
        InvalidCheckpoint: The file is missing, damaged, of another schema, or contains invalid values.
    """
    try:
        arrays = read_arrays(path)
        check_arrays(arrays, ARRAYS, endless=("nearest", "last"))
        facts = _Facts.model_validate(json.loads(arrays.pop("facts").tobytes()))
        counts, designs = arrays["counts"], arrays["designs"]
        require(len(counts) == len(designs) == len(np.unique(designs, axis=0)), "counts must have one row per design")
        require((counts > 0).all() and (counts <= len(arrays["trials"])).all(), "counts must be positive")
        for name in ("trials", "nearest", "last", "when"):
            require(len(arrays[name]) == counts.sum(), f"{name} must have {counts.sum()} rows, as counts says")
        known = (arrays["trials"] >= AS_PLANNED) & (arrays["trials"] < MOST_TRIALS)
        require(known.all(), "trials must be numbers of trials")
        require((arrays["when"] >= 0.0).all(), "when must not be negative")
        for name in ("nearest", "last"):  # infinite where nothing grew; NaN fails these comparisons too
            fits = (arrays[name] > -LARGEST) & ((arrays[name] < LARGEST) | np.isposinf(arrays[name]))
            require(fits.all(), f"{name} must be distances below {LARGEST:g}, or infinite")
    except OSError as error:
        raise InvalidCheckpoint(f"{path}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise InvalidCheckpoint(f"{path}: facts: {describe(error, _Facts)}") from None
    except InvalidCheckpoint as error:
        raise InvalidCheckpoint(f"{path}: {error}") from None
    except (ValueError, RecursionError):
        raise InvalidCheckpoint(f"{path}: facts is not JSON") from None
    return facts, TrialMemo.from_arrays(arrays, facts.seconds, facts.before)
