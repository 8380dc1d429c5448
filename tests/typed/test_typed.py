"""A strict project that uses the installed package: its types are all there."""

import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import vinewright as vw
from tests.waiting import LONGEST

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
ANY = re.compile(r"(^|: |-> |\| )Any(?=$|,|\)| \|)|^builtins.object$|Unresolved|\?$")
"""In a revealed type: a name, an argument or a result that is not typed."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment in which the wheel lies, beside the libraries of this one."""
    folder = tmp_path_factory.mktemp("installed")
    build = [*(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"), "-w", folder, ROOT]
    subprocess.run(build, check=True, timeout=LONGEST, capture_output=True)
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        files.extractall(packages)
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def checked(program: Path, python: Path, folder: Path) -> tuple[int, str]:
    """Return the output of mypy for a program, as strict as it can be; run where nothing but the program is found."""
    settings = ["--config-file", HERE / "mypy.ini", "--python-executable", python, "--cache-dir", python.parents[2]]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *settings, program],
        cwd=folder,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_a_strict_project_is_clean(installed: Path, tmp_path: Path) -> None:
    """It plans, simulates, tries, exports and sweeps, with a propagator and an actuator of its own."""
    assert checked(HERE / "consumer.py", installed, tmp_path) == (0, "Success: no issues found in 1 source file\n")


@pytest.mark.slow
def test_a_strict_project_is_told_its_mistakes(installed: Path, tmp_path: Path) -> None:
    """Types are not only accepted, but known: each of these lines is wrong."""
    program = tmp_path / "wrong.py"
    program.write_text(
        "import vinewright as vw\n"
        "environment = vw.load_environment(3)\n"
        "vw.plan(environment, iterations='8')\n"
        "vw.plan(environment, iteration=8)\n"
        "vw.simulate(vw.plan(environment).best, environment).tipp\n"
        "vw.robustness(None, environment, trials=0.5)\n"
        "vw.VineParams(actuator=3)\n"
    )
    code, said = checked(program, installed, tmp_path)
    assert code == 1
    assert re.findall(r"^wrong\.py:(\d+): error", said, re.MULTILINE) == list("234567"), said


@pytest.mark.slow
def test_every_public_name_has_a_type(installed: Path, tmp_path: Path) -> None:
    """None of them, of their arguments and of their results is Any."""
    names = sorted(vw.__all__)
    program = tmp_path / "names.py"
    program.write_text("import vinewright as vw\n" + "".join(f"reveal_type(vw.{name})\n" for name in names))
    code, said = checked(program, installed, tmp_path)
    assert code == 0, said
    revealed = re.findall(r'Revealed type is "(.*)"$', said, re.MULTILINE)
    assert len(revealed) == len(names)
    assert not {name: kind for name, kind in zip(names, revealed, strict=True) if ANY.search(kind)}
