"""The layout of the code: which package may import which, and how long a file may be."""

import ast
import configparser
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "environments": {"environments"},
    "surrogate": {"surrogate"},
    "dynamics": {"dynamics", "environments", "surrogate"},
    "planner": {"planner", "dynamics", "environments", "surrogate"},
}
"""What each package may import of the project."""
FACE = "vinewright"
"""The package for users, which none of them imports."""
MOST_LINES, MOST_FUNCTION_LINES, MOST_ARGUMENTS = 400, 60, 8
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def module_of(path: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in SOURCES}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def imports(path: Path, at_start: bool = False) -> set[str]:
    """Modules of the project that a file imports: anywhere, or only those that are imported together with it."""
    found = set()
    for node in statements(tree(path), at_start):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            name = str(node.module)
            found |= {f"{name}.{one.name}" if f"{name}.{one.name}" in MODULES else name for one in node.names}
    return {name for name in found if name.split(".")[0] in {*PACKAGES, FACE}}


def statements(node: ast.AST, at_start: bool) -> Iterator[ast.AST]:
    """All statements below a node; at the start those in functions and in `if TYPE_CHECKING` are not run."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for one in getattr(node, block, None) or []:
            later = isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
            later |= isinstance(one, ast.If) and "TYPE_CHECKING" in ast.unparse(one.test)
            if not (at_start and later):
                yield one
                yield from statements(one, at_start)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_imports_upwards(package: str) -> None:
    """Environments and surrogate import nothing else, dynamics only these two, and none of them planner."""
    files = [path for path in SOURCES if path.is_relative_to(ROOT / package)]
    assert files
    upwards = {
        (module_of(path), name)
        for path in files
        for name in imports(path)
        if name.split(".")[0] not in PACKAGES[package]
    }
    assert not upwards


def test_nothing_imports_the_command_line() -> None:
    """`planner.cli` is only run."""
    assert "planner.cli" in MODULES
    assert not [module for module, path in MODULES.items() if "planner.cli" in imports(path)]


def test_no_modules_import_each_other_in_a_circle() -> None:
    """What is imported together with a module never leads back to it."""
    graph = {
        module: {name for name in imports(path, at_start=True) if name in MODULES} for module, path in MODULES.items()
    }
    assert sum(map(len, graph.values())) > len(graph)
    while free := [module for module, needed in graph.items() if not needed]:
        for module in free:
            del graph[module]
        for needed in graph.values():
            needed.difference_update(free)
    assert not graph, f"circles among {sorted(graph)}"


def test_no_rooms_of_planner_import_each_other_in_a_circle() -> None:
    """The folders and files right below `planner` stand above one another, studies apart from commands."""
    rooms: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        if module.startswith("planner."):
            room = module.split(".")[1]
            needed = {name.split(".")[1] for name in imports(path, at_start=True) if name.startswith("planner.")}
            rooms.setdefault(room, set()).update(needed - {room})
    while free := [room for room, needed in rooms.items() if not needed & rooms.keys()]:
        for room in free:
            del rooms[room]
    assert not rooms, f"circles among {rooms}"


def test_files_fit_a_few_screens() -> None:
    """No file of code, tests or examples has more than 400 lines."""
    files = [*SOURCES, ROOT / FACE / "__init__.py", *(ROOT / "tests").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    lines = {str(path.relative_to(ROOT)): len(path.read_bytes().splitlines()) for path in files}
    assert not {name: count for name, count in lines.items() if count > MOST_LINES}


def test_functions_fit_a_screen() -> None:
    """Outside kernels no function has more than 60 lines; none has more than 8 arguments but commands, which need one per option."""
    too_long = []
    for path in (*SOURCES, ROOT / FACE / "__init__.py"):
        command = path.is_relative_to(ROOT / "planner" / "commands")
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef) and not any("compiled" in ast.unparse(d) for d in node.decorator_list):
                named = [one for one in (*node.args.args, *node.args.kwonlyargs) if one.arg not in ("self", "cls")]
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MOST_FUNCTION_LINES or (len(named) > MOST_ARGUMENTS and not command):
                    too_long.append(f"{path.name}:{node.lineno} {node.name}: {lines} lines, {len(named)} arguments")
    assert not too_long


def test_every_folder_of_code_is_packaged() -> None:
    """Each has an __init__.py and matches what setup.cfg looks for; all of it is type-checked."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    assert settings["options"]["packages"] == "find:"
    patterns = settings["options.packages.find"]["include"].split()
    for folder in {path.parent for path in SOURCES}:
        assert (folder / "__init__.py").exists(), folder
        name = ".".join(folder.relative_to(ROOT).parts)
        assert any(fnmatch(name, pattern) for pattern in patterns), folder
    assert f"{FACE}*" in patterns
    assert settings["mypy"]["packages"].split(", ") == [*PACKAGES, FACE]
    assert all((ROOT / package / "py.typed").exists() for package in (*PACKAGES, FACE))
