"""Output of `--help` and `--version`, at any width of the terminal."""

import re
import shutil
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any, get_args, get_type_hints

import pytest
import typer

from vinewright.cli import part
from vinewright.commands.registry import COMMANDS, SESSION

UNIT = re.compile(
    r"\b(mm|[Mm]illimetres|metres|newtons|kPa|seconds|degrees|percent|kg/m|frames per second|CIELAB units|coefficient|Share of)\b"
)
COUNT = re.compile(r"\b([Nn]umber of \w+|Seed of|many actuators|N-th frame)\b")
Vinewright = Callable[..., tuple[int, str, str]]


def commands(one: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Callable[..., Any]]]:
    """All commands by their words, with their functions."""
    for command in one.registered_commands:
        assert command.callback
        yield (*path, command.name or command.callback.__name__.replace("_", "-")), command.callback
    for group in one.registered_groups:
        assert group.typer_instance
        yield from commands(group.typer_instance, (*path, str(group.name)))


FUNCTIONS = {words: function for name in COMMANDS for words, function in commands(part(name))}
GROUPS = list(dict.fromkeys(words[:-1] for words in FUNCTIONS))


def options(command: Callable[..., Any]) -> Iterator[tuple[str, set[Any], Any]]:
    """Name, types and information of each argument and option."""
    for name, hint in get_type_hints(command, include_extras=True).items():
        if parts := getattr(hint, "__metadata__", ()):
            kind = get_args(hint)[0]
            yield name, {kind, *get_args(kind)}, parts[0]


def test_the_commands_are_found() -> None:
    """Every command that the tests below run over is there."""
    assert {("plan",), ("tube", "check"), ("environments", "new"), ("reproduce", "table2")} <= FUNCTIONS.keys()
    assert sum(len(list(options(command))) for command in FUNCTIONS.values()) > 120


@pytest.mark.parametrize("words", FUNCTIONS, ids=" ".join)
def test_every_number_has_a_unit(words: tuple[str, ...]) -> None:
    """The help of an option with a number names its unit or what it counts, and no text has lost what stood in brackets."""
    for name, types, info in options(FUNCTIONS[words]):
        assert info.help, name
        assert not re.search(r" [.,;:](\s|$)|\[\s*\]|\(\s*\)", info.help), name
        if types & {int, float}:
            assert UNIT.search(info.help) or COUNT.search(info.help), f"{name}: {info.help}"


@pytest.mark.parametrize("words", [*FUNCTIONS, *GROUPS], ids=" ".join)
def test_help_is_whole_in_60_columns(
    words: tuple[str, ...], vinewright: Vinewright, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No ellipsis, no line beyond the width, all options by their full names, and brackets as they were written."""
    monkeypatch.setenv("COLUMNS", "60")
    assert shutil.get_terminal_size().columns == 60
    code, printed, errors = vinewright(*words, "--help")
    assert (code, errors) == (0, "")
    assert not re.search(r"…|\.\.\.(?!$)", re.sub(r"\[[A-Z]+\]\.\.\.", "", printed)), printed
    assert max(map(len, printed.splitlines())) <= 60
    flat = " ".join(printed.split())
    for name, _, info in options(FUNCTIONS.get(words, lambda: None)):
        assert name.upper() in flat or (info.metavar or "") in flat or f"--{name.replace('_', '-')}" in flat
        assert re.sub(r"\s", "", info.help) in re.sub(r"\s", "", flat)
    for one in FUNCTIONS:
        if one[:-1] == words:
            first = (FUNCTIONS[one].__doc__ or "").split("\n\n")[0]
            assert one == ("reproduce", "soak") or "".join(first.split()) in flat.replace(" ", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    """Its line in the help of all commands is the first paragraph of its own help, or of the callback of its group."""
    one = part(name)
    if one.registered_commands:
        said = one.registered_commands[0].callback.__doc__
    else:
        group = one.registered_groups[0].typer_instance
        assert group
        said = group.info.help if name != SESSION else group.registered_callback.callback.__doc__
    assert " ".join(str(said).split("\n\n")[0].split()) == COMMANDS[name].help


def test_help_lists_what_is_not_hidden(vinewright: Vinewright) -> None:
    """In the order of the list, and the hidden form of `map` under no name of its own."""
    printed = vinewright("--help")[1].split("Commands:\n")[1]
    assert re.findall(r"^  ([\w-]+)  ", printed, re.M) == [name for name in COMMANDS if name != SESSION]


def test_a_misspelt_command_is_told_its_neighbour(vinewright: Vinewright) -> None:
    """The names are known although the commands are not imported."""
    code, printed, errors = vinewright("robustnes")
    assert (code, printed) == (2, "")
    assert errors == "error: No such command 'robustnes'. Did you mean 'robustness'?\n"


def test_brackets_in_help_are_kept(vinewright: Vinewright) -> None:
    """Ranges and defaults stand in brackets."""
    assert "[default: 100; 1<=x<=2000]" in " ".join(vinewright("plan", "--help")[1].split())


def test_version(vinewright: Vinewright) -> None:
    """One line with the version of the installed package."""
    assert vinewright("--version") == (0, f"vinewright {version('vinewright')}\n", "")


@pytest.mark.parametrize("words", [(), ("tube",), ("environments",)])
def test_a_group_without_command_prints_its_help(words: tuple[str, ...], vinewright: Vinewright) -> None:
    """On stdout, with exit code 2, as no command was given."""
    code, printed, errors = vinewright(*words)
    assert (code, errors) == (2, "")
    assert printed.startswith("Usage: ")
    assert printed == vinewright(*words, "--help")[1]
