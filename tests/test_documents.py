"""The Python that README and docs show: every block runs, in a namespace and a folder of its own."""

import re
from pathlib import Path

import matplotlib as mpl
import pytest

pytestmark = pytest.mark.usefixtures("small_pictures")

ROOT = Path(__file__).parents[1]
LONG = re.compile(r"vw\.sweep\(|vw\.plan\(|Run\.prepare\(")
"""In blocks that are slow: others plan too. `tests/planner/sweep/test_manifest.py` calls the function that starts processes."""
WHOLE = "vw.resume("
"""In the block that plans, simulates, saves and resumes: it is not slow."""
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    """Where each block begins, and what is in it."""
    found = []
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        text = path.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            found.append((f"{path.relative_to(ROOT)}:{line}", "\n" * (line - 1) + match.group(1)))
    return found


def slow(program: str) -> bool:
    return bool(LONG.search(program)) and WHOLE not in program


@pytest.mark.parametrize(
    ("where", "program"),
    [pytest.param(*block, id=block[0], marks=pytest.mark.slow if slow(block[1]) else ()) for block in blocks()],
)
def test_a_block_runs(where: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if copied into a file; pictures are drawn without a screen, and plans that have some seconds get one."""
    monkeypatch.chdir(tmp_path)
    program = re.sub(r"\bseconds=\d+", "seconds=1", program)
    mpl.use("agg")
    exec(compile(program, str(ROOT / where.split(":")[0]), "exec"), {"__name__": "__main__"})
