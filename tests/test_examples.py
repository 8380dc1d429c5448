"""The examples run, each in an empty folder, and write nothing elsewhere."""

import ast
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
WRITTEN = {
    "01_plan": {"runs"},
    "02_own_environment": {"workbench.toml"},
    "06_custom_plot": {"custom.png"},
    "07_export": {"workshop"},
    "08_sweep": {"runs"},
}
"""List the files that an example leaves in the current folder."""
LONG = dict.fromkeys(
    [
        *("01_plan", "03_own_tube", "04_compare_propagators", "05_robustness"),
        *("06_custom_plot", "07_export", "08_sweep", "10_derivatives"),
    ],
    pytest.mark.slow,
)
"""The functions that these call are called by shorter examples too: in docstrings, or in the Python blocks of the documents."""


def test_examples_are_numbered() -> None:
    """From 01 to 10, without a gap."""
    assert [path.name[:3] for path in EXAMPLES] == [f"{number:02}_" for number in range(1, 11)]


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_an_example_is_short_and_says_what_it_is_for(path: Path) -> None:
    """A docstring, and one `main` of less than 60 lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (main,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert ast.get_docstring(tree)
    assert main.name == "main"
    assert int(main.end_lineno or 0) - main.lineno < 60


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem, marks=LONG.get(path.stem, ())) for path in EXAMPLES])
def test_an_example_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It finds a design, and leaves in the current folder what it says."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr().out
    assert printed
    assert "no design" not in printed
    assert {entry.name for entry in tmp_path.iterdir()} == WRITTEN.get(path.stem, set())
