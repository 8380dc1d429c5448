"""The pages of the commands: each command has one, with an example that runs at each build; exit codes are those of the program."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from vinewright.console import errors
from vinewright.console.answer import NOT_MET

DOCS = Path(__file__).parents[1] / "docs"
PAGES = DOCS / "howto" / "commands"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODES = {
    0,
    NOT_MET,
    *(
        one.exit_code
        for one in vars(errors).values()
        if getattr(one, "__module__", "") == errors.__name__ and hasattr(one, "exit_code")
    ),
}
# Extensions import one another by their bare names.
sys.path.insert(0, str(DOCS / "extensions"))
SECTIONS = "## Exit codes", "## Files", "## See also"


def extension(name: str) -> ModuleType:
    """An extension of the documentation, which is no part of a package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / "extensions" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LEAVES = dict(extension("commands").leaves())
NAMES = sorted({words[0] for words in LEAVES})


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def codes_in(text: str) -> list[int]:
    """The codes in the first column of a table."""
    return [int(code) for code in re.findall(r"^\| \[?(\d+)\]?[^|]*\|", text, re.MULTILINE)]


def test_the_commands_are_found() -> None:
    """Every command that the tests below run over is there, and nothing that a user does not see."""
    assert {("plan",), ("sweep", "make"), ("map", "--session", "DIR", "next"), ("reproduce", "table2")} <= LEAVES.keys()
    assert ("reproduce", "soak") not in LEAVES
    assert {0, 2, 3, 4, 130} == CODES


@pytest.mark.parametrize("words", [one for one in LEAVES if one[0] != "reproduce"], ids=" ".join)
def test_every_command_runs_on_its_page(words: tuple[str, ...]) -> None:
    """A cell of the page calls the command."""
    call = re.compile(r"\bvinewright " + " ".join(words).replace("DIR", r"\S+") + r"(?![\w-])")
    assert any(call.search(cell) for cell in CELL.findall(page(words[0])))


def test_a_study_runs_on_the_page_of_all() -> None:
    """The page runs a study that takes seconds; its table has all of them."""
    called = {
        name for cell in CELL.findall(page("reproduce")) for name in re.findall(r"vinewright reproduce ([\w-]+)", cell)
    }
    studies = {words[1]: command for words, command in LEAVES.items() if words[0] == "reproduce"}
    assert called
    assert called <= studies.keys()
    table = "\n".join(extension("commands")._studies([(("reproduce", name), one) for name, one in studies.items()]))
    assert re.findall(r"^\| \[?`([a-z][\w-]*)`", table, re.MULTILINE) == [*studies]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_all_parts(name: str) -> None:
    """The options from the program, exit codes, files, and where to read on; the index leads to it."""
    text, index = page(name), page("index")
    assert f"{{include}} ../../generated/commands/{name}.md" in text
    assert [line for line in text.splitlines() if line in SECTIONS] == [*SECTIONS]
    assert f"]({name}.md)" in index
    assert name in index.split("{toctree}")[1].split()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_lists_codes_of_the_program(name: str) -> None:
    """Each once, in order, with 0 and what the help mentions."""
    codes = codes_in(page(name).split("## Exit codes")[1].split("## Files")[0])
    helped = " ".join(str(command.help) for words, command in LEAVES.items() if words[0] == name)
    assert codes == sorted({*codes} & CODES)
    assert {0, *map(int, re.findall(r"[Ee]xit code (\d+)", helped))} <= {*codes}


def test_no_page_is_left_of_a_command_that_is_gone() -> None:
    """There is a command for every page but the index."""
    assert {path.stem for path in PAGES.glob("*.md")} == {*NAMES, "index"}


def test_the_page_of_exit_codes_has_those_of_the_program() -> None:
    """The table has each once, and below it each has a section with a cell that prints it."""
    text = (DOCS / "howto" / "exit-codes.md").read_text(encoding="utf-8")
    assert codes_in(text) == sorted(CODES)
    sections = {
        int(code): body
        for code, body in re.findall(r"^## (\d+): [^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    }
    assert [*sections] == sorted(CODES)
    for body in sections.values():
        assert any("vinewright" in cell and 'echo "exit code $?"' in cell for cell in CELL.findall(body))


def options_of(words: tuple[str, ...]) -> str:
    return "\n".join(extension("commands")._tables(words, LEAVES[words]))


def test_tables_have_the_defaults_and_limits_of_the_program() -> None:
    """A number with limits, one without an upper limit, a described default, a flag, an option that is required."""
    table = options_of(("plan",))
    assert "| `--batch N` | `100` | 1 to 2000 | Number of vines grown" in table
    assert "| `--seed N` | `0` | 0 or more | Seed" in table
    assert "| `--success PERCENT` | 90 |  | Share of trials" in table
    assert "| `--first` |  |  | Stop at the first solution. |" in table
    assert "| `--scale MM_PER_PX` | required |" in options_of(("track",))
    assert "allowed" not in options_of(("show",))


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_tables_have_every_option(words: tuple[str, ...]) -> None:
    """One row for each option and argument, with its help text whole."""
    rows = re.findall(r"^\| `([^`]+)`.* \| (.*) \|$", options_of(words).replace(r"\|", "/"), re.MULTILINE)
    given = [one for one in LEAVES[words].params if not one.hidden and "--help" not in one.opts]
    assert len(rows) == len(given)
    for option in given:
        assert option.help
        meanings = [meaning for name, meaning in rows if name.split()[0] in (option.opts[0], option.metavar)]
        first = re.split(r"\W+", option.help)[0]
        assert any(meaning.lstrip("`-").startswith(first) for meaning in meanings), option.name


def cell_of(heading: str, typed: str, printed: str) -> Any:
    """A page with one cell below a heading, as the documentation is built of; needs the extra `docs`."""
    pytest.importorskip("sphinx")
    from docutils import nodes
    from docutils.utils import new_document

    document, section = new_document("page"), nodes.section()
    section += nodes.title(text=heading)
    cell = nodes.container(classes=["cell"])
    for name, text in {"cell_input": typed, "cell_output": printed}.items():
        part: Any = nodes.container(classes=[name])
        part += nodes.literal_block(text, text)
        cell += part
    section += cell
    document += section
    return document


@pytest.mark.parametrize(
    ("heading", "printed", "wrong"),
    [
        ("Example", "wrote runs/plus", False),
        ("2: bad input", "error: plsu: not found\nexit code 2", False),
        ("2: bad input", "wrote runs/plus", True),
        ("3: not met", "error: plsu: not found\nexit code 2", True),
        ("13: other", "exit code 130", True),
    ],
)
def test_a_cell_ends_with_the_exit_code_of_its_heading(heading: str, printed: str, wrong: bool) -> None:
    """Otherwise the build fails."""
    built = cell_of(heading, "!vinewright", printed)
    assert bool([*extension("outputs").complaints(built)]) == wrong


class Shell:
    """A shell that changes a line as a kernel does before it is run."""

    def var_expand(self, command: str, depth: int) -> str:
        return command.replace("{name}", "ä" * depth)


def test_a_line_of_a_cell_prints_as_into_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Both streams, in order, whole letters, values of the cell; no terminal."""
    program = "import sys; print(sys.stdout.isatty(), flush=True); print('{name}', file=sys.stderr)"
    extension("shell_lines").system(Shell(), f'{sys.executable} -X utf8 -c "{program}"; false; echo "exit code $?"')
    assert capsys.readouterr().out == "False\nä\nexit code 1\n"


def test_a_line_of_a_cell_that_fails_fails_the_page() -> None:
    """Unless the line goes on with a command that succeeds."""
    with pytest.raises(RuntimeError, match=r"^echo no; exit 3 ended with exit code 3: no$"):
        extension("shell_lines").system(Shell(), "echo no; exit 3")
