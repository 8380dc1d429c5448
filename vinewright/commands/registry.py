"""All commands by name, with their lines in `vinewright --help`, so that no module of a command is imported for the help."""

from __future__ import annotations

from typing import NamedTuple

SESSION = "map-session"
"""Name of the form of `map` with --session, which has subcommands."""


class CommandEntry(NamedTuple):
    """The definition of a command and its line in the help."""

    home: str
    """Module in `vinewright.commands`, and the function, or `app` if there are subcommands: `module:function`."""
    help: str
    """First paragraph of its docstring, or the help of the group."""
    device: bool = False
    """Whether the command, or each of its subcommands, gets the option --device."""
    hidden: bool = False


COMMANDS = {
    "plan": CommandEntry(
        "vinewright.commands.plan:plan",
        "Find a design with few actuators that reaches the goal although nothing is built exactly. Ctrl-C stops early and keeps the best.",
    ),
    "demo": CommandEntry(
        "vinewright.commands.demo:demo",
        "Take a tour of one minute: plan, grow with a second model, try under errors. Nothing is written without --out.",
    ),
    "studio": CommandEntry(
        "vinewright.commands.studio:studio",
        "Open a page in the browser: draw an environment, watch the search, look at the result, download the files. Ctrl-C ends it.",
        device=True,
    ),
    "simulate": CommandEntry(
        "vinewright.commands.simulate:simulate",
        "Grow one vine of a design and say where it ends. Exit code 3 if it misses the goal.",
    ),
    "robustness": CommandEntry(
        "vinewright.commands.robustness:robustness",
        "Grow a design many times with random errors and report how often it succeeds. Ctrl-C keeps the trials done.",
        device=True,
    ),
    "export": CommandEntry(
        "vinewright.commands.export:export",
        "Write builder's guide, parts and cut lists, patterns at true size, prints and pressures. "
        "Exit code 3 if the rounded design misses the goal.",
        device=True,
    ),
    "show": CommandEntry(
        "vinewright.commands.show:show",
        "Recognise a result by its content and print a summary; --picture draws it.",
        device=True,
    ),
    "trials": CommandEntry(
        "vinewright.commands.trials:app",
        "Add, list, remove and draw what was measured of a design that was built, and learn its errors.",
    ),
    "adapt": CommandEntry(
        "vinewright.commands.adapt:adapt",
        "Find what to change at a built tube so that it reaches the goal, cheapest first. Exit code 3 if nothing is enough.",
    ),
    "funnel": CommandEntry(
        "studies.funneling.command:funneling",
        "Grow fans of vines into random obstacles and measure how their ends concentrate. Ctrl-C keeps the fields done.",
        device=True,
    ),
    "map": CommandEntry(
        "vinewright.commands.map:map_environment",
        "Map an unknown environment with simulated vines, the most informative first. Ctrl-C keeps the map so far.",
    ),
    "sense": CommandEntry(
        "vinewright.commands.sense:sense",
        "Find walls, corners and free area from a recording alone, with 95 % intervals. The environment only names what was touched.",
    ),
    "track": CommandEntry(
        "vinewright.commands.track:track",
        "Track a tube in a video: centrelines in metres, and a video to check them. Exit code 3 if the background shows the tube.",
    ),
    "fit": CommandEntry(
        "vinewright.commands.fit:fit",
        "Fit a dynamic model to a recording and report which parameters the data identify. Exit code 3 if the fit does not converge.",
        device=True,
    ),
    "validate": CommandEntry(
        "studies.validation.command:validate",
        "Compare every propagator with recorded growths, with the others, and with itself at finer steps.",
        device=True,
    ),
    "doctor": CommandEntry(
        "vinewright.commands.doctor:doctor",
        "Show versions, extras, devices, threads and the cache of compiled kernels.",
    ),
    "environments": CommandEntry(
        "vinewright.commands.environments:app",
        "List, show, generate, import and export environments.",
    ),
    "tube": CommandEntry(
        "vinewright.commands.tube:app",
        "List, show, create and check tubes.",
    ),
    "euler-lagrange": CommandEntry(
        "vinewright.commands.euler_lagrange:app",
        "Move a growing robot with a mass at its tip and three actuators in space: under given inputs, or along a reference.",
    ),
    "sweep": CommandEntry(
        "vinewright.commands.sweep:app",
        "Compute many plans or trials on any number of machines.",
    ),
    "bench": CommandEntry(
        "studies.bench:app",
        "Measure the speed of the propagators, or planning in all environments.",
        device=True,
    ),
    "reproduce": CommandEntry(
        "studies.reproduce:app",
        "Repeat a study: experiments of the papers, measurements of the planner.",
        device=True,
    ),
    "surrogate": CommandEntry(
        "studies.surrogate.command:app",
        "Train and evaluate the neural network that approximates an actuator.",
    ),
    SESSION: CommandEntry(
        "vinewright.commands.map_session:app",
        "Map an unknown environment with a real vine: add recorded deployments, and get the next one to make.",
        hidden=True,
    ),
}
