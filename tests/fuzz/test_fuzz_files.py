"""Files drawn by Hypothesis, valid, almost valid and hostile: never another error than the one line that is promised."""

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
    """So many examples in every run of the tests, and more in the long one."""
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
    """Where everything in a nested value lies."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in entries for path in [(*before, key), *paths(inner, (*before, key))]]


@st.composite
def spoilt(draw: st.DrawFn, whole: Any, most: int = 3) -> Any:
    """A nested value of which nothing or some things were changed, left out, doubled or named otherwise."""
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
                table[key] = draw(VALUES)
            case "drop":
                del table[key]
            case "double" if isinstance(table, list):
                table.insert(key, deepcopy(table[key]))
            case _ if isinstance(table, dict):
                table[draw(st.text(max_size=6))] = table.pop(key)
    return content


@st.composite
def bytes_like(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> bytes:
    """Text as it is, or cut, doubled or strewn with other bytes; or other bytes altogether."""
    data = draw(texts).encode(errors="replace")
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        first, last = sorted(draw(st.integers(0, len(data))) for _ in range(2))
        pieces = [b"", data[first:last] * 2, draw(st.binary(max_size=6)), b"[" * 3000, b'"', b"\xff\xfe", b"\x00"]
        data = data[:first] + draw(st.sampled_from(pieces)) + data[last:]
    return draw(st.one_of(st.just(data), st.just(data), st.just(data), st.binary(max_size=200)))


def toml(value: Any) -> str:
    """A value as it stands in TOML; what TOML has no word for becomes a string."""
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
PLACES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries({
    "schema": st.just(1),
    "name": st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
    "unit": st.just("mm"),
    "bounds": st.fixed_dictionaries(
        {"min": st.just([0, 0]), "max": st.lists(st.integers(1000, 2000), min_size=2, max_size=2)}
    ),
    "start": st.fixed_dictionaries({"position": st.just([100, 150]), "heading_deg": st.floats(-360, 360)}),
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
    }),
})  # fmt: skip
TOML = PLACES.flatmap(spoilt).map(lambda place: "\n".join(f"{json.dumps(key)} = {toml(v)}" for key, v in place.items()))


@several(60, 4000)
def test_no_place_is_shown_with_another_error(run: RunCommand, folder: Path, examples: int) -> None:
    """Facts of a place, or one line that says what is wrong with its file."""
    seen = set()

    @settings(FAST, max_examples=examples)
    @given(bytes_like(TOML))
    def show(data: bytes) -> None:
        (folder / "place.toml").write_bytes(data)
        seen.add(run("environments, shown", "environments", "show", "place.toml")[0])

    show()
    assert seen == {0, 2}  # both were tried


@several(3, 300)
def test_no_place_is_planned_in_with_another_error(run: RunCommand, folder: Path, examples: int) -> None:
    """A design, no solution, or one line that says what is wrong."""

    @settings(FAST, max_examples=examples)
    @given(PLACES, st.sampled_from(["--no-heuristic"] * 3 + ["--heuristic"]))
    def plan(place: dict[str, Any], heuristic: str) -> None:
        (folder / "place.toml").write_text("\n".join(f"{key} = {toml(value)}" for key, value in place.items()))
        budget = "--time-budget", 0.2, "--iterations", 2, "--batch", 20
        run("environments, planned in", "plan", "place.toml", *budget, heuristic, "--out", "planned")

    plan()


@several(40, 3000)
def test_no_design_is_simulated_with_another_error(run: RunCommand, folder: Path, examples: int) -> None:
    """A tube grown, or one line that says what is wrong with the design."""
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


@several(60, 4000)
def test_no_recording_is_read_with_another_error(read_recording: Callable[[bytes], int], examples: int) -> None:
    """A recording, or one line that says what is wrong with it."""
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
