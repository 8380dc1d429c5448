"""Extension: the build warns of public names that are not in the reference, lack a docstring, or give a number without its unit.

A class is public with its fields, properties and methods; a function with its arguments. A number is a float or an array; its unit
stands in brackets, as in [m], and [-] if it has none; arrays of truth values say so.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging

import vinewright

logger = logging.getLogger(__name__)
BESIDES = {
    "environments.importing.build": ("Imported",),
    "environments.uncertainty": ("ObstacleError",),
    "planner.design.estimate": ("Success",),
    "planner.design.schedule": ("Schedule",),
    "planner.search.run": ("Budget", "HistoryEntry", "Run"),
    "planner.plan.choice.front": ("Choice",),
    "planner.design.verification": ("Verification",),
    "planner.fabrication.pack": ("Pack",),
    "planner.fabrication.plumbing.operation": ("Operation", "OperationEvent", "OperationMark"),
    "planner.fabrication.plumbing.operation_file": ("load_operation",),
    "planner.fabrication.plumbing.plumbing": ("Plumbing", "Regulator", "Branch", "Setting"),
    "dynamics.propagator": ("Propagator", "Capabilities", "CannotRun", "OnHost", "checked_lengths"),
    "dynamics.vine": ("VineState", "Actuation", "Rollout", "Status"),
    "dynamics.moment": ("joint_moments", "free_curvature", "centerline_curvature"),
    "surrogate.actuators": ("Actuator", "Grid", "Limits"),
    "surrogate.films": ("Film",),
    "vinewright.console.study": ("Study", "Report"),
}
"""Other public names: what functions return, and interfaces for those who add a propagator, an actuator or a study."""
PACKAGES = "dynamics", "environments", "planner", "surrogate", "vinewright"
NUMBER = re.compile(r"\b(float|Floats|ndarray|ArrayLike)\b")
UNIT = re.compile(r"\[[^\]]+\]|\bbool\b")


def public() -> Iterator[tuple[str, Any]]:
    """All public objects with their full names."""
    for name in vinewright.__all__:
        if name not in ("euler_lagrange", "ompl", "torch"):  # modules, each documented on a page of its own
            yield f"vinewright.{name}", getattr(vinewright, name)
    for name in vinewright.euler_lagrange.__all__:
        yield f"vinewright.euler_lagrange.{name}", getattr(vinewright.euler_lagrange, name)
    for module, names in BESIDES.items():
        for name in names:
            yield f"{module}.{name}", getattr(importlib.import_module(module), name)


def faults(name: str, thing: Any) -> Iterator[str]:
    """List what the documentation of an object lacks, one line for each fault."""
    if not inspect.getdoc(thing):
        yield f"{name} has no docstring"
    if not inspect.isclass(thing):
        yield from _of_function(name, thing)
        return
    own: dict[str, str] = {}
    for base in reversed([base for base in thing.__mro__ if base.__module__.split(".")[0] in PACKAGES]):
        comments = ModuleAnalyzer.for_module(base.__module__).find_attr_docs()
        own |= {key: " ".join(text) for (owner, key), text in comments.items() if owner == base.__name__}
    names = [field.name for field in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else []
    for key in names:
        if not key.startswith("_"):
            yield from _of_number(f"{name}.{key}", str(thing.__annotations__.get(key, "")), own.get(key, ""))
    for key, member in vars(thing).items():
        if key.startswith("_"):
            continue
        if isinstance(member, property):
            returned = str(inspect.signature(member.fget).return_annotation) if member.fget else ""
            yield from _of_number(f"{name}.{key}", returned, inspect.getdoc(member) or "")
        elif isinstance(function := getattr(member, "__func__", member), type(faults)):
            if not inspect.getdoc(function):
                yield f"{name}.{key} has no docstring"
            yield from _of_function(f"{name}.{key}", function)


def _of_function(name: str, function: Any) -> Iterator[str]:
    """Arguments that are numbers and have no unit."""
    text = inspect.getdoc(function) or ""
    for key, parameter in inspect.signature(function).parameters.items():
        if not NUMBER.search(str(parameter.annotation)):
            continue
        entry = re.search(rf"^ +{key}: (.*?)(?=^ +\w+: |^\S|\Z)", text, re.MULTILINE | re.DOTALL)
        if not UNIT.search(entry.group(1) if entry else text):
            yield f"{name}: the argument {key} has no unit"


def _of_number(name: str, annotation: str, text: str) -> Iterator[str]:
    """List what the documentation of a field or a property lacks."""
    if not text:
        yield f"{name} has no docstring"
    elif NUMBER.search(annotation) and not UNIT.search(text):
        yield f"{name} has no unit"


_written: dict[str, list[str]] = {}
"""Descriptions of fields as written."""


def keep(_app: Sphinx, what: str, name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Note the description of a field, whose first words napoleon takes for its type if a colon follows."""
    if what in ("attribute", "data", "property"):
        _written[name] = [*lines]


def restore(_app: Sphinx, _what: str, name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Take the description as written."""
    lines[:] = _written.pop(name, lines)


def check(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of every fault, and of public names that no page documents."""
    known = env.get_domain("py").objects  # type: ignore[attr-defined]
    for name, thing in public():
        for fault in faults(name, thing):
            logger.warning("%s", fault, type="api")
        if name not in known:
            logger.warning("%s is on no page of the reference", name, type="api")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("autodoc-process-docstring", keep, priority=100)
    app.connect("autodoc-process-docstring", restore, priority=900)  # after napoleon, whose priority is 500
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
