"""The Python that README and docs show: every block runs, in a namespace and a folder of its own."""

import re
from pathlib import Path

import matplotlib as mpl
import pytest

pytestmark = pytest.mark.usefixtures("small_pictures")

ROOT = Path(__file__).parents[1]
SWEEP = (pytest.mark.slow,)
"""Marks of blocks that start processes; `tests/vinewright/sweeps/test_manifest.py` calls the same function."""
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


@pytest.mark.parametrize(
    ("where", "program"),
    [pytest.param(*block, id=block[0], marks=SWEEP * ("vw.sweep(" in block[1])) for block in blocks()],
)
def test_a_block_runs(where: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each runs as if copied into a file; pictures are drawn without a screen, and plans that have some seconds get one."""
    monkeypatch.chdir(tmp_path)
    program = re.sub(r"\bseconds=\d+", "seconds=1", program)
    mpl.use("agg")
    exec(compile(program, str(ROOT / where.split(":")[0]), "exec"), {"__name__": "__main__"})
