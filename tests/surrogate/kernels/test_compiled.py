"""Where machine code is kept: a changed kernel must never meet code of the old one, and nothing else may discard it."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import surrogate.kernels.compiled
from surrogate.kernels.compiled import HASHED, PACKAGES, Floats, cache_folder, compiled, kernels_digest

ROOT = Path(__file__).parents[3]

KERNEL = "from surrogate.kernels.compiled import compiled\n\n@compiled()\ndef double(x):\n    return 2 * x\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small source tree with two kernels, one of them two folders deep, a named tuple, and a file without any."""
    for name, text in (
        ("dynamics/chain.py", KERNEL),
        ("planner/search/deep/arc.py", KERNEL),
        ("dynamics/model.py", "class Model(NamedTuple):\n    length: float\n    width: float\n"),
        ("planner/plots.py", "'''Says @compiled, but holds no kernel.'''\n"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize("kernel", ["dynamics/chain.py", "planner/search/deep/arc.py"])
def test_a_changed_kernel_starts_a_new_cache_folder_however_deep_it_lies(tree: Path, kernel: str) -> None:
    """Stale machine code would give wrong numbers without a word."""
    before = kernels_digest(tree)
    (tree / kernel).write_text(KERNEL.replace("2 * x", "3 * x"))
    assert kernels_digest(tree) != before


def test_named_tuples_in_a_new_order_start_a_new_cache_folder(tree: Path) -> None:
    """Their type is the same, but a kernel would take one part for the other."""
    before = kernels_digest(tree)
    (tree / "dynamics/model.py").write_text("class Model(NamedTuple):\n    width: float\n    length: float\n")
    assert kernels_digest(tree) != before


def test_a_file_without_kernels_leaves_the_cache_alone(tree: Path) -> None:
    """A comment in a plot must not cost a minute of compilation."""
    before = kernels_digest(tree)
    (tree / "planner/plots.py").write_text("'''Another text.'''\n")
    assert kernels_digest(tree) == before


def test_a_kernel_that_moves_or_goes_starts_a_new_cache_folder(tree: Path) -> None:
    """The path is part of the hash: the same text elsewhere is another kernel."""
    before = kernels_digest(tree)
    (tree / "dynamics/chain.py").rename(tree / "dynamics/links.py")
    moved = kernels_digest(tree)
    (tree / "dynamics/links.py").unlink()
    assert len({before, moved, kernels_digest(tree)}) == 3


def test_kernels_use_nothing_of_files_that_the_hash_leaves_out() -> None:
    """Numba freezes constants into machine code, so those must come from files that are hashed."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    hashed = {path for path in files if re.search(HASHED, path.read_bytes(), re.MULTILINE)}
    assert len(hashed) > 20
    outside = [found for path in hashed for found in _used_from_outside(path, hashed)]
    assert not outside, outside


def _used_from_outside(path: Path, hashed: set[Path]) -> list[str]:
    """Names of the project that kernels in a file use, and that come from files without kernels."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    source = {
        alias.asname or alias.name: ROOT / f"{node.module.replace('.', '/')}.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in PACKAGES
        for alias in node.names
    }
    return [
        f"{path.relative_to(ROOT)}: {function.name} uses {name.id} of {source[name.id].relative_to(ROOT)}"
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and any("compiled" in ast.unparse(d) for d in function.decorator_list)
        for statement in function.body
        for name in ast.walk(statement)
        if isinstance(name, ast.Name) and name.id in source and source[name.id] not in hashed
    ]


class Numbers(NamedTuple):
    """Holds no array."""

    share: float
    pair: tuple[int, bool]


class Arrays(NamedTuple):
    """Holds one."""

    number: int
    array: Floats


def returns_numbers(x: Floats) -> Numbers:
    return Numbers(x[0], (1, True))


def returns_arrays(x: Floats) -> tuple[int, Arrays]:
    return 1, Arrays(1, x)


parts: Any = None


def calls_parts(x: Floats) -> float:
    return float(parts(x)[1].array[0])


def calls_it(x: Floats) -> float:
    return float(returns_arrays(x)[1].array[0])


def allocates(x: Floats) -> float:
    return float(np.zeros(3)[0] + x[0])


def test_kernels_that_do_not_count_references_handle_no_array_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A reference lost is a crash, one too many is a leak: such a kernel is refused when it is decorated, or when it is compiled."""
    monkeypatch.setattr(surrogate.kernels.compiled, "_returning", {})
    # Machine code that an earlier run has cached would not be compiled, so not refused.
    monkeypatch.setattr(surrogate.kernels.compiled, "cache_folder", lambda: tmp_path)
    array = np.array([2.0])
    assert compiled()(returns_numbers)(array) == (2.0, (1, True))
    with pytest.raises(TypeError, match=r"returns_arrays may return arrays: compile it with counted=True"):
        compiled()(returns_arrays)
    counted = compiled(counted=True)(returns_arrays)
    before = sys.getrefcount(array)
    for _ in range(3):
        assert counted(array)[1].array[0] == 2.0
    assert sys.getrefcount(array) == before
    with pytest.raises(
        TypeError, match=r"calls_it calls returns_arrays, which returns arrays: compile it with counted"
    ):
        compiled()(calls_it)
    with pytest.raises(numba.errors.NumbaError, match="Only accept returning of array"):
        compiled()(allocates)(array)
    assert compiled(counted=True)(allocates)(array) == 2.0


def test_kernels_that_return_borrowed_arrays_are_called_only_by_kernels_that_count_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A kernel that counts would give up a reference that it never had."""
    monkeypatch.setattr(surrogate.kernels.compiled, "_returning", {})
    monkeypatch.setattr(surrogate.kernels.compiled, "cache_folder", lambda: tmp_path)
    monkeypatch.setitem(globals(), "parts", compiled(borrowed=True)(returns_arrays))
    array = np.array([2.0])
    with pytest.raises(
        TypeError, match=r"calls_parts calls returns_arrays, .*: compile returns_arrays with counted=True"
    ):
        compiled(counted=True)(calls_parts)
    kernel, before = compiled()(calls_parts), sys.getrefcount(array)
    for _ in range(3):
        assert kernel(array) == 2.0
    assert sys.getrefcount(array) == before
    assert parts(array)[1].array is array


def test_every_kernel_lies_where_the_digest_looks() -> None:
    """A kernel elsewhere could change without a new cache folder."""
    files = [path for package in (*PACKAGES, "vinewright") for path in (ROOT / package).rglob("*.py")]
    kernels = [path.relative_to(ROOT) for path in files if re.search(rb"^@compiled\b", path.read_bytes(), re.MULTILINE)]
    assert {"studies", "dynamics"} <= {path.parts[0] for path in kernels} <= {*PACKAGES}


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled at every start, as in a container with a user of any number."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(OSError, match="Not a directory"):
        cache_folder.__wrapped__().mkdir(parents=True)
