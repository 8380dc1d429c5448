"""Options of commands, made from the list of the options of a plan (`planner.plan.options`), and a help that groups them."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from planner.plan.options import BY_NAME, OPTIONS
from vinewright.console.completion import propagator_names

COMPLETIONS = {"propagator": propagator_names, "verify": propagator_names}
"""Functions that complete the values of options in the shell."""


def make_option(name: str, callback: Callable[..., Any] | None = None) -> Any:
    """Make the option of a command from that of a plan: its name, meaning, limits and group.

    Args:
        callback: Called with the value; see typer.
    """
    option = BY_NAME[name]
    # Other numbers are checked with the rest of the plan, where a message can say more.
    limits: dict[str, Any] = {"min": option.least, "max": option.most} if option.type is int else {}
    return typer.Option(
        *([option.flag] if option.flag else []),
        help=option.help,
        metavar=option.metavar,
        rich_help_panel=option.group,
        autocompletion=COMPLETIONS.get(name),
        callback=callback,
        **limits,
    )


def parameter_name(name: str) -> str:
    """Name of the parameter of a command for an option of a plan: that of its flag, unless that is a word of Python."""
    flag = (BY_NAME[name].flag or f"--{name}").removeprefix("--").replace("-", "_")
    return name if iskeyword(flag) else flag


def plan_parameters(special: dict[str, Any]) -> list[Parameter]:
    """Parameters of a command for all options of a plan, in the order of the list.

    Args:
        special: Annotations of options that are more than the list says, by name.
    """
    parameters = []
    for option in OPTIONS:
        default = None if option.name == "actuator" else option.default  # None: the tube's own
        kind: Any = option.type if default is not None else option.type | None
        annotation = special.get(option.name) or Annotated[kind, make_option(option.name)]
        name = parameter_name(option.name)
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
    return parameters


class GroupedCommand(TyperCommand):
    """A command whose help shows its options under the headings of their groups, those without a group first."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then each group of options."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            group = "Arguments" if parameter.param_type_name == "argument" else "Options"
            group = getattr(parameter, "rich_help_panel", None) or group
            if record := parameter.get_help_record(ctx):
                groups.setdefault(group, []).append(record)
        for heading in sorted(groups, key=lambda name: name == "Advanced"):
            if groups[heading]:
                with formatter.section(heading):
                    formatter.write_dl(groups[heading])
