"""The page of messages: it has every message of the program, each once, with an address, a topic and what to do."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Vinewright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
pytest.importorskip("sphinx", reason="the extra docs is not installed")

from collected import Message, collected  # noqa: E402
from messages import SAYS, advice_of, by_topic, topic_of  # noqa: E402
from templates import assigned, constant, pattern, shown, template_of  # noqa: E402

PAGE = ROOT / "docs" / "howto" / "troubleshooting.md"
ROOM = """schema = 2
unit = "mm"
[bounds]
min = [0, 0]
max = [1500, 1000]
[start]
position = [100, 100]
heading_deg = 90
[goal]
position = [1300, 200]
radius = 100
"""
RECORDING = """{"name": "bench", "unit": "m", "tube_radius_m": 0.03, "base": {"position_m": [0, 0], "heading_rad": 0},
"frames": [{"time_s": 0, "centerline_m": [[0, 0], [1.2, 0]]}, {"time_s": 1, "centerline_m": [[0, 0], [2.4, 0]]},
{"time_s": 2, "centerline_m": [[0, 0], [3.6, 0]]}]}"""
DESIGN = (ROOT / "tests" / "data" / "run-v1" / "design.json").read_text()
STUDY = 'schema = 1\n[environments]\nfiles = ["divider"]\n[plan]\nseed = 0\n'
FILES = {
    "room.toml": ROOM,
    "blocked.toml": ROOM + "[obstacles]\nboxes = [[110, 0, 800, 500]]\n",
    "schema.toml": ROOM.replace("schema = 2", "schema = 3"),
    "line.toml": ROOM + "[obstacles]\npolygons = [[[0, 0], [1, 1], [2, 2]]]\n",
    "empty.toml": ROOM.replace("[1500, 1000]", "[0, 0]"),
    "slip.toml": "schema = = 2",
    "stiff.toml": "schema = 1\nradius_mm = 25\ngrowth_pressure_kpa = 60\n",
    "order.toml": "schema = 1\n[actuator]\nshortest_cell_mm = 90\nlongest_cell_mm = 20\n",
    "kind.toml": 'schema = 1\n[actuator]\ntype = "muscle"\n',
    "gap.json": DESIGN.replace('"start_mm": 525.0', '"start_mm": 600.0'),
    "late.json": DESIGN.replace('"start_mm": 0.0', '"start_mm": 1.0', 1),
    "slip.json": "{",
    "modulus.toml": "schema = 1\nfilm_modulus_mpa = 200\n",
    "tail.toml": "schema = 1\ntail_tension_n = 50\n",
    "steps.toml": "schema = 1\n[actuator]\ncell_step_mm = 0.001\n",
    "closed.toml": "schema = 1\n[actuator]\nconstriction_radius_mm = 9\ntube_radius_mm = 9\n",
    "pixels.json": RECORDING.replace("1.2", "120").replace("2.4", "240").replace("3.6", "360"),
    "feet.json": RECORDING.replace('"m"', '"ft"'),
    "order.json": RECORDING.replace('"time_s": 2', '"time_s": 0.5'),
    "few.json": '{"name": "x", "unit": "m", "tube_radius_m": 0.03, "base": {"position_m": [0, 0], "heading_rad": 0}, "frames": []}',
    "hall.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect x="4" y="0" width="2" height="6"/></svg>',
    "twice.toml": STUDY.replace("seed = 0", "seed = [1, 1]"),
    "both.toml": STUDY + '[designs]\nfiles = ["a"]\n',
    "glob.toml": STUDY.replace('"divider"', '"nothing-*.toml"'),
    "map.yaml": "picture: map.png\n",
}
BAD = [
    "plan maz",
    "plan blocked.toml",
    "plan schema.toml",
    "environments show line.toml",
    "environments show empty.toml",
    "environments show slip.toml",
    "environments show room.toml --picture room.jpg",
    "environments new room.toml",
    "environments import hall.svg",
    "environments import map.yaml",
    "environments export room.toml room.toml",
    "tube check stiff.toml",
    "tube check order.toml",
    "tube check modulus.toml",
    "tube check tail.toml",
    "tube check steps.toml",
    "tube check closed.toml",
    "tube check kind.toml",
    "simulate plus gap.json",
    "simulate plus late.json",
    "simulate plus slip.json",
    "simulate plus nowhere.json",
    "simulate plus gap.json --animate film.avi",
    "plan plus --propagator geometric --device cuda",
    "plan plus --actuator muscle",
    "plan plus --actuator spam,spam",
    "plan plus --fast --success 90",
    "plan plus room.toml",
    "plan --resume nowhere",
    "fit pixels.json",
    "fit feet.json",
    "fit order.json",
    "fit few.json",
    "map --session bench next",
    "map --session bench add pixels.json",
    "sweep make twice.toml --out sweep",
    "sweep make both.toml --out sweep",
    "sweep make glob.toml --out sweep",
    "sweep status nowhere",
    "show room.toml",
    "export nowhere --out pack",
]


def raises(module: str) -> Iterator[tuple[str, int]]:
    """Lines of a module on which an error that users see is raised with words."""
    for node in ast.walk(ast.parse((ROOT / module).read_text())):
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id="BadInput" | "MachineFault"), args=[said, *_])):
                parts = [one.value for one in ast.walk(said) if isinstance(one, ast.Constant)]
                if len(re.findall(r"[A-Za-z]{2,}", " ".join(map(str, parts)))) >= 3:
                    yield module, node.lineno


@pytest.fixture(scope="module")
def messages() -> list[Message]:
    """All messages of the program."""
    return collected()


@pytest.mark.parametrize("command", BAD)
def test_messages_of_bad_commands_are_on_the_page(
    command: str, messages: list[Message], vinewright: Vinewright, tmp_path: Path
) -> None:
    """What a command prints is one of the messages, but for names of files and keys before it, with its exit code."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    code, _, errors = vinewright(*command.split())
    said = " ".join(errors.split()).removeprefix("error: ")
    assert code == 2, said
    fits = [one for one in messages if re.search(one.regex.pattern + "$", f" {said}", re.DOTALL) and one.code == "2"]
    # The words of a message must be a good part of what was printed: a pattern of few words fits everything.
    assert any(len(constant(one.template)) > 0.1 * len(said) for one in fits), said


def test_every_message_has_an_address_of_its_own(messages: list[Message]) -> None:
    """No two messages have one, and each is of small letters, digits and hyphens, which need no escapes."""
    anchors = [one.anchor for one in messages]
    assert len({*anchors}) == len(anchors) > 500
    assert all(re.fullmatch(r"[a-z0-9_-]+", anchor) for anchor in anchors)


def test_every_message_says_what_to_do() -> None:
    """Itself, or by an entry in advice.toml; and no message stands in two topics."""
    every = [message for some in by_topic().values() for message in some]
    assert len({one.anchor for one in every}) == len(every)
    assert not [one.text for one in every if not SAYS.search(one.text) and not advice_of(one)]


def test_every_topic_is_on_the_page() -> None:
    """Each once."""
    text = PAGE.read_text()
    assert sorted(re.findall(r"^```\{messages\} (\w+)$", text, re.MULTILINE)) == sorted(by_topic())


def test_a_module_without_topic_stops_the_build() -> None:
    """It names the module; the longest path decides between two topics."""
    topics = {"one": ["planner"], "other": ["planner/runs", "environments"]}
    assert topic_of("planner/output/claim.py", topics) == "other"
    assert topic_of("planner/plan/plan.py", topics) == "one"
    with pytest.raises(KeyError, match=r"dynamics/tube\.py"):
        topic_of("dynamics/tube.py", topics)
    with pytest.raises(KeyError):
        topic_of("planner2/new.py", topics)


@pytest.mark.parametrize(
    "module", ["vinewright/commands/plan.py", "vinewright/commands/track.py", "vinewright/console/options.py"]
)
def test_no_error_of_a_module_is_missing(module: str, messages: list[Message]) -> None:
    """Each line that raises an error with words of its own is a place of a message."""
    places = {(place.module, place.line) for one in messages for place in one.places}
    lines = [*raises(module)]
    assert lines
    assert not [line for line in lines if line not in places]


@pytest.mark.parametrize(
    ("program", "markdown", "example"),
    [
        ('f"must be from {low:g} to {high:g}"', "must be from *low* to 5", "must be from 3 to 5"),
        ("f\"{path.name}: has {len(rows)} row{'s' * many}\"", "*path*: has *number* row[s]", "a.csv: has 2 rows"),
        ('"is a " + ("file" if one else "folder")', "is a [file | folder]", "is a folder"),
        (
            'f"--picture {one.two[0]} must end in .png"',
            "--picture *two* must end in .png",
            "--picture a.jpg must end in .png",
        ),
        ('f"unknown {hint(word, known)}"', "unknown [ (did you mean *word*?)]", "unknown  (did you mean b?)"),
    ],
)
def test_templates(program: str, markdown: str, example: str) -> None:
    """Constant words, names of what is filled in, values that are known, and choices; messages match their template."""
    template = template_of(ast.parse(program, mode="eval").body, {}, {"high": 5.0})
    assert template
    assert shown(template) == markdown
    assert re.fullmatch(pattern(template), example)
    assert not re.fullmatch(pattern(template), f"{example}, or another")


def test_local_names_are_followed() -> None:
    """A message that is put together in a variable first."""
    program = ast.parse('def check():\n    more = "; " + "free some"\n    raise BadInput(f"is full{more}")\n')
    raised = next(node for node in ast.walk(program) if isinstance(node, ast.Raise))
    assert isinstance(raised.exc, ast.Call)
    template = template_of(raised.exc.args[0], assigned(program), {})
    assert template
    assert shown(template) == "is full; free some"
