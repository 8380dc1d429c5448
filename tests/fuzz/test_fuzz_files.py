"""Files drawn by Hypothesis, valid, almost valid and hostile: the only errors are the documented one-line messages."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

RunCommand = Callable[..., tuple[int, str]]
FAST = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


def several(fast: int, slow: int) -> pytest.MarkDecorator:
    """Number of examples in every run of the tests, and in the slow one."""
    return pytest.mark.parametrize("examples", [fast, pytest.param(slow, marks=pytest.mark.slow)])


ODD = st.sampled_from(
    [
        None,
        True,
        False,
        "",
        "x",
        "\x00",
        "\x1b[2J",
        "n" * 3000,
        [],
        {},
        [[]],
        [None],
        {"a": 1},
        0,
        -1,
        1,
        2,
        10**400,
        1e308,
        -1e308,
        1e-308,
        5e-324,
        1e7,
        1e-7,
        float("nan"),
        float("inf"),
        10**18,
        "left",
        "mm",
        [1, 2],
        [[1, 2]] * 3,
    ]
)
NUMBERS = st.one_of(st.integers(-3000, 3000), st.floats(-3000, 3000), st.floats())
LEAVES = st.one_of(ODD, NUMBERS, st.text(max_size=5))
VALUES = st.recursive(
    LEAVES, lambda more: st.lists(more, max_size=4) | st.dictionaries(st.text(max_size=4), more), max_leaves=8
)


def paths(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all elements of a nested value."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in entries for path in [(*before, key), *paths(inner, (*before, key))]]


@st.composite
def spoilt(draw: st.DrawFn, whole: Any, most: int = 3) -> Any:
    """A nested value, unchanged or with elements changed, removed, repeated or renamed."""
    content = deepcopy(whole)
    for _ in range(draw(st.integers(0, most))):
        if not (known := paths(content)):
            return content
        *way, key = draw(st.sampled_from(known))
        table = content
        for part in way:
            table = table[part]
        match draw(st.sampled_from(["number", "number", "value", "drop", "double", "rename"])):
            case "number":
                table[key] = draw(NUMBERS)
            case "value":
                table[key] = deepcopy(draw(VALUES))  # some are shared by all examples
            case "drop":
                del table[key]
            case "double" if isinstance(table, list):
                table.insert(key, deepcopy(table[key]))
            case _ if isinstance(table, dict):
                table[draw(st.text(max_size=6))] = table.pop(key)
    return content


@st.composite
def bytes_like(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> bytes:
    """Text, unchanged or truncated, repeated or mixed with other bytes; or arbitrary bytes."""
    data = draw(texts).encode(errors="replace")
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        first, last = sorted(draw(st.integers(0, len(data))) for _ in range(2))
        pieces = [b"", data[first:last] * 2, draw(st.binary(max_size=6)), b"[" * 3000, b'"', b"\xff\xfe", b"\x00"]
        data = data[:first] + draw(st.sampled_from(pieces)) + data[last:]
    return draw(st.one_of(st.just(data), st.just(data), st.just(data), st.binary(max_size=200)))


def toml(value: Any) -> str:
    """A value in TOML syntax; types that TOML lacks become strings."""
    match value:
        case dict():
            return "{" + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value) if abs(value) < 10**300 else str(value).replace("e+", "e")
    return json.dumps(value if isinstance(value, str) else str(value)).replace("\x7f", "\\u007f")


across, sides = st.integers(250, 1600), st.integers(1, 600)
NAMES = st.sampled_from(["box 1", "circle 1", "circle 2", "wall 1", "3"])
ENVIRONMENTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries({
    "schema": st.sampled_from([2, 2, 1]),
    "name": st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
    "unit": st.sampled_from(["mm", "mm", "mm", "cm", "m"]),
    "bounds": st.fixed_dictionaries(
        {"min": st.just([0, 0]), "max": st.lists(st.integers(1000, 2000), min_size=2, max_size=2)},
        optional={"edge": st.sampled_from(["open", "table", "wall"]), "stacked": st.booleans()},
    ),
    "start": st.one_of(
        st.fixed_dictionaries({"position": st.just([100, 150]), "heading_deg": st.floats(-360, 360)}),
        st.builds(lambda x: {"position": [x, 0], "heading_deg": 90, "mount": "wall"}, st.integers(0, 1000)),
    ),
    "goal": st.fixed_dictionaries(
        {"position": st.lists(st.integers(0, 1000), min_size=2, max_size=2), "radius": st.integers(1, 500)}
    ),
    "obstacles": st.fixed_dictionaries({
        "boxes": st.lists(st.builds(lambda x, y, w, h: [x, y, x + w, y + h], across, across, sides, sides), max_size=3),
        "polygons": st.lists(
            st.builds(lambda x, y, w, h: [[x, y], [x + w, y], [x + w // 2, y + h]], across, across, sides, sides),
            max_size=2,
        ),
        "circles": st.lists(st.builds(lambda x, y, r: [x + r, y, r], across, across, sides), max_size=3),
        "walls": st.lists(st.builds(lambda x, y, w, h: [x, y, x + w, y + h, w % 50], across, across, sides, sides), max_size=2),
    }, optional={"ends": st.sampled_from(["flat", "round"]), "friction": st.floats(0, 10)}),
}, optional={
    "uncertainty": st.fixed_dictionaries({}, optional={
        "preset": st.sampled_from(["workshop", "paper", "none"]),
        "start_position_mm": st.floats(0, 10),
        "friction": st.just([0, 0.2]),
        "obstacle": st.dictionaries(NAMES, st.fixed_dictionaries({"size_mm": st.floats(0, 5)}), max_size=2),
    }),
})  # fmt: skip
TOML = ENVIRONMENTS.flatmap(spoilt).map(
    lambda environment: "\n".join(f"{json.dumps(key)} = {toml(v)}" for key, v in environment.items())
)


@several(30, 4000)
def test_environments_show_gives_no_other_error(run: RunCommand, folder: Path, examples: int) -> None:
    """It prints the facts of an environment, or one line with the error in its file."""
    seen = set()

    @settings(FAST, max_examples=examples)
    @given(bytes_like(TOML))
    def show(data: bytes) -> None:
        (folder / "environment.toml").write_bytes(data)
        seen.add(run("environments, shown", "environments", "show", "environment.toml")[0])

    show()
    assert seen == {0, 2}  # both were tried


@several(3, 300)
def test_plan_gives_no_other_error(run: RunCommand, folder: Path, examples: int) -> None:
    """It finds a design, no solution, or prints one line with the error."""

    @settings(FAST, max_examples=examples)
    @given(ENVIRONMENTS, st.sampled_from(["--no-heuristic"] * 3 + ["--heuristic"]))
    def plan(environment: dict[str, Any], heuristic: str) -> None:
        (folder / "environment.toml").write_text(
            "\n".join(f"{key} = {toml(value)}" for key, value in environment.items())
        )
        budget = "--time-budget", 0.2, "--iterations", 2, "--batch", 20
        run("environments, planned in", "plan", "environment.toml", *budget, heuristic, "--out", "planned", "--force")

    plan()


@several(20, 3000)
def test_simulate_gives_no_other_error(run: RunCommand, folder: Path, examples: int) -> None:
    """It simulates the design, or prints one line with the error in it."""
    fair = json.loads((folder / "fair.json").read_text())
    seen = set()

    @settings(FAST, max_examples=examples)
    @given(bytes_like(spoilt(fair).map(json.dumps)))
    def simulate(data: bytes) -> None:
        (folder / "design.json").write_bytes(data)
        seen.add(run("designs, simulated", "simulate", "fair.toml", "design.json")[0])

    simulate()
    assert 2 in seen
    assert seen & {0, 3}  # some were grown


@several(30, 4000)
def test_reading_a_recording_gives_no_other_error(read_recording: Callable[[bytes], int], examples: int) -> None:
    """It returns a recording, or prints one line with the error in it."""
    line = [[0, 0], [0.1, 0.01], [0.2, 0.03]]
    frames = [{"time_s": 0.1 * k, "index": k, "centerline_m": line, "contacts": []} for k in range(4)]
    frames[1]["contacts"] = [{"wall": 0, "point": -1}]
    base = {"position_m": [0, 0], "heading_rad": 0.1}
    fair = {"schema": 1, "name": "fair", "unit": "m", "tube_radius_m": 0.03, "mass_per_length_kg_per_m": 0.05}
    fair |= {"base": base, "frames_per_s": 30, "walls_m": [[[0.23, -1], [0.23, 1]]], "frames": frames}
    seen = set()

    @settings(FAST, max_examples=examples)
    @given(bytes_like(spoilt(fair).map(json.dumps)))
    def read(data: bytes) -> None:
        seen.add(read_recording(data))

    read()
    assert seen == {0, 2}
