"""Limits in the words of messages, as templates: constant words, *names* of values that are filled in, [words that may be missing]."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Scope = Mapping[str, list[ast.expr]]
"""Expressions that are assigned to the names of a function."""
_DEEPEST = 3
"""Number of local names that are followed from one to the next."""


@dataclass(frozen=True)
class Words:
    """Constant words."""

    text: str


@dataclass(frozen=True)
class Filled:
    """A value that is filled in, by a name that says what it is."""

    name: str


@dataclass(frozen=True)
class Choice:
    """One of several texts, or one that may be missing."""

    of: tuple[tuple[Any, ...], ...]


Template = tuple[Words | Filled | Choice, ...]
HINT: Template = (Choice(((Words(" (did you mean "), Filled("word"), Words("?)")), ())),)
"""The words that `environments.error_messages.hint` adds to a message."""


def template_of(node: ast.expr, scope: Scope, known: Mapping[str, Any], depth: int = 0) -> Template | None:
    """The template of an expression that is a text; None if it is something else, as a number or another error.

    Args:
        known: Values of names that are always the same, as those of a module.
    """
    match node:
        case ast.Constant(value=str(text)):
            return (Words(text),) if text else ()
        case ast.Call(func=ast.Attribute(value=inside, attr="strip" | "lstrip" | "rstrip" | "format")):
            return template_of(inside, scope, known, depth)
        case ast.Call(func=ast.Name(id="hint")):
            return HINT
        case ast.JoinedStr():
            return _joined([_part(one, scope, known, depth) for one in node.values])
        case ast.BinOp(op=ast.Add()):
            both = [template_of(side, scope, known, depth) for side in (node.left, node.right)]
            if both == [None, None]:
                return None
            sides = zip(both, (node.left, node.right), strict=True)
            return _joined([found if found is not None else _filled(side, known) for found, side in sides])
        case ast.BinOp(op=ast.Mult()):
            found = template_of(node.left, scope, known, depth)
            return None if found is None else (Choice((found, ())),)
        case ast.IfExp():
            ways = [template_of(one, scope, known, depth) for one in (node.body, node.orelse)]
            texts = tuple(one for one in ways if one is not None)
            return (Choice(texts),) if len(texts) == 2 else None
        case ast.Name(id=name) if name in scope and depth < _DEEPEST:
            found = [template_of(one, scope, known, depth + 1) for one in scope[name]]
            texts = tuple(dict.fromkeys(one for one in found if one is not None))
            whole = len([one for one in found if one is not None]) == len(scope[name])
            return (texts[0] if len(texts) == 1 else (Choice(texts),)) if texts and whole else None
    return None


def _joined(parts: list[Template]) -> Template:
    """Parts in a row, with neighbouring words in one."""
    found: list[Words | Filled | Choice] = []
    for part in (one for parts_of in parts for one in parts_of):
        if found and isinstance(part, Words) and isinstance(found[-1], Words):
            found[-1] = Words(found[-1].text + part.text)
        else:
            found.append(part)
    return tuple(found)


def _part(node: ast.expr, scope: Scope, known: Mapping[str, Any], depth: int) -> Template:
    if not isinstance(node, ast.FormattedValue):
        return template_of(node, scope, known, depth) or ()
    if (found := template_of(node.value, scope, known, depth)) is not None and node.format_spec is None:
        return found
    return _filled(node.value, known, node.format_spec)


def _filled(node: ast.expr, known: Mapping[str, Any], format_spec: ast.expr | None = None) -> Template:
    """The value of an expression that is always the same, or else its name."""
    try:
        value = eval(compile(ast.Expression(node), "template", "eval"), {"__builtins__": {}}, dict(known))
        match format_spec:
            case ast.JoinedStr(values=[ast.Constant(value=str(form))]):
                return (Words(format(value, form)),)
        return (Words(str(value)),)
    except Exception:  # what is not known may fail in any way
        return (Filled(_name(node) or "value"),)


def _name(node: ast.AST) -> str:
    """Describe an expression in words: the name that says most."""
    match node:
        case ast.Name(id=name):
            return name.strip("_").replace("_", " ").lower()
        case ast.Attribute(value=value, attr="name" | "args"):
            return _name(value)
        case ast.Attribute(attr=name):
            return name.strip("_").replace("_", " ")
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return _name(value)
        case ast.Call(func=ast.Name(id="len")):
            return "number"
        case ast.Call(args=[first, *_]) if named := _name(first):
            return named
        case ast.Call(func=function):
            return _name(function)
    return next((name for child in ast.iter_child_nodes(node) if (name := _name(child))), "")


def assigned(function: ast.AST) -> dict[str, list[ast.expr]]:
    """All expressions that are assigned to each name in a function."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                found.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(
                values
            ):
                for target, value in zip(targets, values, strict=True):
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(value)
            case ast.AugAssign(target=ast.Name(id=name)):
                found.setdefault(name, []).append(ast.Constant(value=None))
    return found


def shown(template: Template) -> str:
    """A template as Markdown: names in italics, words that may be missing in brackets."""
    text = ""
    for part in template:
        match part:
            case Words(words):
                text += words
            case Filled(name):
                text += f"*{name}*"
            case Choice(of):
                text += f"[{' | '.join(shown(way) for way in of if way)}]"
    return text
