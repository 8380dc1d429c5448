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
from dynamics.tube_file import check_tube, load_tube, tube_content
from environments import Environment, generate_environment, known_environments, load_environment
from environments.environment_file import environment_text
from environments.file_model import InvalidEnvironment
from environments.uncertainty import PRESETS
from planner.design.design_file import design_content, load_design
from planner.plan.inputs import Inputs
from planner.plan.problem import resolve_models
from vinewright.console.errors import extra_of, need_text
from vinewright.sweeps.case import Case, CaseTrials, Input, Value
from vinewright.sweeps.errors import InvalidStudy
from vinewright.sweeps.study_file import RandomPart, StudyFile

ListCases = Callable[[Environment], Iterator[Case]]
"""The cases of an environment, without its name and digest."""
ITERATIONS = 100
"""Iterations of each plan unless the file limits it: a plan limited by iterations is the same on every machine."""
TESTING = 3_000_000
"""Number of the first trial of a planned design: plans use none of these."""
MOST_CASES = 1_000_000
SCHEMA = {"schema": 1}
"""The entry that every tube file must have."""
SIZES = "radius_mm", "growth_pressure_kpa"
"""The keys of a tube from which all its other default values are scaled."""
DIGITS = 16
"""Number of characters of a digest."""


@dataclass(frozen=True, slots=True)
class CaseGrid:
    """The cases of a sweep, and the inputs that they read."""

    cases: list[Case] = field(default_factory=list)
    inputs: dict[str, Input] = field(default_factory=dict)
    """By digest."""
    timed: bool = False
    """Whether plans are limited by time, so that their results depend on the machine."""

    def keep(self, name: str, text: str) -> str:
        """Add an input, and return its digest."""
        digest = digest_of(name, text)
        self.inputs[digest] = Input(name, text)
        return digest


def digest_of(*parts: str) -> str:
    """Return a short hash of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:DIGITS]


def make_grid(study: StudyFile, folder: Path, most_cases: int = MOST_CASES) -> CaseGrid:
    """Make all cases of a study: load every environment and tube, and check every option.

    Args:
        folder: Folder that the paths in the file are relative to.
        most_cases: Maximum number of cases.
    Raises:
        InvalidStudy: Nothing matches, a combination is impossible, or there are too many cases.
        InvalidEnvironment: An environment does not load, or a tube does not fit at its start; the message names it.
        InvalidTube: A tube does not load.
        InvalidDesign: A design does not load.
    """
    if study.device == "cuda" and (reason := why_not()):
        raise InvalidStudy(f"device cuda: {reason}; make the sweep where there is one")
    grid = CaseGrid(timed=bool(study.plan and study.plan.time_budget_s))
    environments = _load_environments(study, folder)
    list_cases = _design_cases(study, folder, grid) if study.designs else _plan_cases(study, folder, grid)
    keys = {name: grid.keep(env.name, environment_text(env)) for name, (_, env) in environments.items()}
    for name, (factors, environment) in environments.items():
        for case in list_cases(environment):
            if len(grid.cases) == most_cases:
                raise InvalidStudy(f"has more than {most_cases} cases; split it")
            factors_of_case = {"environment": name, **factors, **case.factors}
            grid.cases.append(replace(case, environment=keys[name], factors=factors_of_case, device=study.device))
    return grid


# ---- environments ----


def _load_environments(study: StudyFile, folder: Path) -> dict[str, tuple[dict[str, Value], Environment]]:
    """Load the environments of a study; return their factors and the environments, by unique names."""
    found: dict[str, tuple[dict[str, Value], Environment]] = {}
    random = study.environments.random
    unknown: dict[str, Value] = dict.fromkeys(("density", "passage_mm", "environment_seed")) if random else {}
    for path in _expand_globs(study.environments.files, folder, set(known_environments())):
        environment = load_environment(path, 0.0)
        name = environment.name if environment.name not in found else os.path.relpath(path, folder)
        found[name] = unknown, environment
    if random:
        for factors, environment in _generate_environments(random):
            name = environment.name if environment.name not in found else f"{environment.name}, drawn"
            found[name] = factors, environment
    return found


def _generate_environments(part: RandomPart) -> Iterator[tuple[dict[str, Value], Environment]]:
    for density, passage, seed in product(part.density, part.passage_mm, part.seed):
        name = f"random-{_short_number(density)}-{_short_number(passage)}-{seed}"
        size = part.width_mm * 1e-3, part.height_mm * 1e-3
        try:
            environment = generate_environment(
                np.random.default_rng(seed), size=size, density=density, tube_radius=passage * 5e-4, name=name
            )
        except ValueError as error:
            raise InvalidStudy(f"environments.random, density {density:g}, passage {passage:g} mm: {error}") from None
        yield {"density": density, "passage_mm": passage, "environment_seed": seed}, environment


def _short_number(value: float) -> str:
    """Return a number as its shortest text that differs from those of all other numbers."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _expand_globs(patterns: list[str], folder: Path, known: set[str]) -> list[str]:
    """Replace each glob by the sorted paths that match it; return names and paths without duplicates.

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


def _plan_cases(study: StudyFile, folder: Path, grid: CaseGrid) -> ListCases:
    """Return a function that yields the plans in an environment; the factors of a plan are tube and options."""
    part: Any = study.plan
    options = part.model_dump(exclude_none=True)
    if "iterations" not in options and "time_budget_s" not in options:
        options["iterations"] = [ITERATIONS]
    settings = [dict(zip(options, values, strict=True)) for values in product(*options.values())]
    trials = study.trials
    all_trials: list[CaseTrials | None] = [None]
    if trials:
        names = _check_presets(trials.uncertainty, "trials.uncertainty")
        all_trials = [CaseTrials(TESTING, trials.number, name, trials.seed) for name in names]
    _check_presets(part.uncertainty, "plan.uncertainty")

    checked: set[str] = set()

    def list_plans(environment: Environment) -> Iterator[Case]:
        for factors, content in _vary_tubes(study, folder, environment):
            key = grid.keep(str(factors["tube"]), json.dumps(content, sort_keys=True))
            _check_fit(environment, grid.inputs[key])
            for setting in settings:
                inputs = _with_limits(setting)
                kind = repr({name: value for name, value in setting.items() if name not in ("seed", "iterations")})
                if kind not in checked:
                    checked.add(kind)
                    _check_options(environment, grid.inputs[key], {"device": study.device, **inputs})
                for trial in all_trials:
                    named: dict[str, Value] = {"trials_uncertainty": trial.uncertainty} if trial else {}
                    known = _keep_known(setting.get("start_from"), folder, grid)
                    yield Case({**factors, **setting, **named}, "", tube=key, known=known, plan=inputs, trials=trial)

    return list_plans


def _keep_known(name: str | None, folder: Path, grid: CaseGrid) -> str | None:
    """Add the design with which a plan begins to the inputs, so that workers need no file, and return its digest; None for none."""
    if name is None:
        return None
    return grid.keep(name, json.dumps(design_content(load_design(folder / name)), sort_keys=True))


def _with_limits(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a plan, without a time limit if its iterations are limited."""
    limits = {} if "time_budget_s" in setting else {"time_budget_s": 1e6}
    return {**limits, **setting}


def _check_fit(environment: Environment, tube: Input) -> None:
    """Check that a tube fits at the start of an environment."""
    try:
        Input(environment.name, environment_text(environment)).environment(tube.tube().radius)
    except InvalidEnvironment as error:
        raise InvalidEnvironment(f"{environment.name}, with tube {tube.name}: {error}") from None


def _check_options(environment: Environment, tube: Input, options: Mapping[str, Any]) -> None:
    """Check that a plan can start, as far as this is known without growing a vine."""
    params = tube.tube()
    try:
        resolve_models(environment, params, Inputs(actuator=params.kinds, **options))
    except ValidationError as error:
        raise InvalidStudy(f"plan: {error.errors()[0]['msg']}") from None
    except ModuleNotFoundError as error:
        if (extra := extra_of(error)) is None:
            raise
        raise InvalidStudy(f"plan: {need_text(extra)}") from None
    except CannotRun as error:
        raise InvalidStudy(f"plan: {error}") from None


def _vary_tubes(
    study: StudyFile, folder: Path, environment: Environment
) -> Iterator[tuple[dict[str, Value], dict[str, Any]]]:
    """Yield factors and content of each tube that an environment is planned with."""
    part = study.tubes.model_dump(exclude_none=True) if study.tubes else {}
    names = part.pop("files", None) or [environment.tube or DEFAULT_TUBE]
    stems = [Path(name).stem for name in names]
    labels = stems if len({*stems}) == len(stems) else names
    for (name, label), values in product(zip(names, labels, strict=True), product(*part.values())):
        changed = dict(zip(part, values, strict=True))
        path = str(folder / name) if name.endswith(".toml") else name
        title = " ".join([label, *(f"{key} {value:g}" for key, value in changed.items())])
        try:
            content = _change_tube(tube_content(load_tube(path)), changed)
        except InvalidTube as error:
            raise InvalidTube(f"{title}: {error}" if changed else str(error)) from None
        yield {"tube": label, **changed}, content


def _change_tube(content: dict[str, Any], changed: Mapping[str, float]) -> dict[str, Any]:
    """Return the content of a tube with changed numbers.

    If radius or pressure change, all values that are scaled from the prototype's are scaled again; the tube's own values stay.
    """
    if {*SIZES} & set(changed):
        size: dict[str, Any] = {key: content[key] for key in SIZES}
        kinds: dict[str, Any] = {"actuator": {"type": content["actuator"]["type"]}}
        if others := content.get(OTHERS):
            kinds[OTHERS] = [{"type": actuator["type"]} for actuator in others]
        usual = tube_content(check_tube({**SCHEMA, **size, **kinds}))
        own = _differences(content, usual)
        for key in kinds.keys() & own.keys():
            own[key] = _actuator_differences(own[key], usual[key])
        content = {**kinds, **size, **own}
    return tube_content(check_tube({**SCHEMA, **content, **changed})) if changed else content


def _differences(content: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a table that differ from its default values."""
    return {key: value for key, value in content.items() if value != usual.get(key)}


def _actuator_differences(content: Any, usual: Any) -> Any:
    """Return the type of an actuator and its entries that differ from the default values; a list for a list of actuators."""
    if isinstance(content, list):
        return [_actuator_differences(*pair) for pair in zip(content, usual, strict=True)]
    return {"type": content["type"], **_differences(content, usual)}


def _check_presets(names: list[str] | None, key: str) -> list[str | None]:
    """Check the names of presets, and return them; without names return a None, for the errors of environment and tube."""
    for name in names or []:
        if name not in PRESETS:
            raise InvalidStudy(
                f"{key} = {name!r} must be one of {', '.join(PRESETS)}; other errors belong into environment or tube"
            )
    return [*names] if names else [None]


# ---- designs ----


def _design_cases(study: StudyFile, folder: Path, grid: CaseGrid) -> ListCases:
    """Return a function that yields the trials of all designs in an environment, split into ranges."""
    assert study.designs
    assert study.trials  # checked with the file
    trials, designs = study.trials, []
    for path in _expand_globs(study.designs.files, folder, set()):
        design = load_design(path)
        content = json.dumps(design_content(design), sort_keys=True)
        designs.append((path, design, grid.keep(Path(path).stem, content)))
    names = {path: os.path.relpath(path, folder) for path, *_ in designs}
    ranges = [
        (first, min(trials.together, trials.number - first)) for first in range(0, trials.number, trials.together)
    ]

    def list_trials(environment: Environment) -> Iterator[Case]:
        for path, design, key in designs:
            _check_fit(environment, Input(names[path], json.dumps(tube_content(design.params))))
            for name, (first, number) in product(_check_presets(trials.uncertainty, "trials.uncertainty"), ranges):
                factors: dict[str, Value] = {"design": names[path], "trials_uncertainty": name, "first_trial": first}
                yield Case(factors, "", design=key, trials=CaseTrials(first, number, name, trials.seed))

    return list_trials


def split_into_shards(cases: int, seconds: float, least: float) -> list[range]:
    """Split the cases into consecutive shards, each of which takes at least the least time.

    Args:
        seconds: Expected time of a case [s].
        least: Least time of a shard [s].
    """
    each = max(1, math.ceil(least / max(seconds, 1e-6)))
    return [range(first, min(first + each, cases)) for first in range(0, cases, each)]
