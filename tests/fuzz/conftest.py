"""Fixtures of the fuzz tests: run the command line in this process, check it against the README, and count examples."""

import contextlib
import io
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from dynamics.recording import InvalidRecording, load_recording
from vinewright.cli import main

ENVIRONMENT = (
    'schema = 1\nunit = "mm"\nbounds = { min = [0, 0], max = [1500, 1000] }\n'
    "start = { position = [100, 500], heading_deg = 0 }\ngoal = { position = [1300, 500], radius = 150 }\n"
    "[obstacles]\ncircles = [[700, 100, 80]]\n"
)
DESIGN = {
    "schema": 1,
    "environment": {"name": "fair", "sha256": "0" * 64},
    "tube": {"radius_mm": 33.35, "growth_pressure_kpa": 10.3, "length_mm": 1200},
    "actuator": {"type": "spam", "constriction_radius_mm": 5, "tube_radius_mm": 17.18},
    "sections": [
        {"start_mm": 0, "end_mm": 300, "side": "left", "curvature_per_m": 0.5, "l0_mm": 30, "pressure_kpa": 8},
        {"start_mm": 300, "end_mm": 1200, "side": "none", "curvature_per_m": 0, "l0_mm": 0, "pressure_kpa": 0},
    ],
    "predicted": {"tip_mm": [1300, 500], "heading_deg": 0, "centerline_mm": [[100, 500], [700, 520], [1300, 500]]},
    "cost": {"actuators": 1, "length_mm": 1200},
}
Ran = tuple[int, str]
RunCommand = Callable[..., Ran]
_COUNTS: pytest.StashKey[dict[str, Counter[str]]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--counts", metavar="FILE", help="Write how many examples ended in which exit code, as JSON.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--counts", None) and config.getoption("numprocesses", None):
        raise pytest.UsageError("--counts needs -n 0: processes do not know of each other's examples")
    config.stash[_COUNTS] = defaultdict(Counter)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if path := session.config.getoption("--counts", None):
        kinds = {kind: dict(sorted(codes.items())) for kind, codes in sorted(session.config.stash[_COUNTS].items())}
        Path(path).write_text(json.dumps({"schema": 1, "kinds": kinds}, indent=1) + "\n")


@pytest.fixture(autouse=True)
def threads_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own a command of sweeps sets the number of threads; here, other tests follow."""
    monkeypatch.setattr("vinewright.commands.sweep.use_one_thread", lambda: None)


@pytest.fixture(scope="session")
def count(pytestconfig: pytest.Config) -> Callable[[str, int], None]:
    """Function that counts an example of a kind by its exit code."""

    def note(kind: str, code: int) -> None:
        pytestconfig.stash[_COUNTS][kind][str(code)] += 1

    return note


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a valid environment, a valid design, and invalid files."""
    path = tmp_path_factory.mktemp("fuzz")
    (path / "fair.toml").write_text(ENVIRONMENT)
    (path / "fair.json").write_text(json.dumps(DESIGN))
    (path / "file.txt").write_text("hello")
    return path


@pytest.fixture(scope="session")
def held(count: Callable[[str, int], None]) -> Callable[[str, int, str], None]:
    """Function that checks an exit code and the error stream against the README, and counts the example."""

    def hold(kind: str, code: int, errors: str) -> None:
        assert code in (0, 2, 3)
        assert errors.count("\n") == (code == 2), errors
        assert errors.startswith("error: ") == (code == 2), errors
        assert len(errors) < 1500
        assert not any(ord(letter) < 32 for letter in errors.removesuffix("\n")), errors
        count(kind, code)

    return hold


@pytest.fixture(scope="session")
def run(folder: Path, held: Callable[[str, int, str], None]) -> RunCommand:
    """Function that runs a command line in `folder`, like `main`, and checks it against the README."""

    def call(kind: str, *arguments: object) -> Ran:
        out, errors = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.chdir(folder), contextlib.ExitStack() as streams:
            patch.setattr("sys.argv", ["vinewright", *map(str, arguments)])
            streams.enter_context(contextlib.redirect_stdout(out))
            streams.enter_context(contextlib.redirect_stderr(errors))
            with pytest.raises(SystemExit) as ended:
                main()
        assert isinstance(ended.value.code, int)
        held(kind, ended.value.code, errors.getvalue())
        return ended.value.code, out.getvalue()

    return call


@pytest.fixture(scope="session")
def read_recording(folder: Path, held: Callable[[str, int, str], None]) -> Callable[[bytes], int]:
    """Function that reads bytes as a recording, like `fit`, and returns the exit code that `fit` would have."""

    def read(data: bytes) -> int:
        path, errors = folder / "recording.json", ""
        path.write_bytes(data)
        try:
            load_recording(path)
        except InvalidRecording as error:
            errors = f"error: {' '.join(str(error).split())}\n"
        held("recordings, read", 2 if errors else 0, errors)
        return 2 if errors else 0

    return read
