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
    "vinewright": {"vinewright", "planner", "dynamics", "environments", "surrogate"},
    "studies": {"studies", "vinewright", "planner", "dynamics", "environments", "surrogate"},
}
"""Packages of the project that each package may import."""
LIBRARIES = "planner", "vinewright"
"""Packages whose folders stand above one another."""
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
    return {name for name in found if name.split(".")[0] in PACKAGES}


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
    """Studies -> vinewright -> planner -> dynamics -> environments and surrogate, and never back: so nothing imports a study."""
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
    """`vinewright.cli` is only run."""
    assert "vinewright.cli" in MODULES
    assert not [module for module, path in MODULES.items() if "vinewright.cli" in imports(path)]


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Modules imported together with a module never lead back to it."""
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


@pytest.mark.parametrize("package", LIBRARIES)
def test_no_folders_of_a_package_import_each_other_in_a_circle(package: str) -> None:
    """The folders right below a package stand above one another."""
    folders: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        if module.startswith(f"{package}."):
            folder = module.split(".")[1]
            needed = {name.split(".")[1] for name in imports(path, at_start=True) if name.startswith(f"{package}.")}
            folders.setdefault(folder, set()).update(needed - {folder})
    assert len(folders) > 3
    while free := [folder for folder, needed in folders.items() if not needed & folders.keys()]:
        for folder in free:
            del folders[folder]
    assert not folders, f"circles among {folders}"


def test_no_module_lies_loose() -> None:
    """Every module of `planner` lies in one of its folders; beside those of `vinewright` only the public face and the command line lie."""
    assert {path.name for path in (ROOT / "planner").glob("*.py")} == {"__init__.py"}
    assert {path.name for path in (ROOT / "vinewright").glob("*.py")} == {"__init__.py", "api.py", "cli.py", "torch.py"}


@pytest.mark.parametrize("package", PACKAGES)
def test_tests_lie_where_the_code_lies(package: str) -> None:
    """A folder of tests has the path of the folder that it tests."""
    folders = {path.parent for path in (ROOT / "tests" / package).rglob("test_*.py")}
    assert folders
    assert not [folder for folder in folders if not (ROOT / folder.relative_to(ROOT / "tests")).is_dir()]


def test_files_fit_a_few_screens() -> None:
    """No file of code, tests or examples has more than 400 lines."""
    files = [*SOURCES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    lines = {str(path.relative_to(ROOT)): len(path.read_bytes().splitlines()) for path in files}
    assert not {name: count for name, count in lines.items() if count > MOST_LINES}


def test_functions_fit_a_screen() -> None:
    """Outside kernels no function has more than 60 lines; none has more than 8 arguments but commands, which need one per option."""
    too_long = []
    for path in SOURCES:
        command = path.parent.name == "commands" or path.name == "command.py"
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
    assert settings["mypy"]["packages"].split(", ") == [*PACKAGES]
    assert all((ROOT / package / "py.typed").exists() for package in PACKAGES)
