"""Tables of the keys of a file, from its pydantic models: type, unit, default, limits, and what each key is."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types as limits
from limits_of_functions import messages_in
from pydantic import AfterValidator, BaseModel, BeforeValidator
from pydantic.fields import FieldInfo
from units import unit_of, without_unit

WORDS = {bool: "true or false", int: "integer", float: "number", str: "text", Any: "anything"}
SINGLE_OR_LIST = "_as_list"
"""The validator that makes a list of one value."""
OF_FILE = "_check_length"
"""The validator of lengths in the unit that the file names."""


@dataclass(frozen=True)
class Row:
    """A key of a file."""

    key: str
    kind: str
    unit: str
    default: str
    limits: str
    meaning: str


@dataclass
class Kind:
    """Describe a type in words."""

    words: str
    limits: list[str] = field(default_factory=list)
    tables: list[type[BaseModel]] = field(default_factory=list)
    """Models of the tables in it."""
    number: bool = False
    of_file: bool = False
    """Whether it is a length in the unit of the file."""


@dataclass
class Table:
    """A table of a file, and rules for several of its keys."""

    path: str
    rows: list[Row]
    rules: list[str]


def tables_of(
    model: type[BaseModel],
    path: str = "",
    fallback: Mapping[str, str] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Iterator[Table]:
    """The table of a model and those inside it.

    Args:
        path: Key of the table.
        fallback: Descriptions of keys that the model does not describe.
        defaults: Values of missing keys that follow from others, as a nested document.
    """
    described = {**(fallback or {}), **docstrings(model)}
    rows, inner = [], []
    for name, one in model.model_fields.items():
        key, kind = one.alias or name, kind_of(one.annotation, one.metadata)
        meaning = one.description or described.get(name, "")
        unit = "`unit`" if kind.of_file else unit_of(key, meaning) if kind.number else ""
        usual = (defaults or {}).get(key)
        shown = without_unit(meaning)
        if shown.partition(" ")[0].isalpha() and shown[1] not in " ,":  # x and y stay as they are
            shown = shown[0].upper() + shown[1:]
        shown += "." * (bool(shown) and not shown.endswith("."))
        rows.append(Row(key, kind.words, unit, _default(one, usual), "; ".join(kind.limits), shown))
        for table in kind.tables:
            inside = f"{path}.{key}".lstrip(".") + "[]" * kind.words.startswith("list")
            inner.append(tables_of(table, inside, fallback, usual if isinstance(usual, dict) else None))
    yield Table(path, rows, list(dict.fromkeys(_rules(model))))
    for tables in inner:
        yield from tables


def kind_of(annotation: Any, metadata: Iterable[Any] = ()) -> Kind:
    """Describe a type and its metadata in words."""
    metadata = [one for part in metadata for one in (part.metadata if isinstance(part, FieldInfo) else [part])]
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(inside[0], [*inside[1:], *metadata])
    if origin in (Union, UnionType):
        return kind_of(next(one for one in inside if one is not NoneType), metadata)
    least, most = (
        next((getattr(one, name) for one in metadata if hasattr(one, name)), None)
        for name in ("min_length", "max_length")
    )
    if origin is list:
        found = _list_of(kind_of(inside[0]), least, most, any(_is(one, SINGLE_OR_LIST) for one in metadata))
    elif origin is dict:
        of = kind_of(inside[1])
        found = Kind(
            "table of tables" if of.tables else f"table of {_plural(of.words)}", of.limits, of.tables, of.number
        )
    elif origin is Literal:
        numbers = all(type(one) is int for one in inside)
        found = Kind(
            "integer" if numbers else "text", [" or ".join(f"`{json.dumps(one)}`" for one in inside)], number=numbers
        )
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        found = Kind("table", tables=[annotation])
    else:
        found = Kind(WORDS[annotation], _length(least, most, "character"), number=annotation in (int, float))
    found.limits = [*_bounds(metadata), *found.limits, *_validated(metadata)]
    found.of_file = found.of_file or any(_is(one, OF_FILE) for one in metadata)
    return found


def _list_of(of: Kind, least: int | None, most: int | None, single: bool) -> Kind:
    """A list, or one value or a list of them."""
    inner = [one if one.startswith("each ") or of.words.startswith("list") else f"each {one}" for one in of.limits]
    if single:
        return Kind(f"{of.words}, or a list of them", of.limits, of.tables, of.number, of.of_file)
    count = f"{least} " if least == most and least is not None else ""
    bounds = [] if count else _length(least, most, "entry")
    return Kind(f"list of {count}{_plural(of.words)}", bounds + inner, of.tables, of.number, of.of_file)


def _plural(words: str) -> str:
    first, _, rest = words.partition(" of ")
    if first in ("true or false", "anything", "text"):
        return {"text": "texts"}.get(first, words)
    return f"{first}s{' of ' * bool(rest)}{rest}"


def _length(least: int | None, most: int | None, of: str) -> list[str]:
    plural = "entries" if of == "entry" else f"{of}s"
    if least and most:
        return [f"{least} to {most:,} {plural}".replace(",", " ")]
    if most:
        return [f"at most {most:,} {plural}".replace(",", " ")]
    return [f"at least {least} {plural if least > 1 else of}"] if least else []


def _bounds(metadata: Iterable[Any]) -> list[str]:
    """Limits of a number, and the pattern of a text."""
    low, high, found = "", "", []
    for one in metadata:
        match one:
            case limits.Ge(ge=value):
                low = f"from {_number(value)}"
            case limits.Gt(gt=value):
                low = f"greater than {_number(value)}"
            case limits.Le(le=value):
                high = f"to {_number(value)}" if low.startswith("from") else f"at most {_number(value)}"
            case limits.Lt(lt=value):
                high = f"less than {_number(value)}"
        if text := getattr(one, "pattern", None):
            found.append(f"matches `{text}`")
    if low.startswith("from") and not high.startswith("to "):
        low = low.replace("from ", "at least ")
    if low == high.replace("to ", "from "):
        high = ""
    low = low.removeprefix("from ")
    joint = " " if high.startswith("to ") else ", "
    return [joint.join(one for one in (low, high) if one)] * bool(low or high) + found


def _number(value: float) -> str:
    for power in (32, 62, 128):
        if value == 2**power:
            return f"2<sup>{power}</sup>"
    return f"{value:g}".replace("e+0", "e") if float(f"{value:g}") == value else str(value)


def _validated(metadata: Iterable[Any]) -> list[str]:
    """Describe what validators allow, in the words of their messages."""
    found = []
    for one in metadata:
        if isinstance(one, AfterValidator) or (isinstance(one, BeforeValidator) and not _is(one, SINGLE_OR_LIST)):
            found += messages_in(one.func)
    found = [text.removesuffix(", as *control*") for text in found]
    return [
        text.removeprefix("must be from ").removeprefix("must be ") if text.startswith("must be ") else text
        for text in found
    ]


def _is(metadata: Any, name: str) -> bool:
    return getattr(getattr(metadata, "func", None), "__name__", "") == name


def _default(one: FieldInfo, usual: Any) -> str:
    if usual is not None and not isinstance(usual, dict | list):
        return f"{usual:g}" if isinstance(usual, float) else f"`{json.dumps(usual)}`"
    if one.is_required():
        return "**required**"
    value = one.get_default(call_default_factory=True)
    if value is None or value in ({}, "", []) or isinstance(value, BaseModel):
        return "none"
    return f"`{json.dumps(value)}`"


def _rules(model: type[BaseModel]) -> Iterator[str]:
    """Describe the validators of a whole table, and those of single keys that look at others."""
    decorators = model.__pydantic_decorators__
    for one in (*decorators.model_validators.values(), *decorators.field_validators.values()):
        yield from messages_in(one.func, model)


def docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The descriptions or docstrings of the fields of a model; the latter from its source."""
    found = {name: field.description for name, field in model.model_fields.items() if field.description}
    for cls in reversed(model.__mro__):
        if cls is BaseModel or not issubclass(cls, BaseModel):
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
        except (OSError, TypeError):  # a model that was made by a function
            continue
        body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
        for one, after in pairwise(body):
            match one, after:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = " ".join(text.split())
    return found
