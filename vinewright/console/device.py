"""The option --device of every command that grows vines."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from vinewright.console.errors import readable_errors
from vinewright.console.listed_options import make_option


def _chosen(context: typer.Context, name: str) -> str:
    """Make a device the default of all models; of CUDA only where it can compute exact contact, which penalty does not need."""
    if context.resilient_parsing:  # the shell completes a line
        return name
    with readable_errors():
        from dynamics.cuda import CHOICE, check_device, why_not

        if name != "cuda" or why_not() is None:
            check_device(name)
            if name != "auto":  # "auto" keeps what the user has set
                os.environ[CHOICE] = name
    return name


DeviceOption = Annotated[str, make_option("device", _chosen)]


def with_device(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command with the option --device, which sets the default of all models that it makes."""
    signature = inspect.signature(command, eval_str=True)
    if "device" in signature.parameters:
        return command

    @wraps(command)
    def chosen(*arguments: Any, device: str, **options: Any) -> Any:
        with readable_errors():
            from dynamics.cuda import check_device

            check_device(device)
        return command(*arguments, **options)

    option = inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default="auto", annotation=DeviceOption)
    named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in signature.parameters.values()]
    chosen.__signature__ = signature.replace(parameters=[*named, option])  # type: ignore[attr-defined]
    chosen.__annotations__ = {one.name: one.annotation for one in (*named, option)}
    return chosen
