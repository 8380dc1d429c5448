"""Extension: what `--help` says of each command, as tables below `docs/generated/commands`.

Each page of `docs/howto/commands` includes the file of its command. Nothing is typed twice: arguments, options, defaults and
limits come from the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import typer.main
from pages import write

from planner.plan.options import OPTIONS, PlanOptions
from vinewright.cli import SESSION, app

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "generated" / "commands"
SHARED = ("--out", "--force", "--scheduler", "--device")
"""Options of all studies, which their table does not repeat."""
DEFAULT = re.compile(r"\s*\bDefault: (.+?)\.(?=\s+[A-Z]|$)")
"""The sentence of a help text that describes a default."""
OPTION = re.compile(r"(?<![\w`-])--[a-z][\w-]*")
TYPES = {int: "N", float: "X", str: "NAME", Path: "PATH"}
"""Words for values, by type, for options that have none."""


def leaves(group: Any = None, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands that a user can give, by their words after `vinewright`."""
    group = group or typer.main.get_command(app)
    context = group.context_class(group, info_name=words[-1] if words else "vinewright")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command.hidden and name != SESSION:
            continue
        path = (*words, *(("map", "--session", "DIR") if name == SESSION else (name,)))
        if hasattr(command, "list_commands"):
            yield from leaves(command, path)
        else:
            yield path, command


def write_files(_app: Sphinx) -> None:
    """Write one file for each command, and for each group of commands, and the table of studies."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    families: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
    for words, command in leaves():
        families.setdefault(words[0], []).append((words, command))
    texts = {name: "\n".join(_family(members)) for name, members in families.items()}
    texts["reproduce"] = "\n".join(_studies(families["reproduce"]))
    texts["plan-options"] = "\n".join(_keywords())
    for name, text in texts.items():
        write(GENERATED / f"{name}.md", text)
    for path in GENERATED.glob("*.md"):
        if path.stem not in texts:
            path.unlink()


def _family(members: list[tuple[tuple[str, ...], Any]]) -> Iterator[str]:
    """The options of a command, or of the commands of a group, each under a heading."""
    for words, command in members:
        if len(members) > 1:
            yield f"### `vinewright {' '.join(words)}`\n"
        yield from (f"{_marked(' '.join(part.split()))}\n" for part in command.help.split("\n\n"))
        yield from _tables(words, command)


def _keywords() -> Iterator[str]:
    """The options of a plan as keywords of `vinewright.plan`, by groups, from their list."""
    yield "| keyword | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|"
    for option in OPTIONS:
        if option.name in get_type_hints(PlanOptions):
            limits = (
                ("at least", option.least),
                ("at most", option.most),
                ("above", option.above),
                ("below", option.below),
            )
            allowed = ", ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)
            default = "" if option.default is None else f"`{option.default}`"
            yield f"| `{option.name}` | {option.type.__name__} | {option.unit} | {default} | {allowed} | {_marked(option.help)} |"
    yield ""


def _tables(words: tuple[str, ...], command: Any) -> Iterator[str]:
    """How a command is called, and its arguments and options as tables."""
    pieces = command.collect_usage_pieces(command.context_class(command, info_name=words[-1]))
    yield f"```text\nvinewright {' '.join([*words, *pieces])}\n```\n"
    given = _parameters(command)
    arguments = [one for one in given if one.param_type_name == "argument"]
    if arguments:
        yield "| argument | meaning |\n|---|---|"
        yield from (f"| `{one.metavar or one.name}` | {_marked(one.help)} |" for one in arguments)
        yield ""
    if options := [one for one in given if one.param_type_name == "option"]:
        yield from _options(options)


def _parameters(command: Any) -> list[Any]:
    """Arguments and options of a command, except --help."""
    given = command.get_params(command.context_class(command))
    return [one for one in given if not getattr(one, "hidden", False) and "--help" not in one.opts]


def _options(options: list[Any]) -> Iterator[str]:
    """The table of some options, without columns that would be empty."""
    rows = [("option", "default", "allowed", "meaning")]
    for one in options:
        stated = DEFAULT.search(one.help)
        default = _marked(stated.group(1)) if stated else _default(one)
        rows.append((_name(one), default, _allowed(one), _marked(DEFAULT.sub("", one.help))))
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    head, *body = (f"| {' | '.join(row)} |" for row in zip(*columns, strict=True))
    yield from (head, f"|{'---|' * len(columns)}", *body, "")


def _name(option: Any) -> str:
    """An option as it is typed, with a word for its value."""
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    value = option.metavar or TYPES.get(_kind(option), "NAME")
    return f"`{option.opts[0]} {value}`".replace("|", "\\|")


def _kind(option: Any) -> Any:
    """The type of an option's value; of an option that may be repeated, of each."""
    kind = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    return (get_args(kind) or (kind,))[0]


def _default(option: Any) -> str:
    """The default of an option, if the help text does not describe it."""
    if option.required:
        return "required"
    if option.is_flag or option.default is None:
        return ""
    return f"`{option.default:g}`" if isinstance(option.default, float) else f"`{option.default}`"


def _allowed(option: Any) -> str:
    """The limits of a number."""
    low, high = getattr(option, "min", None), getattr(option, "max", None)
    if low is None and high is None:
        return ""
    if high is None:
        return f"{low:g} or more"
    return f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    """A limit without an exponent where it is a whole number."""
    return f"{value:.0f}" if value == int(value) else f"{value:g}"


def _marked(text: str) -> str:
    """A help text as Markdown: options are code, and nothing else is read as markup."""
    parts = text.split("`")
    for place in range(0, len(parts), 2):
        parts[place] = OPTION.sub(r"`\g<0>`", re.sub(r"([*_\[\]<>|])", r"\\\1", parts[place]))
    return "`".join(parts)


def _studies(members: list[tuple[tuple[str, ...], Any]]) -> Iterator[str]:
    """Each study with a link to its report, what it does, and its own options; the options of all studies once."""
    yield "| study | what it does | its own options |\n|---|---|---|"
    shared: dict[str, Any] = {}
    for words, command in members:
        given, name = _parameters(command), words[-1]
        shared |= {one.opts[0]: one for one in given if one.opts[0] in SHARED}
        own = "<br>".join(_name(one) for one in given if one.opts[0] not in SHARED)
        reported = (ROOT / "results" / name / "README.md").exists()
        study = f"[`{name}`](/generated/results/{name}.md)" if reported else f"`{name}`"
        yield f"| {study} | {_marked(' '.join(command.help.split()))} | {own} |"
    yield "\nOptions of all studies:\n"
    yield from _options([shared[name] for name in SHARED])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
