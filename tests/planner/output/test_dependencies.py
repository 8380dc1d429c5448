"""Dependencies of a result: modules and files that count, and which changes of them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.output import dependencies
from planner.output.dependencies import Dependencies, find_dependencies, find_modules, hash_source, shows

COMMAND = "vinewright reproduce lengths"
PROGRAM = {
    "studies/lengths/command.py": (
        '"""Command."""\n'
        "from vinewright.console.study import Study\n"
        "def lengths():\n"
        "    from studies.lengths.report import report\n"
        "    from studies.lengths.study import measure\n"
    ),
    "studies/lengths/study.py": (
        '"""Study."""\n'
        "from typing import TYPE_CHECKING\n"
        "from planner import ruler\n"
        "if TYPE_CHECKING:\n"
        "    from planner.clock import Clock\n"
        "def measure(scale=2):  # doubled\n"
        '    """Measure."""\n'
        "    return ruler.LENGTH * scale\n"
    ),
    "studies/lengths/report.py": '"""Report."""\nfrom planner.clock import now\n',
    "planner/__init__.py": "",
    "planner/ruler.py": "from dynamics.registry import load\nLENGTH = 3\n",
    "planner/clock.py": "now = 0\n",
    "dynamics/registry.py": (
        "def load(name):\n"
        "    match name:\n"
        "        case 'exact':\n"
        "            from dynamics.exact import Exact\n"
        "        case 'rough':\n"
        "            from dynamics.rough import Rough\n"
    ),
    "dynamics/exact.py": "Exact = 1\n",
    "dynamics/rough.py": "Rough = 1\n",
    "vinewright/console/study.py": "from planner.clock import now\nStudy = 0\n",
    "environments/plus.toml": "width = 1\n",
}
"""A small program with a study, whose registry has two propagators."""


def forget() -> None:
    for one in (
        dependencies._tree,
        dependencies._imports,
        dependencies._texts,
        dependencies._listed,
        dependencies._choices,
    ):
        one.cache_clear()


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the small program, which is then the program that is looked at."""
    for name, text in PROGRAM.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(dependencies, "ROOT", tmp_path)
    forget()
    yield tmp_path
    forget()


def changes_after(program: Path, name: str, text: str, command: str = COMMAND) -> list[str]:
    """Names of what changed when a file got another text."""
    made = find_dependencies("studies.lengths.command", command, {}, program)
    (program / name).write_text(text)
    forget()
    return Dependencies.of(json.loads(json.dumps(made.content()))).changes(command, program)


@pytest.mark.usefixtures("program")
def test_what_a_study_imports_counts() -> None:
    """Also through other modules and in functions; not what writes and shows, what only types need, and what is never named."""
    assert find_modules("studies.lengths.command") == {
        *("studies.lengths.command", "studies.lengths.study", "planner.ruler"),
        *("dynamics.registry", "dynamics.exact"),
    }


@pytest.mark.usefixtures("program")
def test_a_propagator_counts_if_it_is_named() -> None:
    """By the command, or by a module that counts."""
    assert "dynamics.rough" in find_modules("studies.lengths.command", {"rough"})


def test_a_module_names_a_propagator(program: Path) -> None:
    """Then all that it imports counts too."""
    assert changes_after(program, "planner/ruler.py", PROGRAM["planner/ruler.py"] + "MODEL = 'rough'\n") == [
        *("dynamics.rough", "planner.ruler")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "from dynamics.registry import load\n\n\nLENGTH = (3)  # [m]\n",
        '"""A ruler."""\n\nfrom dynamics.registry import load\nLENGTH = 3\n"""Its length."""\n',
    ],
)
def test_comments_docstrings_and_formatting_do_not_count(program: Path, text: str) -> None:
    """A result stays current when only these change."""
    assert changes_after(program, "planner/ruler.py", text) == []


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("planner/ruler.py", "from dynamics.registry import load\nLENGTH = 4\n", ["planner.ruler"]),
        (
            "studies/lengths/study.py",
            PROGRAM["studies/lengths/study.py"].replace("scale=2", "scale=3"),
            ["studies.lengths.study"],
        ),
        ("dynamics/exact.py", "Exact = 2\n", ["dynamics.exact"]),
        ("dynamics/rough.py", "Rough = 2\n", []),
        ("planner/clock.py", "now = 1\n", []),
        ("studies/lengths/report.py", "x = 1\n", []),
        ("vinewright/console/study.py", "Study = 1\n", []),
        ("environments/plus.toml", "width = 2\n", []),
    ],
)
def test_only_what_counts_makes_a_result_stale(program: Path, name: str, text: str, changed: list[str]) -> None:
    """A default, a constant, or the default propagator does; another one, the report, and the console do not."""
    assert changes_after(program, name, text) == changed


def test_data_files_count_if_they_are_named(program: Path) -> None:
    """A shipped file by its content, without formatting; a file of the user by its path, while it is here."""
    command = f"{COMMAND} --env plus --env examples/pegs.toml"
    (program / "examples").mkdir()
    (program / "examples" / "pegs.toml").write_text("pegs = 2\n")
    made = find_dependencies("studies.lengths.command", command, {}, program)
    assert set(made.inputs) == {"environments/plus.toml", "examples/pegs.toml"}
    assert changes_after(program, "environments/plus.toml", "width   = 1  # m\n", command) == []
    assert changes_after(program, "environments/plus.toml", "width = 2\n", command) == ["environments/plus.toml"]
    assert changes_after(program, "examples/pegs.toml", "pegs = 3\n", command) == ["examples/pegs.toml"]
    (program / "examples" / "pegs.toml").unlink()
    assert made.changes(command, program) == ["environments/plus.toml"]


def test_recordings_count_by_their_content(program: Path, tmp_path: Path) -> None:
    """Every file in a folder of the user has a part in the hash, and what is not here is not compared."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "one.json").write_text("[1]")
    command = f"{COMMAND} --recordings DIR"
    made = find_dependencies("studies.lengths.command", command, {"DIR": folder}, program)
    (folder / "one.json").write_text("[2]")
    again = find_dependencies("studies.lengths.command", command, {"DIR": folder}, program)
    assert made.inputs["DIR"] != again.inputs["DIR"]
    assert made.changes(command, program) == []


def test_help_is_not_part_of_a_hash() -> None:
    """Texts of options do not change what is computed; their defaults do."""
    assert hash_source("x = Option(1, help='one')") == hash_source("x = Option(1, help='two')")
    assert hash_source("x = Option(1)") != hash_source("x = Option(2)")
    assert hash_source("x = ('one')") != hash_source("x = ('two')")


def test_no_study_depends_on_everything() -> None:
    """None on what writes or shows; a motion of one arc on few modules, planning on less than half of the program."""
    sizes = {
        name: find_modules(f"studies.{name}.command") for name in ("euler_lagrange", "tip_steering", "uncertainty")
    }
    ours = sum(len([*(dependencies.ROOT / package).rglob("*.py")]) for package in dependencies.PACKAGES)
    assert len(sizes["euler_lagrange"]) < 20
    assert len(sizes["uncertainty"]) < ours / 2
    for modules in sizes.values():
        assert not [name for name in modules if shows(name)]
    assert {"dynamics.quasistatic.propagator"} <= sizes["tip_steering"]
    assert not {"dynamics.penalty.propagator", "dynamics.geometric.propagator"} & sizes["tip_steering"]
    assert {"dynamics.penalty.propagator", "dynamics.impulse.propagator"} <= sizes["uncertainty"]


def test_a_study_that_lists_the_propagators_depends_on_all() -> None:
    """Their names do not matter."""
    modules = find_modules("studies.validation.command")
    assert {
        f"dynamics.{name}.propagator" for name in ("quasistatic", "penalty", "impulse", "geometric", "euler_lagrange")
    } <= modules
