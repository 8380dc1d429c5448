"""The command line: `vinewright`. A command is imported when it is used, and imports its dependencies when it runs."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from vinewright.commands.registry import COMMANDS, SESSION
from vinewright.console.errors import BadInput, MachineFault, NothingKept, readable_errors
from vinewright.console.progress import handle_stop_signals
from vinewright.console.terminal import tolerate_lost_output

BAD_INPUT = BadInput.exit_code
"""Exit code if no command is given."""
INTERRUPTED = NothingKept.exit_code
"""Exit code after Ctrl-C, if there is no result to keep."""
LONGEST_LINE = 1000
"""Maximum length of an error message: a long argument is not repeated completely."""


class WholeHelp(TyperGroup):
    """A group whose help contains the whole first paragraph about each command, wrapped."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the help instead of an error message that contains it."""
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help())
            raise typer.Exit(BAD_INPUT)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(self.lines(ctx))

    def lines(self, ctx: Any) -> list[tuple[str, str]]:
        """Name and first paragraph of the help of each command that is not hidden."""
        listed = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, (one.help or "").split("\n\n")[0]) for name, one in listed if one and not one.hidden]
        return [(name, " ".join(words.split())) for name, words in rows]


def part(name: str) -> typer.Typer:
    """The application of one command or group, whose module is imported now."""
    listed = COMMANDS[name]
    home, _, attribute = listed.home.partition(":")
    found = getattr(import_module(home), attribute)
    one = typer.Typer(rich_markup_mode=None)
    if listed.device:
        from vinewright.console.device import with_device

        if isinstance(found, typer.Typer):
            for command in found.registered_commands:
                assert command.callback is not None
                command.callback = with_device(command.callback)
        else:
            found = with_device(found)
    if isinstance(found, typer.Typer):
        one.add_typer(found, name=name, cls=WholeHelp, hidden=listed.hidden)
    else:
        one.command(name=name, hidden=listed.hidden, cls=_class_of(name))(found)
    return one


def _class_of(name: str) -> type[TyperCommand] | None:
    """Class of a command: one that groups its options if it has many."""
    if name != "plan":
        return None
    from vinewright.console.listed_options import GroupedCommand

    return GroupedCommand


@cache
def _make(name: str) -> Any:
    return typer.main.get_group(part(name)).commands[name]


class Commands(WholeHelp):
    """All commands, each made when it is used; `map` has a form of its own with --session, with subcommands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        names: Any = dict.fromkeys(COMMANDS)
        self.commands = names  # only their keys are used

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, or None."""
        return _make(cmd_name) if cmd_name in COMMANDS else super().get_command(ctx, cmd_name)

    def lines(self, ctx: Any) -> list[tuple[str, str]]:
        """Name and help of the commands, none of which is imported."""
        del ctx
        return [(name, listed.help) for name, listed in COMMANDS.items() if not listed.hidden]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first argument.

        Raises:
            BadInput: `--out` is empty, which as a path would be the working folder.
        """
        if "--out=" in args or ("--out", "") in pairwise(args):
            raise BadInput("--out is empty; name a folder or file to write")
        if args[0] == "map" and any(word.partition("=")[0] == "--session" for word in args):
            return "map", self.get_command(ctx, SESSION), args[1:]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # with markup, text in brackets disappears, and narrow terminals cut the names of options
)


def _show_version(context: typer.Context, asked: bool) -> None:
    if asked and not context.resilient_parsing:  # while the shell completes a line, nothing else is printed
        from importlib.metadata import version

        print(f"vinewright {version('vinewright')}")
        raise typer.Exit


@app.callback()
def vinewright(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Design vine robots: find the fewest actuators with which a tube grows to the goal."""


def main() -> None:
    """Run a command; for an error, print one line to stderr and exit with the code of the error."""
    with tolerate_lost_output() as failures:
        code = _run()
    if failures:
        print(f"error: the output cannot be written: {failures[0].strerror}", file=sys.stderr)
        code = code or MachineFault.exit_code
    sys.exit(code)


def _run() -> int:
    """Run the command of the command line; returns the exit code."""
    try:
        with handle_stop_signals(), readable_errors():
            code = app(prog_name="vinewright", standalone_mode=False)
        if code == INTERRUPTED:  # what typer returns after Ctrl-C, without a message
            raise KeyboardInterrupt
    except TyperException as error:
        if error.format_message():
            line = " ".join(error.format_message().split())
            # The arguments may contain control sequences for the terminal.
            shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
            print(f"error: {shown[:LONGEST_LINE]}{' ...' * (len(shown) > LONGEST_LINE)}", file=sys.stderr)
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        code = INTERRUPTED
    return code if isinstance(code, int) else 0
