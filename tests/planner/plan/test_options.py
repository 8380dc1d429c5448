"""One list of options: everything that offers them is made from it, with its types, defaults and limits."""

import inspect
import subprocess
import sys
from typing import Any, get_args, get_type_hints

import pytest
import typer
from pydantic import ValidationError

from planner.plan.inputs import Inputs
from planner.plan.options import OPTIONS, PlanOption, PlanOptions
from vinewright.commands.plan import plan
from vinewright.console.listed_options import parameter_name
from vinewright.sweeps.study_file import NOT_SWEPT, StudyFile

OPTION = pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)


def kinds(annotation: Any) -> set[type]:
    """Types of a value, None left out."""
    return {kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)}


def test_names_are_those_of_the_model_and_of_the_keywords() -> None:
    names = [option.name for option in OPTIONS]
    assert len({*names}) == len(names)
    assert Inputs.model_fields.keys() == {*names}
    # Time and seed are arguments of `vinewright.plan`, and the actuator is the tube's.
    assert get_type_hints(PlanOptions).keys() == {*names} - {"time_budget_s", "seed", "actuator"}
    part = StudyFile.model_fields["plan"].annotation
    swept = next(kind for kind in get_args(part) if kind is not type(None))
    assert swept.model_fields.keys() == {*names} - NOT_SWEPT


@OPTION
def test_types_and_defaults_are_those_of_the_list(option: PlanOption) -> None:
    """In the model, for callers in Python, and on the command line."""
    assert kinds(get_type_hints(Inputs)[option.name]) == {option.type}
    assert Inputs.model_fields[option.name].default == option.default
    assert get_type_hints(PlanOptions).get(option.name, option.type) is option.type
    parameter = inspect.signature(plan).parameters[parameter_name(option.name)]
    kind, made = get_args(parameter.annotation)
    assert kinds(kind) == {option.type}
    assert parameter.default == (None if option.name == "actuator" else option.default)
    assert (made.help, made.rich_help_panel) == (option.help, option.group)
    assert bool(option.unit) == (option.type is float)


@OPTION
def test_limits_are_those_of_the_list(option: PlanOption) -> None:
    """A value at a limit is taken, one beyond it is refused, by the model and, for whole numbers, by the command line."""
    within, beyond = list[float](), list[float]()
    step = 1 if option.type is int else 1e-6
    for limit, inwards in ((option.least, step), (option.most, -step)):
        if limit is not None:
            within.append(limit)
            beyond.append(limit - inwards)
    for limit, inwards in ((option.above, step), (option.below, -step)):
        if limit is not None:
            within.append(limit + inwards)
            beyond.append(limit)
    for value in within:
        Inputs(**{option.name: option.type(value)})
    for value in beyond:
        with pytest.raises(ValidationError):
            Inputs(**{option.name: option.type(value)})
    if option.type is int:
        made = get_args(inspect.signature(plan).parameters[parameter_name(option.name)].annotation)[1]
        assert isinstance(made, typer.models.OptionInfo)
        assert (made.min, made.max) == (option.least, option.most)


def test_the_list_needs_no_library() -> None:
    """The command line prints its help at once, since nothing heavy is imported."""
    program = (
        "import sys, planner.plan.options\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'numpy', 'pydantic', 'numba', 'scipy'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_shows_groups(vinewright: Any) -> None:
    """Every option once, under the heading of its group; what is rarely used comes last."""
    code, printed, _ = vinewright("plan", "--help")
    assert code == 0
    headings = [
        line.rstrip(":") for line in printed.splitlines() if line and not line.startswith(" ") and line.endswith(":")
    ]
    assert headings == ["Arguments", "Options", *dict.fromkeys(option.group for option in OPTIONS)]
    assert headings[-1] == "Advanced"
    part = dict.fromkeys(headings, "")
    heading = ""
    for line in printed.splitlines():
        heading = line.rstrip(":") if line.rstrip(":") in part else heading
        part[heading] = part.get(heading, "") + line + "\n"
    for option in OPTIONS:
        flag = option.flag or f"--{option.name.replace('_', '-')}"
        assert sum(f"  {flag} " in text or f"  {flag}\n" in text for text in part.values()) == 1, flag
        assert f"  {flag}" in part[option.group]
