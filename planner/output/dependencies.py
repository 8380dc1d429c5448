"""Dependencies of a result: hashes of our modules and data files that it uses, so that a later program can tell whether it still holds.

One rule says which modules: those that the study's module imports, directly or through others, also within functions, except

* modules that only write or show: of the packages in `SHOWING`, and with a name that ends in `plots` or `report`;
* propagators that are never named: of `dynamics.registry`, the first is the default, and another counts if a module that counts, or the
  command, has its name as a text, or if a study lists them all.

A hash covers what a module computes, not comments, docstrings, the text of help, and formatting. Data files count if they are shipped and
named (or all of them are listed), or if the command names them.
"""

from __future__ import annotations

import ast
import hashlib
import json
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
"""The folder of the packages."""
PACKAGES = ("environments", "surrogate", "dynamics", "planner", "vinewright", "studies")
SHOWING = ("planner.output", "planner.drawing", "vinewright.console", "vinewright.commands", "vinewright.cluster")
"""Packages whose modules write, show or distribute what others compute."""
REGISTRY = "dynamics.registry"
"""The module that imports each propagator in the case of its name."""
LISTING = {"propagators": REGISTRY, "known_environments": "environments"}
"""Functions that list everything of a kind, which a study then uses, by their module."""
SHIPPED = ("environments/*.toml", "dynamics/tubes/*.toml", "surrogate/weights/*.json")
"""Data files that modules read by name."""
DIGITS = 12
"""Number of hexadecimal digits of a hash."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Hashes of what a result depends on."""

    module: str
    """The module that defines the study; empty if the dependencies are unknown."""
    modules: dict[str, str] = field(default_factory=dict)
    """Hash of each module, by name."""
    inputs: dict[str, str] = field(default_factory=dict)
    """Hash of each data file, by its path, or by its placeholder in the command."""

    @classmethod
    def of(cls, content: Any) -> Dependencies:
        """Return what `content` returned; unknown dependencies for anything else."""
        if not isinstance(content, Mapping) or not content.get("module"):
            return cls("")
        return cls(str(content["module"]), dict(content.get("modules", {})), dict(content.get("inputs", {})))

    def content(self) -> dict[str, Any] | None:
        """Return the value for the data of a result; None if unknown."""
        return {"module": self.module, "modules": self.modules, "inputs": self.inputs} if self.module else None

    def changes(self, command: str, root: Path = ROOT) -> list[str]:
        """Return names of modules and data files that are different now, sorted; those that a result does not use yet or any more too.

        Inputs that are not here are not compared.

        Args:
            command: The command that made the result.
            root: Folder to which paths in the command are relative.
        """
        if not (ROOT / self.module.replace(".", "/")).with_suffix(".py").exists():
            return [self.module]
        now = find_dependencies(self.module, command, {}, root)
        found = {name for name in {*self.modules, *now.modules} if self.modules.get(name) != now.modules.get(name)}
        absent = {name for name in self.inputs if name not in now.inputs and not (root / name).exists()}
        names = {*self.inputs, *now.inputs} - absent
        return sorted(found | {name for name in names if self.inputs.get(name) != now.inputs.get(name)})


def find_dependencies(
    module: str, command: str, inputs: Mapping[str, Path] | None = None, root: Path | None = None
) -> Dependencies:
    """Find what a result depends on, in the source as it is now.

    Args:
        module: The module that defines the study, for example `studies.snaps.command`; empty for unknown dependencies.
        command: The command line, which names propagators and files.
        inputs: Files and folders of the user, by their placeholder in the command.
        root: Folder to which paths in the command are relative; None for the current one.
    """
    if not module:
        return Dependencies("")
    words = {word for part in shlex.split(command) for word in part.split(",")}
    found = find_modules(module, words)
    files = {path.relative_to(ROOT).as_posix(): path for path in _find_shipped(found, words)}
    files |= {word: path for word in words if (path := _find_named(root or Path(), word))}
    return Dependencies(
        module,
        {name: hash_source(_path(name).read_text(encoding="utf-8")) for name in sorted(found)},
        {name: _hash_file(path) for name, path in sorted({**files, **(inputs or {})}.items())},
    )


def find_modules(module: str, words: set[str] | frozenset[str] = frozenset()) -> set[str]:
    """Find the modules that a study depends on, by the rule at the top of this file.

    Args:
        words: Words of the command, which may name propagators.
    """
    known = set(words)
    while True:
        found = _reach(module, known)
        named = known.union(*(_texts(name) for name in found if name != REGISTRY))
        if any("propagators" in _listed(name) for name in found):
            named |= _choices().keys()
        named &= _choices().keys() | words
        if named == known:
            return found
        known = named


def _reach(module: str, named: set[str]) -> set[str]:
    """Modules on the ways from a module, through the named propagators only."""
    found, ahead = {module}, [module]
    while ahead:
        here = ahead.pop()
        names = _imports(here)
        if here == REGISTRY:
            default = next(iter(_choices()))
            names = names.difference(
                *(set(homes) for name, homes in _choices().items() if name not in (*named, default))
            )
        for name in names - found:
            if not shows(name):
                found.add(name)
                ahead.append(name)
    return found


def shows(module: str) -> bool:
    """Return whether a module only writes or shows results."""
    return module.endswith(("plots", "report")) or module.startswith(SHOWING)


def _path(module: str) -> Path:
    path = ROOT / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES and _path(module).exists()


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_path(module).read_bytes())


def _run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, without those that only the type checker reads."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield child
            yield from _run_nodes(child)


def _imported(node: ast.AST) -> set[str]:
    """Our modules that the statements below a node import."""
    names = set()
    for one in _run_nodes(node):
        if isinstance(one, ast.Import):
            names |= {alias.name for alias in one.names}
        elif isinstance(one, ast.ImportFrom):
            inner = [f"{one.module}.{alias.name}" for alias in one.names]
            names |= {name if _is_ours(name) else str(one.module) for name in inner}
    return {name for name in names if _is_ours(name)}


@cache
def _imports(module: str) -> frozenset[str]:
    return frozenset(_imported(_tree(module)))


@cache
def _texts(module: str) -> frozenset[str]:
    """All texts in a module."""
    constants = (node.value for node in ast.walk(_tree(module)) if isinstance(node, ast.Constant))
    return frozenset(value for value in constants if isinstance(value, str))


@cache
def _listed(module: str) -> frozenset[str]:
    """Functions of `LISTING` that a study or command imports."""
    if not module.startswith(("studies.", "vinewright.")):
        return frozenset()
    imports = (node for node in _run_nodes(_tree(module)) if isinstance(node, ast.ImportFrom))
    return frozenset(one.name for node in imports for one in node.names if LISTING.get(one.name) == node.module)


@cache
def _choices() -> dict[str, frozenset[str]]:
    """Modules of each propagator that the registry imports by its name."""
    cases = (node for node in ast.walk(_tree(REGISTRY)) if isinstance(node, ast.match_case))
    return {
        str(case.pattern.value.value): frozenset(_imported(case))
        for case in cases
        if isinstance(case.pattern, ast.MatchValue) and isinstance(case.pattern.value, ast.Constant)
    }


def _find_shipped(modules: set[str], words: set[str]) -> Iterator[Path]:
    """Shipped data files that modules or words name, with or without the ending."""
    texts = words.union(*map(_texts, modules))
    every = any("known_environments" in _listed(module) for module in modules)
    for pattern in SHIPPED:
        for path in sorted(ROOT.glob(pattern)):
            if {path.stem, path.name} & texts or (every and path.parent.name == "environments"):
                yield path


def _find_named(root: Path, word: str) -> Path | None:
    """Return the file that a word of a command names: one with a path, or the design in a folder; None if it names none."""
    for path in (root / word, root / word / "design.json"):
        if "/" in word and not Path(word).is_absolute() and path.is_file():
            return path
    return None


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:DIGITS]


def _hash_file(path: Path) -> str:
    """Hash of the content of a file, of TOML and JSON without formatting; of a folder, of all its files."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return _hash("".join(f"{file.relative_to(path)} {_hash(file.read_bytes())}\n" for file in files).encode())
    content = path.read_bytes()
    if path.suffix == ".toml":
        content = json.dumps(tomllib.loads(content.decode()), sort_keys=True, default=str).encode()
    elif path.suffix == ".json":
        content = json.dumps(json.loads(content), sort_keys=True).encode()
    return _hash(content)


@cache
def hash_source(source: str) -> str:
    """Return the hash of a module's source, without comments, docstrings, help texts and formatting; the same in all versions of Python."""
    return _hash(_describe(ast.parse(source)).encode())


def _describe(node: object) -> str:
    """Text for the content of a node."""
    if isinstance(node, list):
        return f"[{','.join(_describe(one) for one in node if not _is_prose(one))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, value) for name, value in ast.iter_fields(node) if value not in (None, []) and name != "kind")
    return f"{type(node).__name__}({','.join(f'{name}={_describe(value)}' for name, value in fields)})"


def _is_prose(node: object) -> bool:
    """Whether an item is a docstring, of anything, or the text of the help of an option."""
    if isinstance(node, ast.keyword):
        return node.arg == "help"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
