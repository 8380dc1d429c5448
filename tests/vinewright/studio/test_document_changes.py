"""Any changes of the text of an environment file in the studio: what is written reads back, and the rest stays."""

import copy
import re
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.environment_file import parse_environment
from tests.vinewright.studio.document_texts import OWN, TEXTS, identity, numbered
from vinewright.studio.document import KINDS, edit_text, parse_content
from vinewright.studio.toml_array import Style, edit_array

LABELS = {"boxes": "box", "polygons": "polygon", "circles": "circle", "walls": "wall"}
_NUMBER = st.integers(1, 20_000).map(lambda value: value / 1000)
_STEP = st.tuples(
    st.sampled_from(["delete", "copy", "swap", "add", "grow", "corner", "turn", "name", "scalar"]),
    st.sampled_from(KINDS), st.integers(0, 99), st.integers(0, 99), _NUMBER,
)  # fmt: skip


def new_row(kind: str, number: float) -> Any:
    """A valid row, far from start and goal."""
    at, far, above = round(2500 + 100 * number, 1), round(2500 + 101 * number, 3), round(3000 + number, 3)
    return {
        "boxes": [at, 3000, far, above], "circles": [at, 3000, number], "polygons": [[at, 3000], [far, 3000], [at, above]],
        "walls": [at, 3000, at, 3100, number],
    }[kind]  # fmt: skip


def scalar(content: Any, which: int, number: float) -> None:
    table, key, value = [
        (content, "name", "" if number < 10 else f"room {number}"),
        (content, "description", f'{number} \\ "ä"\n'),
        (content, "tube", None if number < 5 else "prototype"),
        (content["bounds"], "max", [round(content["bounds"]["max"][0] + number, 3), content["bounds"]["max"][1]]),
        (content["bounds"], "edge", "open" if number < 10 else "wall"),
        (content["bounds"], "stacked", number > 10),
        (
            content["start"],
            "position",
            [content["start"]["position"][0], round(content["start"]["position"][1] + number / 10, 4)],
        ),
        (content["start"], "heading_deg", round(10 * number, 2)),
        (content["goal"], "radius", round(90 + number / 10, 4)),
        (content["obstacles"], "ends", "flat" if number < 10 else "round"),
        (content["obstacles"], "friction", None if number < 5 else round(number / 10, 4)),
    ][which % 11]
    table[key] = value


def step(content: Any, origins: Any, own: Any, change: tuple[str, Any, int, int, float]) -> None:
    """Make one change, as the page would."""
    what, kind, one, other, number = change
    rows, known, names = content["obstacles"][kind], origins[kind], own[kind]
    if what == "scalar":
        scalar(content, one, number)
    elif what == "add":
        rows.insert(place := other % (len(rows) + 1), new_row(kind, number))
        known.insert(place, None)
        names.insert(place, None)
    elif not rows:
        return
    elif what == "delete":
        del rows[one % len(rows)], known[one % len(known)], names[one % len(names)]
    elif what == "copy":
        rows.append(copy.deepcopy(rows[one % len(rows)]))
        known.append(None)
        names.append(names[one % len(names)])
    elif what == "swap":
        for found in (rows, known, names):
            first, second = one % len(found), other % len(found)
            found[first], found[second] = found[second], found[first]
    elif what == "name":
        names[one % len(names)] = None if number < 5 else f"the {number}"
    elif what == "turn":
        if kind == "boxes":
            rows[one % len(rows)][4:] = [number] if number < 15 else []
    elif kind != "polygons":
        last = {"boxes": 3, "circles": 2, "walls": 4}[kind]
        rows[one % len(rows)][last] = round(rows[one % len(rows)][last] + number, 3)
    elif what == "corner":
        corners = rows[one % len(rows)]
        corners.insert(1, [round((a + b) / 2, 4) for a, b in zip(*corners[:2], strict=True)])
    else:
        rows[one % len(rows)][0][1] = round(rows[one % len(rows)][0][1] - number / 1000, 4)


def names_of(content: Any) -> dict[str, list[str | None]]:
    """Names of the rows of each list, None for rows without a name."""
    obstacles = content["obstacles"]
    return {
        kind: [obstacles["names"].get(f"{LABELS[kind]} {place}") for place in range(1, len(obstacles[kind]) + 1)]
        for kind in KINDS
    }


def expected_numbers(text: str, origins: Any) -> dict[str, Any]:
    """Find the errors of single obstacles in a file, with the new names of their rows, by going through the rows."""
    lists = {"box": "boxes", "polygon": "polygons", "circle": "circles", "wall": "walls"}
    found, given = {}, numbered(text)
    for kind, key in lists.items():
        for place, row in enumerate(origins[key]):
            if row is not None and (part := given.get(f"{kind} {row + 1}")):
                found[f"{kind} {place + 1}"] = part
    return found


def row_in(text: str, tag: str) -> str | None:
    """The row before the comment with a tag, as it is written; None without the tag, which is there once at most."""
    lines = [line for line in text.splitlines() if tag in line]
    assert len(lines) <= 1
    return re.findall(r"\[[^\[\]]*\]", lines[0].split("#")[0])[-1] if lines else None


def check_rows(text: str, result: str, content: Any, origins: Any) -> None:
    """Rows that stay keep their comment, and their text if they are the same; the comment of others is gone."""
    before: Any = parse_content(text)["obstacles"]
    for name, number in re.findall(r"<(box|circle|wall) (\d+)>", text):
        kind, row, tag = {"box": "boxes"}.get(name, f"{name}s"), int(number), f"<{name} {number}>"
        found = row_in(result, tag)
        assert (found is not None) == (row in origins[kind])
        if found is not None and before[kind][row] == content["obstacles"][kind][origins[kind].index(row)]:
            assert found == row_in(text, tag)


_NAMES, _STEPS = st.sampled_from([*OWN, "spiral", "tube"]), st.lists(_STEP, min_size=3, max_size=8)


@settings(derandomize=True, max_examples=80, deadline=None)
@given(_NAMES, _STEPS)
def test_any_change_reads_back(name: str, steps: list[tuple[str, Any, int, int, float]]) -> None:
    """The opposite change leads back."""
    check_change(name, steps)


@pytest.mark.slow
@settings(derandomize=True, max_examples=1000, deadline=None)
@given(_NAMES, _STEPS)
def test_any_of_many_changes_reads_back(name: str, steps: list[tuple[str, Any, int, int, float]]) -> None:
    """With more of them."""
    check_change(name, steps)


def check_change(name: str, steps: list[tuple[str, Any, int, int, float]]) -> None:
    """The steps are written, read back, and taken back."""
    text = TEXTS[name]
    before: Any = parse_content(text)
    content, origins = copy.deepcopy(before), identity(before)
    own = names_of(content)
    for change in steps:
        step(content, origins, own, change)
    content["obstacles"]["names"] = {
        f"{LABELS[kind]} {place}": given for kind in KINDS for place, given in enumerate(own[kind], 1) if given
    }
    result = edit_text(text, content, origins)
    assert parse_content(result) == content
    environment = parse_environment(result.encode(), name)
    assert environment.edge == content["bounds"]["edge"]
    solids = environment.obstacles
    read = {solids.label(k): given for k, given in enumerate(solids.own_names) if given}
    assert read == content["obstacles"]["names"]
    assert numbered(result) == expected_numbers(text, origins)
    assert edit_text(result, content, identity(content)) is result
    assert result.startswith("\ufeff") == text.startswith("\ufeff")
    assert result.count("\r\n") == (result.count("\n") if "\r" in text else 0)
    check_rows(text, result, content, origins)
    back = {
        kind: [origins[kind].index(row) if row in origins[kind] else None for row in found]
        for kind, found in identity(before).items()
    }
    again = edit_text(result, before, back)
    assert parse_content(again) == before
    assert numbered(again).items() <= numbered(text).items()


@pytest.mark.parametrize("name", ["bench", "metres", "braces"])
def test_the_angle_of_a_box_is_in_degrees_in_every_unit(name: str) -> None:
    """A box is turned, turned again, and turned back to the text that it had."""
    text = TEXTS[name]
    content: Any = parse_content(text)
    origins = identity(content)
    content["obstacles"]["boxes"][0].append(30.5)
    turned = edit_text(text, content, origins)
    assert tomllib.loads(turned)["obstacles"]["boxes"][0][4] == 30.5
    content["obstacles"]["boxes"][0][4] = -45
    assert tomllib.loads(edit_text(turned, content, origins))["obstacles"]["boxes"][0][4] == -45
    del content["obstacles"]["boxes"][0][4]
    assert parse_content(edit_text(turned, content, origins)) == parse_content(text)


_BLANK = st.sampled_from(["", " ", "\n", "\n\n  ", "  # one\n", "\n  # two\n  ", " # three, [3]\n# four\n\n"])
_POINTS = st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=2), max_size=4)
_ARRAYS = st.one_of(
    st.tuples(_POINTS, _POINTS), st.tuples(st.lists(_POINTS, max_size=3), st.lists(_POINTS, max_size=3))
)


@st.composite
def laid_out(draw: st.DrawFn, values: Any) -> str:
    """An array with blanks, comments and line ends anywhere."""
    text = "["
    for place, value in enumerate(values):
        text += draw(_BLANK) + (draw(laid_out(value)) if isinstance(value, list) else str(value)) + draw(_BLANK)
        text += "," if place + 1 < len(values) or draw(st.booleans()) else ""
    return text + draw(_BLANK) + "]"


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.data(), _ARRAYS)
def test_an_array_of_any_layout_can_be_changed(data: st.DataObject, pair: tuple[Any, Any]) -> None:
    """No comment swallows a row, and what does not change stays."""
    old, new = pair
    text = data.draw(laid_out(old))
    places: list[int | None] = [*range(len(old)), *[None] * len(new)]
    origins = data.draw(st.one_of(st.none(), st.permutations(places).map(lambda found: found[: len(new)])))
    style = Style(str, "\n")
    assert edit_array(text, old, old, None, style) == text
    assert tomllib.loads(f"x = {edit_array(text, old, new, origins, style)}") == {"x": new}
