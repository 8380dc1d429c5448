"""Limits of functions, in the words of the errors that they raise: so that no limit is written twice."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from templates import HINT, assigned, shown, template_of

from environments.file_model import _FARTHEST

CONTEXT = {"farthest": _FARTHEST, "unit": "m"}
"""Context that the validators of lengths get with the file, here for a file in metres."""
_DEEPEST = 2
"""Number of calls that are followed."""


def messages_in(function: Callable[..., Any], owner: type | None = None, depth: int = 0) -> list[str]:
    """Messages of the errors of a function, and of those of its own module that it calls, as Markdown.

    Args:
        owner: The class whose methods it may call.
    """
    function = inspect.unwrap(getattr(function, "__func__", function))
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError):
        return []
    around = inspect.getclosurevars(function)
    known = {**around.globals, **around.nonlocals}
    if function.__name__ == "_check_length":
        known |= CONTEXT
    scope, found = assigned(tree), []
    for node in ast.walk(tree):
        match node:
            case ast.Raise(exc=ast.Call(args=[_, *_] as args)):
                if template := template_of(args[-1], scope, known):
                    found.append(shown(template).removesuffix(shown(HINT)))
            case ast.Call(func=ast.Name(id=name)) if depth < _DEEPEST:
                found += _called(known.get(name), function, owner, depth)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) if depth < _DEEPEST:
                found += _called(getattr(owner, name, None), function, owner, depth)
    return list(dict.fromkeys(text.strip() for text in found))


def _called(function: Any, caller: Callable[..., Any], owner: type | None, depth: int) -> list[str]:
    """Messages of a function that another one of its module calls."""
    own = inspect.isfunction(function) and function.__module__ == caller.__module__
    return messages_in(function, owner, depth + 1) if own and not function.__name__.endswith("_error") else []
