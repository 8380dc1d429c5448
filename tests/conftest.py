"""Fixtures of tests of several packages: things that are costly to build, built once."""

import gc
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

from dynamics.moment import JointMoments, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles, known_environments, load_environment
from environments.obstacles import box_corners
from planner.design.design import Design, Section
from surrogate.kernels.kernel import Kernel
from vinewright.cli import main

MakeEnvironment = Callable[..., Environment]
Table = dict[str, np.ndarray]
Vinewright = Callable[..., tuple[int, str, str]]
SECTIONS = (
    Section(0.0, 0.2, "none", 0.0, 0.0, 0.0),
    Section(0.2, 0.6, "left", 2.0, 0.04, 25e3),
    Section(0.6, 0.7, "none", 0.0, 0.0, 0.0),
    Section(0.7, 1.0, "right", 1.5, 0.03, 20e3),
)


def pytest_configure() -> None:
    """Ctrl-C works in tests and in what they start: a shell that starts the suite with `&` has all of them ignore it."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection() -> None:
    """The collector of garbage would look through thousands of tests again and again, while they are made and ever after."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `gpu` are for machines that have one."""
    if item.get_closest_marker("gpu") and not pytest.importorskip("torch").cuda.is_available():
        pytest.skip("PyTorch finds no CUDA device")


@pytest.fixture(scope="session", autouse=True)
def kernels_compile_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A kernel that both processes need at once is compiled by one of them: the other waits, and finds it in the cache."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    folder, compile_kernel = tmp_path_factory.getbasetemp().parent, Kernel.compile

    def compile_once(self: Kernel, signature: Any) -> Any:
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}.lock"
        # Another thread must not hold numba's own lock while it waits for this file.
        with global_compiler_lock, (folder / name).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return compile_kernel(self, signature)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "compile", compile_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_refinement() -> Iterator[None]:
    """Plans refine in a few worlds and generations, with a few trials: what they do is the same."""
    from planner.plan import effort

    quick = effort.Effort(
        levels=(2, 4), heat=1, generations=2, patience=0, inserted=4, chosen_trials=40, other_trials=20, block=20
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effort, "DEFAULT_EFFORT", quick)
        yield


@pytest.fixture(scope="module")
def small_pictures() -> Iterator[None]:
    """Pictures have few pixels, for tests that draw without looking at them: pixels are a third of the time of a small plan."""
    from matplotlib.figure import Figure

    from planner.drawing import animation, plan

    few, savefig = 30, Figure.savefig

    def saved(self: Figure, path: Any, *, dpi: float = few, **options: Any) -> None:
        savefig(self, path, dpi=min(dpi, few), **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", saved)
        patch.setattr(plan, "PLAN_DPI", few)
        patch.setattr(animation, "GIF_DPI", few)
        yield


@pytest.fixture(scope="session")
def reference() -> Callable[[str], Table]:
    """Columns of a table in tests/data, by name."""

    def read(name: str) -> Table:
        table = np.genfromtxt(Path(__file__).parent / "data" / f"{name}.csv", delimiter=",", names=True)
        return {column: table[column] for column in table.dtype.names or ()}

    return read


@pytest.fixture
def single_thread() -> Iterator[None]:
    """PyTorch on one thread: with two, a busy machine makes small tensors take ten times as long."""
    from surrogate.network import one_thread

    with one_thread():
        yield


@pytest.fixture(scope="session")
def params() -> VineParams:
    """The tube of paper 002."""
    return VineParams()


@pytest.fixture(scope="session")
def thin() -> VineParams:
    """The tube of paper 002 with actuators that need no room beside it, as in most propagators and references."""
    return VineParams(thickness_share=0.0)


@pytest.fixture(scope="session")
def joint(params: VineParams) -> JointMoments:
    """Tables of the default tube and its actuators."""
    return joint_moments(params)


@pytest.fixture(scope="session")
def shipped() -> dict[str, Environment]:
    """The environments that come with the package."""
    return {name: load_environment(name) for name in known_environments()}


@pytest.fixture(scope="session")
def quasistatic(shipped: dict[str, Environment], params: VineParams) -> Callable[[str], QuasiStatic]:
    """The default propagator in a shipped environment."""
    built: dict[str, QuasiStatic] = {}

    def get(name: str) -> QuasiStatic:
        if name not in built:
            built[name] = QuasiStatic(shipped[name], params)
        return built[name]

    return get


@pytest.fixture(scope="session")
def environment() -> MakeEnvironment:
    """A bare environment with the given obstacles, walls with round ends; lengths in metres."""

    def make(
        polygons: Sequence[Sequence[Sequence[float]]] = (),
        boxes: Sequence[Sequence[float]] = (),
        circles: Sequence[Sequence[float]] = (),
        walls: Sequence[Sequence[float]] = (),
        start: Sequence[float] = (0.0, 0.0, 0.0),
        bounds: Sequence[float] = (-1.5, -1.5, 1.5, 1.5),
    ) -> Environment:
        obstacles = Obstacles(polygons, circles, walls, boxes, ends="round")
        return Environment(
            "bare", "", np.array(bounds, float), np.array(start, float), np.array([0.0, 0.0, 0.1]), obstacles
        )

    return make


@pytest.fixture(scope="session")
def small_environment() -> Callable[[str], str]:
    """The file of a small environment in which a design is found at once, with the boxes given [mm]."""

    def text(boxes: str) -> str:
        return (
            'schema = 1\nunit = "mm"\nbounds = { min = [0, 0], max = [700, 500] }\n'
            "start = { position = [60, 200], heading_deg = 0 }\ngoal = { position = [500, 230], radius = 60 }\n"
            f"obstacles = {{ boxes = {boxes} }}\n"
        )

    return text


@pytest.fixture(scope="session")
def small_file(tmp_path_factory: pytest.TempPathFactory, small_environment: Callable[[str], str]) -> Path:
    """A small environment with one box, in a file."""
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(small_environment("[[250, 300, 300, 500]]"))
    return path


@pytest.fixture
def vinewright(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Vinewright:
    """The command line, run in an empty folder; exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["vinewright", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture(scope="session")
def room() -> Environment:
    """A wide room with a block and a disc beside the way, and a thin wall; three objects."""
    obstacles = Obstacles(
        (box_corners(0.3, -0.4, 0.4, -0.2),), [[0.6, 0.6, 0.2]], [[1.2, -1.0, 1.2, -0.5, 0.01]], ends="round"
    )
    bounds, goal = np.array([-1.0, -1.5, 2.0, 1.5]), np.array([0.8, 0.3, 0.1])
    return Environment("room", "", bounds, np.zeros(3), goal, obstacles)


@pytest.fixture(scope="session")
def design(room: Environment) -> Design:
    """A tube with one actuator on each side."""
    return Design("room", room.sha256, VineParams(), SECTIONS, np.zeros(3), np.zeros((1, 2)))
