"""Files of a run that are whole, with valid checksums, and contain bad values: refused in one line, or used; never a traceback."""

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vinewright as vw

Vinewright = Callable[..., tuple[int, str, str]]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_pictures")]


@pytest.fixture(scope="module")
def run(small_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with all stages."""
    folder = tmp_path_factory.mktemp("full") / "run"
    vw.plan(vw.load_environment(small_file), iterations=4, batch=20, seed=7).save(folder)
    return folder


def spoiled(array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The array with a bad value, of another length, or of another kind."""
    made: list[np.ndarray[Any, Any]] = [array[:0], np.concatenate([array, array]) if array.ndim else array]
    if array.dtype.kind == "f" and array.size:
        for value in (np.nan, np.inf, -1e30):
            other = array.copy()
            other.flat[array.size // 2] = value
            made.append(other)
        made.append(np.full_like(array, np.nan))
    if array.dtype.kind in "iu" and array.size:
        for number in (np.iinfo(array.dtype).max, np.iinfo(array.dtype).min):
            other = array.copy()
            other.flat[array.size // 2] = number
            made.append(other)
    made.append(array.astype("U8") if array.dtype.kind in "fiub" else np.zeros(3))
    return made


def changed_facts(text: str) -> list[str]:
    """The facts of a file with one value replaced by others."""
    facts, made = json.loads(text), []
    for key in facts:
        for value in (None, -1, 1e308, "x", [], {}):
            made.append(json.dumps(facts | {key: value}))
    return made


def mutations(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The contents of a file of arrays, each with one fault, and its name."""
    with np.load(path) as file:
        content = {name: file[name] for name in file.files}
    made = []
    for name, array in content.items():
        others: list[Any] = spoiled(array) if array.ndim else []
        if array.dtype.kind in "SU" or name == "facts":
            text = bytes(array.tobytes()).decode() if array.dtype == np.uint8 else str(array)
            with suppress(ValueError):
                others = [
                    np.frombuffer(one.encode(), np.uint8) if array.dtype == np.uint8 else np.array(one)
                    for one in changed_facts(text)
                ]
        made += [(f"{name} {k}", {**content, name: other}) for k, other in enumerate(others)]
    return made


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("checkpoint.npz", ("plan", "--resume", "run", "--iterations", 5, "--fast")),
        ("friction-1.npz", ("plan", "--resume", "run", "--iterations", 4)),
        ("refinement.npz", ("plan", "--resume", "run", "--iterations", 4)),
        ("checkpoint.npz", ("show", "run/checkpoint.npz")),
        ("refinement.npz", ("show", "run/refinement.npz")),
        ("trials.npz", ("show", "run/trials.npz")),
        ("trajectory.npz", ("show", "run/trajectory.npz")),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_a_file_of_arrays_with_a_bad_value(
    vinewright: Vinewright, run: Path, tmp_path: Path, name: str, words: tuple[object, ...]
) -> None:
    """Exit code 2 and one line that names the file, or the plan goes on with what is valid."""
    wrong = []
    for fault, content in mutations(run / name):
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        shutil.copytree(run, tmp_path / "run")
        np.savez(tmp_path / "run" / name, **content)
        try:
            code, _, errors = vinewright(*words)
        except Exception as error:
            wrong.append(f"{fault}: {error!r}")
            continue
        if code not in (0, 2, 3) or errors.count("\n") > 1 or "Warning" in errors:
            wrong.append(f"{fault}: {code} {errors}")
    assert not wrong, "\n".join(wrong)
