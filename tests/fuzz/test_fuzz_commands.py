"""Command lines drawn by Hypothesis: any command, any option, any value."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

RunCommand = Callable[..., tuple[int, str]]

VALUES = st.one_of(
    st.sampled_from(
        [
            "",
            "-1",
            "0",
            "1",
            "2.5",
            "nan",
            "inf",
            "-inf",
            "1e308",
            "-1e308",
            "1e-320",
            "9" * 20,
            "1" * 5000,
            "٣",
            "0x10",
            "a\x1b[2J",
            "a\nb",
            "--",
            "[",
            "1,2,3",
            ",",
            "cpu",
            "cuda",
            "cuda:99",
            "osqp",
            "network",
            "straight",
            "random",
            "nowhere.toml",
            "file.txt",
            "fair.toml",
            "fair.json",
            "maze",
            ".",
        ]
    ),
    st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8),
    st.integers(-10, 10).map(str),
)
ENVIRONMENTS = st.sampled_from(["fair.toml"] * 4 + ["nowhere.toml", "file.txt", ".", "", "plsu", "fair.json"])
DESIGNS = st.sampled_from(["fair.json"] * 3 + ["missing.json", "file.txt", ".", "fair.toml"])
FOLDERS = st.sampled_from(["nowhere", "file.txt", "fair.json", ".", ""])
NO_FOLDER = "--out", "file.txt"
"""Prevents long computations: the output folder is a file."""
ROBOTS = st.sampled_from(["el-hussieny"] * 3 + ["el-husieny", "fair.toml", "fair.json", "file.txt", ".", ""])
MODELS = st.sampled_from(["quasistatic", "geometric", "magic", "", "euler-lagrange"])

COMMANDS: dict[tuple[str, ...], tuple[list[st.SearchStrategy[str]], list[str], tuple[str, ...]]] = {
    ("plan",): (
        [ENVIRONMENTS],
        [
            "--seed",
            "--batch",
            "--target-actuators",
            "--solutions",
            "--success",
            "--particles",
            "--uncertainty",
            "--actuator",
            "--device",
            "--solver",
            "--surrogate",
            "--friction",
            "--verify",
            "--resume",
        ],
        ("--out", "planned", "--force", "--time-budget", "0.2", "--iterations", "2"),
    ),
    ("simulate",): (
        [ENVIRONMENTS, DESIGNS],
        ["--device", "--solver", "--surrogate", "--qp", "--inputs", "--friction", "--animate", "--solution"],
        (),
    ),
    ("robustness",): (
        [ENVIRONMENTS, DESIGNS],
        ["--levels", "--uncertainty", "--seed", "--trials", "--solution"],
        NO_FOLDER,
    ),
    ("export",): ([DESIGNS], ["--formats", "--env", "--solution"], NO_FOLDER),
    ("demo",): ([], [], NO_FOLDER),
    ("show",): ([DESIGNS], ["--picture"], ()),
    ("map",): (
        [ENVIRONMENTS],
        ["--actions", "--policy", "--seed", "--radius", "--length", "--deployments"],
        NO_FOLDER,
    ),
    ("sense",): (
        [st.sampled_from(["file.txt", "missing.json", "fair.json", "."]), ENVIRONMENTS],
        ["--readings", "--rule", "--picture"],
        (),
    ),
    ("map", "--session", "file.txt", "new"): ([], ["--base", "--radius", "--length", "--bounds"], ()),
    ("map", "--session", "nowhere", "next"): ([], ["--actions", "--policy", "--seed"], ()),
    ("map", "--session", "nowhere", "add"): (
        [st.sampled_from(["file.txt", "missing.json", "fair.json", "."])],
        ["--readings", "--rule"],
        (),
    ),
    ("reproduce", "real-mapping"): ([], ["--recordings"], NO_FOLDER),
    ("reproduce", "as-recorded"): ([], ["--recordings"], NO_FOLDER),
    ("fit",): (
        [st.sampled_from(["file.txt", "missing.h5", "fair.json", "."])],
        ["--bodies", "--joints", "--mass-per-length", "--frames-per-second", "--out"],
        (),
    ),
    ("track",): (
        [st.sampled_from(["file.txt", "missing.mp4", "fair.json", "."])],
        ["--scale", "--base", "--color", "--background", "--tolerance", "--radius", "--every", "--overlay"],
        NO_FOLDER,
    ),
    ("funnel",): ([], ["--vines", "--fields", "--seed"], NO_FOLDER),
    ("environments", "list"): ([], [], ()),
    ("environments", "show"): ([ENVIRONMENTS], ["--picture"], ()),
    ("environments", "new"): (
        [st.sampled_from(["new.toml", "new.txt", "file.txt", "."])],
        ["--seed", "--density", "--width", "--height"],
        (),
    ),
    ("environments", "import"): (
        [st.sampled_from(["file.txt", "fair.json", "missing.yaml", "fair.toml", "."])],
        ["--start", "--goal", "--simplify", "--unknown", "--unit", "--mm-per-unit", "--size", "--corners", "--color"],
        NO_FOLDER,
    ),
    ("environments", "export"): (
        [ENVIRONMENTS, st.sampled_from(["file.txt", "fair.yaml", "."])],
        ["--resolution"],
        (),
    ),
    ("bench", "rollouts"): ([ENVIRONMENTS], ["--device", "--solver", "--surrogate", "--batch"], ("--length", "0.05")),
    ("bench", "plan"): ([], ["--env", "--seeds", "--time-budget", "--batch"], NO_FOLDER),
    ("reproduce", "tip-steering"): ([], ["--device", "--solver", "--surrogate"], NO_FOLDER),
    ("reproduce", "table2"): ([], ["--runs", "--time-budget", "--env"], NO_FOLDER),
    ("reproduce", "uncertainty"): ([], ["--runs", "--time-budget", "--env", "--errors"], NO_FOLDER),
    ("reproduce", "uncertainty-random"): ([], ["--count", "--time-budget"], NO_FOLDER),
    ("reproduce", "mapping"): ([], ["--places"], NO_FOLDER),
    ("reproduce", "soak"): ([], ["--count", "--time-budget"], NO_FOLDER),
    ("sweep", "make"): (
        [st.sampled_from(["fair.toml", "missing.toml", "file.txt", "."])],
        ["--shard-seconds"],
        ("--out", "made"),
    ),
    ("sweep", "run"): ([FOLDERS], ["--workers", "--scheduler"], ()),
    ("sweep", "work"): ([FOLDERS], ["--shard"], ()),
    ("sweep", "status"): ([FOLDERS], [], ()),
    ("sweep", "cancel"): ([FOLDERS], [], ()),
    ("sweep", "retry"): ([FOLDERS], ["--shard"], ()),
    ("sweep", "collect"): ([FOLDERS, st.sampled_from(["table.csv", "table.txt", "."])], [], ()),
    ("sweep", "report"): ([FOLDERS], [], NO_FOLDER),
    ("validate",): ([], ["--recordings", "--propagator"], NO_FOLDER),
    ("surrogate", "train"): ([], ["--seed", "--epochs", "--actuator"], NO_FOLDER),
    ("surrogate", "evaluate"): ([], ["--weights", "--largest-batch"], NO_FOLDER),
    ("doctor",): ([], [], ()),
    ("euler-lagrange", "check"): ([ROBOTS], [], ()),
    ("euler-lagrange", "show"): ([ROBOTS], [], ()),
    ("euler-lagrange", "simulate"): (
        [ROBOTS],
        ["--inputs", "--core", "--core-pressure", "--tensions", "--pressures", "--start", "--seconds"],
        NO_FOLDER,
    ),
    ("euler-lagrange", "sweep"): (
        [ROBOTS],
        [
            "--vary",
            "--reference",
            "--inputs",
            "--core",
            "--core-pressure",
            "--tensions",
            "--pressures",
            "--start",
            "--seconds",
        ],
        ("--vary", "mass_kg=0.1,0.2", *NO_FOLDER),
    ),
    ("euler-lagrange", "track"): ([ROBOTS, DESIGNS], ["--start", "--within"], NO_FOLDER),
}
"""Arguments, options that take a value, and final options that keep the computation short."""


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command line, complete or with parts missing, repeated, misspelt or unusual."""
    command = draw(st.sampled_from(sorted(COMMANDS)))
    arguments, options, last = COMMANDS[command]
    line = [draw(argument) for argument in arguments]
    for option in draw(st.lists(st.sampled_from(options), max_size=2)) if options else []:
        line += [option, draw(VALUES)]
    if command in (("plan",), ("simulate",)):
        line += ["--propagator", draw(MODELS)]
    if command in (("robustness",), ("export",)):
        line += draw(st.sampled_from([[], ["--force"]]))
    match draw(st.sampled_from(["as it is"] * 5 + ["missing", "more", "misspelt"])):
        case "missing" if line:
            del line[draw(st.integers(0, len(line) - 1))]
        case "more":
            line.insert(0, draw(VALUES))
        case "misspelt":
            command = (*command[:-1], draw(st.sampled_from([command[-1] + "s", "", "-x", "--help", "--nothing"])))
    return [*command, *line, *last]


@pytest.mark.parametrize("examples", [15, pytest.param(3000, marks=pytest.mark.slow)])
def test_no_command_line_ends_in_another_error(run: RunCommand, examples: int) -> None:
    """The command succeeds, finds no solution, or prints one line with the error."""

    @settings(max_examples=examples, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    @given(lines())
    def call(line: list[str]) -> None:
        run("command lines", *line)

    call()
