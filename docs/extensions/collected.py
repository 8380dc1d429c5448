"""All messages of the program that tell its users of an error, a warning, or what was not met, read from its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from templates import Filled, Template, Words, assigned, constant, pattern, pieces, shown, template_of

from dynamics.tube_keys import translate_message

ROOT = Path(__file__).parents[2]
PACKAGES = "environments", "dynamics", "planner", "surrogate", "vinewright"
BY_CLASS = {
    "MachineFault": "4",
    "DeviceLost": "4",
    "OutOfMemory": "4",
    "SchedulerLost": "4",
    "WorkerKilled": "4",
    "NothingKept": "130",
}
"""Exit codes of errors that do not end with 2."""
INTERNAL = {
    "AssertionError",
    "AttributeError",
    "KeyError",
    "NotImplementedError",
    "TypeError",
    "IndexError",
    "HTTPException",
    "TimeoutError",
}
"""Errors of programs that call the program, not of users."""
RAISED_BY = {"require": 1, "_bare": 0, "_bare_error": 0, "_fault": 0, "_refuse": 0}
"""Functions that raise an error, or make one, with the argument that is its message."""
MISSED = dict.fromkeys(("_missed", "_nothing", "_unmet", "unmet", "unverified", "_no_solution"), "3")
RETURNED_BY = MISSED | dict.fromkeys(("base_fault", "fault", "why_not", "describe"), "2")
"""Functions that return a message, or the part of one that says what is wrong, with the exit code."""
OF_FIELDS = "dynamics/tube.py", "surrogate/"
"""Where messages name fields of tubes, which those who read a file see as its keys."""
WITH_REMEDY = {"UnwritableFolder", "Occupied", "Locked"}
"""Errors whose message goes on with what to do, which depends on the command."""
_FEWEST = 2
"""Least number of constant words of a message of its own: others only pass on the message of another error."""


@dataclass(frozen=True)
class Place:
    """Where a message is in the source."""

    module: str
    line: int


@dataclass
class Message:
    """A message, and how the command ends."""

    template: Template
    code: str
    """Exit code; empty for a message that does not end the command."""
    places: list[Place] = field(default_factory=list)
    anchor: str = ""

    @property
    def text(self) -> str:
        """The message as Markdown."""
        return shown(self.template)

    @property
    def regex(self) -> re.Pattern[str]:
        """What its messages match, after the names of files and keys that others put before it."""
        return re.compile(pattern(self.template), re.DOTALL)


def _in_keys(piece: Any) -> Any:
    return Words(translate_message(piece.text)) if isinstance(piece, Words) else piece


@cache
def collected(root: Path = ROOT) -> list[Message]:
    """All messages, each once, with an anchor of its own."""
    found: dict[tuple[Template, str], Message] = {}
    paths = [path for name in PACKAGES for path in sorted((root / name).rglob("*.py"))]
    for path in paths:
        module = path.relative_to(root).as_posix()
        of_fields = module.startswith(OF_FIELDS)
        for template, code, line in _of_module(ast.parse(path.read_text(encoding="utf-8"))):
            template = tuple(map(_in_keys, template)) if of_fields else template
            words = constant(template) if code == "3" else _words(template)
            if len(re.findall(r"[A-Za-z]{2,}", words)) >= _FEWEST:
                message = found.setdefault((template, code), Message(template, code))
                message.places.append(Place(module, line))
    messages = list(found.values())
    _name_all(messages)
    return messages


def _of_module(tree: ast.Module) -> Iterator[tuple[Template, str, int]]:
    constants = _constants(tree)
    yield from _in(tree, {}, constants)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for function in functions:
        scope = assigned(function)
        yield from _in(function, scope, constants)
        if code := RETURNED_BY.get(function.name):
            for node in _own(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield from _templates(node.value, scope, constants, code, node.lineno)


def _in(
    function: ast.AST, scope: dict[str, list[ast.expr]], constants: dict[str, Any]
) -> Iterator[tuple[Template, str, int]]:
    """Messages in a function, or of a module outside of its functions."""
    for node in _own(function):
        match node:
            case ast.Raise(exc=ast.Call(func=called, args=[_, *_] as args)):
                name = _called(called)
                if name not in INTERNAL:
                    at = RAISED_BY.get(name, 1 if name == "PydanticCustomError" else 0)
                    code = BY_CLASS.get(name, "2")
                    said = args[min(at, len(args) - 1)]
                    for template, *rest in _templates(said, scope, constants, code, node.lineno):
                        yield (*template, Words("; "), Filled("what to do")) if name in WITH_REMEDY else template, *rest
            case ast.Call(func=called, args=args) if (name := _called(called)) in RAISED_BY and len(args) > RAISED_BY[
                name
            ]:
                yield from _templates(args[RAISED_BY[name]], scope, constants, "2", node.lineno)
            case ast.Call(func=ast.Attribute(attr="print"), args=[said, *_]) if _begins(said, "warning: "):
                yield from _templates(said, scope, constants, "", node.lineno)
            case ast.Call(keywords=keywords) if any(one.arg == "missed" for one in keywords):
                for one in keywords:
                    if one.arg == "missed":
                        yield from _templates(one.value, scope, constants, "3", node.lineno)
            case ast.Assign(targets=[ast.Name(id="missed")], value=value):
                yield from _templates(value, scope, constants, "3", node.lineno)


def _templates(
    node: ast.expr, scope: dict[str, list[ast.expr]], constants: dict[str, Any], code: str, line: int
) -> Iterator[Any]:
    """The messages of an expression: both of a choice between two."""
    if isinstance(node, ast.IfExp):
        for way in (node.body, node.orelse):
            yield from _templates(way, scope, constants, code, line)
    elif isinstance(node, ast.Name) and node.id in scope:
        inner = {name: values for name, values in scope.items() if name != node.id}
        for value in scope[node.id]:
            yield from _templates(value, inner, constants, code, line)
    elif template := template_of(node, scope, constants):
        yield template, code, line


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from _own(child)


def _called(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _begins(node: ast.expr, words: str) -> bool:
    first = node.values[0] if isinstance(node, ast.JoinedStr) and node.values else node
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value.startswith(words)


def _constants(tree: ast.Module) -> dict[str, Any]:
    """Numbers and texts that a module assigns to names."""
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            try:
                given = ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError, MemoryError):
                continue
            if isinstance(target, ast.Name):
                found[target.id] = given
            elif isinstance(target, ast.Tuple) and isinstance(given, tuple) and len(given) == len(target.elts):
                found |= {
                    one.id: part for one, part in zip(target.elts, given, strict=True) if isinstance(one, ast.Name)
                }
    return found


def _name_all(messages: Iterable[Message]) -> None:
    """Give every message an anchor: the first of its constant words that no other message has."""
    every = list(messages)
    for count in (6, 9, 14, 99):
        names = [
            one.anchor or _slug(constant(one.template), count) or _slug(_words(one.template), count) for one in every
        ]
        for one, name in zip(every, names, strict=True):
            if names.count(name) == 1:
                one.anchor = name
    for one in every:
        if not one.anchor:
            module = re.sub(r"\W+", "-", one.places[0].module.removesuffix(".py"))
            one.anchor = f"{_slug(shown(one.template), 12)}-{module}{f'-{one.code}' * bool(one.code)}"


def _words(template: Template) -> str:
    """All constant words of a template, also those that may be missing."""
    return " ".join(text for kind, text in pieces(template) if kind == "words")


def _slug(text: str, words: int) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", text.lower())[:words])
