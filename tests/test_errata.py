"""docs/explanation/errata.md: what it says is checked, is checked by tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/explanation/errata.md").read_text(encoding="utf-8")
TESTS = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py"))}


def test_every_test_that_is_named_exists_once() -> None:
    """A renamed or removed test would leave a correction without its check; two of one name would leave open which is meant."""
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) >= 30
    found = [name for text in TESTS.values() for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)]
    assert {name: found.count(name) for name in named} == dict.fromkeys(named, 1)


def test_every_file_that_is_named_exists_and_has_the_test_before_it() -> None:
    """A test that is said to be in a file is in that file."""
    for path in re.findall(r"`(tests/[\w/.]+)`", PAGE):
        assert (ROOT / path).exists(), path
    pairs = re.findall(r"`(test_\w+)` in\s+`(tests/[\w/.]+\.py)`", PAGE)
    assert len(pairs) > 8
    for name, path in pairs:
        assert f"def {name}(" in TESTS[ROOT / path], (name, path)
