"""The command line: `vinewright`. Each command imports its dependencies only when it runs, so that `--help` is fast."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from planner.commands import (
    bench,
    doctor,
    environments,
    export,
    fit,
    map,
    map_session,
    plan,
    reproduce,
    robustness,
    sense,
    show,
    simulate,
    studio,
    surrogate,
    sweep,
    track,
    tube,
    validate,
)
from planner.console.device import with_device
from planner.console.errors import MachineFault, NothingKept
from planner.console.progress import stoppable
from planner.console.terminal import lasting_output

BAD_INPUT = 2
"""Exit code if no command is given."""
INTERRUPTED = NothingKept.exit_code
"""Exit code after Ctrl-C, if there is no result to keep."""
LONGEST_LINE = 1000
"""Maximum length of an error message: a long argument is not repeated completely."""


class WholeHelp(TyperGroup):
    """A group whose help contains the whole first paragraph about each command, wrapped."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the help instead of an error message that contains it."""
        if not args:
            print(ctx.get_help())
            raise typer.Exit(BAD_INPUT)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        listed = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, (one.help or "").split("\n\n")[0]) for name, one in listed if one and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl([(name, " ".join(words.split())) for name, words in rows])


class Commands(WholeHelp):
    """All commands; `map` has a form of its own with --session, with subcommands."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first argument."""
        if args[0] == "map" and any(word.partition("=")[0] == "--session" for word in args):
            return "map", self.get_command(ctx, SESSION), args[1:]
        return super().resolve_command(ctx, args)


SESSION = "map-session"
"""Name under which that form is registered, hidden."""

app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # with markup, text in brackets disappears, and narrow terminals cut the names of options
)


def _show_version(asked: bool) -> None:
    if asked:
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


app.command()(plan.plan)
app.command()(with_device(studio.studio))
app.command()(simulate.simulate)
app.command()(with_device(robustness.robustness))
app.command()(with_device(export.export))
app.command()(with_device(show.show))
app.command(name="funnel")(with_device(reproduce.funneling))
app.command(name="map")(map.map_environment)
app.add_typer(map_session.app, name=SESSION, cls=WholeHelp, hidden=True)
app.command()(sense.sense)
app.command()(track.track)
app.command()(with_device(fit.fit))
app.add_typer(environments.app, name="environments", cls=WholeHelp)
app.add_typer(tube.app, name="tube", cls=WholeHelp)
app.add_typer(sweep.app, name="sweep", cls=WholeHelp)
for group in bench.app, reproduce.app:
    for command in group.registered_commands:
        assert command.callback is not None
        command.callback = with_device(command.callback)
app.add_typer(bench.app, name="bench", cls=WholeHelp)
app.add_typer(reproduce.app, name="reproduce", cls=WholeHelp)
app.add_typer(surrogate.app, name="surrogate", cls=WholeHelp)
app.command()(with_device(validate.validate))
app.command()(doctor.doctor)


def main() -> None:
    """Run a command; for an error, print one line to stderr and exit with the code of the error."""
    with lasting_output() as failures:
        code = _run()
    if failures:
        print(f"error: the output cannot be written: {failures[0].strerror}", file=sys.stderr)
        code = code or MachineFault.exit_code
    sys.exit(code)


def _run() -> int:
    """Run the command of the command line; returns the exit code."""
    try:
        with stoppable():
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
