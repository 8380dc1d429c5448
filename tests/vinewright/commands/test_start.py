"""How fast the command line answers: what it imports before it knows which command is asked."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import LONGEST

ROOT = Path(__file__).parents[3]
CODE = (
    "import json, sys, time\n"
    "from vinewright.cli import main\n"
    "try: main()\n"
    "except SystemExit: pass\n"
    "print('seen:', json.dumps([time.process_time(), sorted(sys.modules)]))"
)


def started(*arguments: str, folder: Path, **variables: str) -> tuple[str, float, set[str]]:
    """Run a process, and return its output, its CPU time [s], and the modules that it has imported."""
    told = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=True,
    ).stdout
    printed, _, seen = told.rpartition("seen: ")
    seconds, modules = json.loads(seen)
    return printed, seconds, set(modules)


def test_help_imports_no_command(tmp_path: Path) -> None:
    """Neither modules of commands nor rich, and in less than 0.15 s of CPU time."""
    runs = [started("--help", folder=tmp_path) for _ in range(3)]
    printed, _, modules = runs[0]
    assert "Find a design with few actuators" in printed
    assert {name for name in modules if name.startswith("vinewright.commands.")} == {"vinewright.commands.registry"}
    assert not [name for name in modules if name.split(".")[0] in ("rich", "numpy", "pydantic")]
    assert min(seconds for _, seconds, _ in runs) < 0.15


def test_a_command_imports_no_other(tmp_path: Path) -> None:
    """Its help is made from its own module."""
    printed, _, modules = started("doctor", "--help", folder=tmp_path)
    assert "Show versions" in printed
    own = {name for name in modules if name.startswith("vinewright.commands.")}
    assert own == {"vinewright.commands.registry", "vinewright.commands.doctor"}


def completed(line: str, folder: Path) -> tuple[list[str], set[str]]:
    """Return the words that the shell offers at the end of a line, and the modules that were imported for it."""
    count = len(line.split(" ")) - 1
    printed, _, modules = started(
        folder=folder, _VINEWRIGHT_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(count)
    )
    return printed.split(), modules


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("vinewright pl", ["plan"]),
        ("vinewright plan m", ["maze", "mine.toml", "more/"]),
        ("vinewright plan more/", ["more/other.toml"]),
        ("vinewright plan plus --tube ji", ["jitosho-24mm"]),
        ("vinewright simulate plus run --propagator i", ["impulse"]),
        ("vinewright plan plus --device cpu --verify g", ["geometric"]),
        ("vinewright plan plus --same", ["--same-design"]),
        ("vinewright tube show e", ["el-hussieny-50mm"]),
        ("vinewright map --session made ne", ["new", "next"]),
        ("vinewright --version pl", ["plan"]),
        ("vinewright reproduce uncertainty-r", ["uncertainty-random"]),
    ],
)
def test_the_shell_completes_a_line(line: str, offered: list[str], tmp_path: Path) -> None:
    """Commands, options, shipped names, and TOML files and folders, without importing a library of the computation."""
    (tmp_path / "more").mkdir()
    for name in ("mine.toml", "more/other.toml", "my.txt"):
        (tmp_path / name).touch()
    found, modules = completed(line, tmp_path)
    assert found == offered
    assert not modules & {"numba", "numpy", "scipy", "shapely", "torch"}


def test_all_shipped_names_are_offered() -> None:
    """Those that the files of the packages have."""
    from dynamics.registry import propagators
    from dynamics.tube_file import known_tubes
    from environments import known_environments
    from vinewright.console.completion import environment_names, propagator_names, tube_names

    offers: list[tuple[Any, list[str]]] = [(environment_names, known_environments()), (tube_names, known_tubes())]
    for offer, known in offers:
        assert offer("")[: len(known)] == known
        assert offer("nothing-begins-so") == []
    assert propagator_names("") == list(propagators())


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_with_the_printed_script(tmp_path: Path) -> None:
    """The script that --show-completion prints calls this program, and takes what it offers."""
    program = tmp_path / "vinewright"
    program.write_text(f"#!{sys.executable}\nfrom vinewright.cli import main\nmain()\n")
    program.chmod(0o755)
    script = (
        "vinewright --show-completion > script && source ./script && COMP_WORDS=(vinewright robu) COMP_CWORD=1 "
        '&& _vinewright_completion vinewright && echo "offered: ${COMPREPLY[*]}"'
    )
    variables = {"PYTHONPATH": str(ROOT), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    assert (done.returncode, done.stdout) == (0, "offered: robustness\n"), done.stderr
