"""The cases of a sweep: every combination of its environments, tubes, options and seeds, in order."""

from __future__ import annotations

import glob
import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from dynamics.actuator_file import OTHERS
from dynamics.cuda import why_not
from dynamics.propagator import CannotRun
from dynamics.tube import InvalidTube
from dynamics.tube_choice import DEFAULT_TUBE
from dynamics.tube_file import checked_tube, load_tube, tube_content
from environments import Environment, generate_environment, known_environments, load_environment
from environments.environment_file import environment_text
from environments.file_model import InvalidEnvironment
from environments.uncertainty import PRESETS
from planner.design.design_file import design_content, load_design
from planner.plan.inputs import Inputs
from planner.plan.problem import resolve_models
from vinewright.console.errors import extra_of, needed
from vinewright.sweeps.case import Case, Input, Trials, Value
from vinewright.sweeps.errors import InvalidStudy
from vinewright.sweeps.study_file import RandomPart, StudyFile

Task = Callable[[Environment], Iterator[Case]]
"""The cases of an environment, without its name and digest."""
ITERATIONS = 100
"""Iterations of each plan unless the file limits it: a plan that is limited by iterations is the same on every machine."""
TESTING = 3_000_000
"""Number of the first trial of a planned design: plans use none of these."""
MOST_CASES = 1_000_000
SCHEMA = {"schema": 1}
"""The entry without which no file is a tube."""
SIZES = "radius_mm", "growth_pressure_kpa"
"""The numbers of a tube with which the others are scaled."""
DIGITS = 16
"""Length of a digest."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Cases, and everything that they read."""

    cases: list[Case] = field(default_factory=list)
    inputs: dict[str, Input] = field(default_factory=dict)
    """By digest."""
    timed: bool = False
    """Whether plans are limited by time, so that their results depend on the machine."""

    def keep(self, name: str, text: str) -> str:
        """Keep an input; returns its digest."""
        digest = digest_of(name, text)
        self.inputs[digest] = Input(name, text)
        return digest


def digest_of(*parts: str) -> str:
    """A short hash of some texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:DIGITS]


def grid_of(study: StudyFile, folder: Path, most_cases: int = MOST_CASES) -> Grid:
    """All cases, with every environment and tube loaded and every option checked.

    Args:
        folder: To which the paths in the file are relative.
        most_cases: Maximum number of cases.
    Raises:
        InvalidStudy: Nothing matches, a combination is impossible, or there are too many cases.
        InvalidEnvironment: An environment does not load, or a tube does not fit at its start; the message names it.
        InvalidTube: A tube does not load.
        InvalidDesign: A design does not load.
    """
    if study.device == "cuda" and (reason := why_not()):
        raise InvalidStudy(f"device cuda: {reason}; make the sweep where there is one")
    grid = Grid(timed=bool(study.plan and study.plan.time_budget_s))
    environments = _environments(study, folder)
    tasks = _designs(study, folder, grid) if study.designs else _plans(study, folder, grid)
    keys = {name: grid.keep(one.name, environment_text(one)) for name, (_, one) in environments.items()}
    for name, (factors, environment) in environments.items():
        for case in tasks(environment):
            if len(grid.cases) == most_cases:
                raise InvalidStudy(f"has more than {most_cases} cases; split it")
            factors_of_case = {"environment": name, **factors, **case.factors}
            grid.cases.append(replace(case, environment=keys[name], factors=factors_of_case, device=study.device))
    return grid


# ---- environments ----


def _environments(study: StudyFile, folder: Path) -> dict[str, tuple[dict[str, Value], Environment]]:
    """Environments and their factors, by a name that none of the others has."""
    found: dict[str, tuple[dict[str, Value], Environment]] = {}
    random = study.environments.random
    unknown: dict[str, Value] = dict.fromkeys(("density", "passage_mm", "environment_seed")) if random else {}
    for path in _matching(study.environments.files, folder, set(known_environments())):
        environment = load_environment(path, 0.0)
        name = environment.name if environment.name not in found else os.path.relpath(path, folder)
        found[name] = unknown, environment
    if random:
        for factors, one in _random(random):
            found[one.name if one.name not in found else f"{one.name}, drawn"] = factors, one
    return found


def _random(part: RandomPart) -> Iterator[tuple[dict[str, Value], Environment]]:
    for density, passage, seed in product(part.density, part.passage_mm, part.seed):
        name = f"random-{_shown(density)}-{_shown(passage)}-{seed}"
        size = part.width_mm * 1e-3, part.height_mm * 1e-3
        try:
            made = generate_environment(
                np.random.default_rng(seed), size=size, density=density, tube_radius=passage * 5e-4, name=name
            )
        except ValueError as error:
            raise InvalidStudy(f"environments.random, density {density:g}, passage {passage:g} mm: {error}") from None
        yield {"density": density, "passage_mm": passage, "environment_seed": seed}, made


def _shown(value: float) -> str:
    """A number as text, as short as possible, but different for different numbers."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _matching(patterns: list[str], folder: Path, known: set[str]) -> list[str]:
    """Names and paths, with globs replaced by what matches them, sorted, each once.

    Raises:
        InvalidStudy: A glob matches nothing.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        matches = [pattern]
        if pattern not in known:
            path = str(folder / pattern)
            matches = sorted(glob.glob(path, recursive=True)) if glob.has_magic(pattern) else [path]
        if not matches:
            raise InvalidStudy(f"{pattern!r} matches no file")
        found |= dict.fromkeys(matches)
    return list(found)


# ---- plans ----


def _plans(study: StudyFile, folder: Path, grid: Grid) -> Task:
    """A function that yields the plans in an environment; their factors are tube and options."""
    part: Any = study.plan
    options = part.model_dump(exclude_none=True)
    if "iterations" not in options and "time_budget_s" not in options:
        options["iterations"] = [ITERATIONS]
    settings = [dict(zip(options, values, strict=True)) for values in product(*options.values())]
    trials = study.trials
    tried: list[Trials | None] = [None]
    if trials:
        names = _presets(trials.uncertainty, "trials.uncertainty")
        tried = [Trials(TESTING, trials.number, name, trials.seed) for name in names]
    _presets(part.uncertainty, "plan.uncertainty")

    checked: set[str] = set()

    def plans(environment: Environment) -> Iterator[Case]:
        for factors, content in _tubes(study, folder, environment):
            key = grid.keep(str(factors["tube"]), json.dumps(content, sort_keys=True))
            _check_fit(environment, grid.inputs[key])
            for setting in settings:
                inputs = _with_limits(setting)
                kind = repr({name: value for name, value in setting.items() if name not in ("seed", "iterations")})
                if kind not in checked:
                    checked.add(kind)
                    _check_options(environment, grid.inputs[key], {"device": study.device, **inputs})
                for one in tried:
                    named: dict[str, Value] = {"trials_uncertainty": one.uncertainty} if one else {}
                    yield Case({**factors, **setting, **named}, "", tube=key, plan=inputs, trials=one)

    return plans


def _with_limits(setting: Mapping[str, Any]) -> dict[str, Any]:
    """The options of one plan; without a limit of time if there is one of iterations."""
    limits = {} if "time_budget_s" in setting else {"time_budget_s": 1e6}
    return {**limits, **setting}


def _check_fit(environment: Environment, tube: Input) -> None:
    """Check that a tube fits at the start of an environment."""
    try:
        Input(environment.name, environment_text(environment)).environment(tube.tube().radius)
    except InvalidEnvironment as error:
        raise InvalidEnvironment(f"{environment.name}, with tube {tube.name}: {error}") from None


def _check_options(environment: Environment, tube: Input, options: Mapping[str, Any]) -> None:
    """Check that a plan can be begun, as far as that is known without growing a vine."""
    params = tube.tube()
    try:
        resolve_models(environment, params, Inputs(actuator=params.kinds, **options))
    except ValidationError as error:
        raise InvalidStudy(f"plan: {error.errors()[0]['msg']}") from None
    except ModuleNotFoundError as error:
        if (extra := extra_of(error)) is None:
            raise
        raise InvalidStudy(f"plan: {needed(extra)}") from None
    except CannotRun as error:
        raise InvalidStudy(f"plan: {error}") from None


def _tubes(
    study: StudyFile, folder: Path, environment: Environment
) -> Iterator[tuple[dict[str, Value], dict[str, Any]]]:
    """Factors and contents of the tubes that are planned with in an environment."""
    part = study.tubes.model_dump(exclude_none=True) if study.tubes else {}
    names = part.pop("files", None) or [environment.tube or DEFAULT_TUBE]
    stems = [Path(name).stem for name in names]
    labels = stems if len({*stems}) == len(stems) else names
    for (name, label), values in product(zip(names, labels, strict=True), product(*part.values())):
        changed = dict(zip(part, values, strict=True))
        path = str(folder / name) if name.endswith(".toml") else name
        shown = " ".join([label, *(f"{key} {value:g}" for key, value in changed.items())])
        try:
            content = _changed(tube_content(load_tube(path)), changed)
        except InvalidTube as error:
            raise InvalidTube(f"{shown}: {error}" if changed else str(error)) from None
        yield {"tube": label, **changed}, content


def _changed(content: dict[str, Any], changed: Mapping[str, float]) -> dict[str, Any]:
    """A tube with other numbers.

    With another radius or pressure, the numbers that are the prototype's, scaled, are scaled again; its own ones stay.
    """
    if {*SIZES} & set(changed):
        size: dict[str, Any] = {key: content[key] for key in SIZES}
        kinds: dict[str, Any] = {"actuator": {"type": content["actuator"]["type"]}}
        if others := content.get(OTHERS):
            kinds[OTHERS] = [{"type": one["type"]} for one in others]
        usual = tube_content(checked_tube({**SCHEMA, **size, **kinds}))
        own = _different(content, usual)
        for key in kinds.keys() & own.keys():
            own[key] = _different_actuators(own[key], usual[key])
        content = {**kinds, **size, **own}
    return tube_content(checked_tube({**SCHEMA, **content, **changed})) if changed else content


def _different(content: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that differ from the usual ones."""
    return {key: value for key, value in content.items() if value != usual.get(key)}


def _different_actuators(content: Any, usual: Any) -> Any:
    """The same for an actuator, or a list of them, with their types."""
    if isinstance(content, list):
        return [_different_actuators(*pair) for pair in zip(content, usual, strict=True)]
    return {"type": content["type"], **_different(content, usual)}


def _presets(names: list[str] | None, key: str) -> list[str | None]:
    """Names of presets; None alone for the errors of environment and tube."""
    for name in names or []:
        if name not in PRESETS:
            raise InvalidStudy(
                f"{key} = {name!r} must be one of {', '.join(PRESETS)}; other errors belong into environment or tube"
            )
    return [*names] if names else [None]


# ---- designs ----


def _designs(study: StudyFile, folder: Path, grid: Grid) -> Task:
    """A function that yields the trials of all designs in an environment, split into ranges."""
    assert study.designs
    assert study.trials  # checked with the file
    trials, designs = study.trials, []
    for path in _matching(study.designs.files, folder, set()):
        design = load_design(path)
        content = json.dumps(design_content(design), sort_keys=True)
        designs.append((path, design, grid.keep(Path(path).stem, content)))
    names = {path: os.path.relpath(path, folder) for path, *_ in designs}
    ranges = [
        (first, min(trials.together, trials.number - first)) for first in range(0, trials.number, trials.together)
    ]

    def tried(environment: Environment) -> Iterator[Case]:
        for path, design, key in designs:
            _check_fit(environment, Input(names[path], json.dumps(tube_content(design.params))))
            for name, (first, number) in product(_presets(trials.uncertainty, "trials.uncertainty"), ranges):
                factors: dict[str, Value] = {"design": names[path], "trials_uncertainty": name, "first_trial": first}
                yield Case(factors, "", design=key, trials=Trials(first, number, name, trials.seed))

    return tried


def shards_of(cases: int, seconds: float, least: float) -> list[range]:
    """Consecutive cases that together take at least some time.

    Args:
        seconds: Expected time of a case [s].
        least: Least time of a shard [s].
    """
    each = max(1, math.ceil(least / max(seconds, 1e-6)))
    return [range(first, min(first + each, cases)) for first in range(0, cases, each)]
