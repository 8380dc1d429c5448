"""The command line: `vinewright`. Each command imports its dependencies only when it runs, so that `--help` is fast."""

from __future__ import annotations

import sys

import typer
from typer.exceptions import TyperException

from planner.commands import (
    bench,
    doctor,
    environments,
    export,
    fit,
    map,
    plan,
    reproduce,
    robustness,
    show,
    simulate,
    surrogate,
    track,
    tube,
    validate,
)

INTERRUPTED = 130
"""Exit code after Ctrl-C, if there is no result to keep."""
LONGEST_LINE = 1000
"""Maximum length of an error message: a long argument is not repeated completely."""

app = typer.Typer(
    help="Design vine robots: find the fewest actuators with which a tube grows to the goal.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(plan.plan)
app.command()(simulate.simulate)
app.command()(robustness.robustness)
app.command()(export.export)
app.command()(show.show)
app.command(name="funnel")(reproduce.funneling)
app.command(name="map")(map.map_environment)
app.command()(track.track)
app.command()(fit.fit)
app.add_typer(environments.app, name="environments")
app.add_typer(tube.app, name="tube")
app.add_typer(bench.app, name="bench")
app.add_typer(reproduce.app, name="reproduce")
app.add_typer(surrogate.app, name="surrogate")
app.command()(validate.validate)
app.command()(doctor.doctor)


def main() -> None:
    """Run a command; for invalid input, print one line to stderr and exit with code 2."""
    try:
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
    sys.exit(code if isinstance(code, int) else 0)
