"""A kernel's PTX, translated to C: so the code that was compiled for a CUDA device runs here, on the processor.

Each instruction becomes one statement on variables named as its registers; threads run one after the other. What is not needed for the
kernels of this project raises an error: no thread waits for another, and the branch of sine and cosine for huge arguments ends the run.
"""

import ctypes
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

TYPES = {
    **{f"{kind}{size}": f"uint{size}_t" for kind in "bu" for size in (8, 16, 32, 64)},
    **{f"s{size}": f"int{size}_t" for size in (8, 16, 32, 64)},
    "f32": "float",
    "f64": "double",
    "pred": "int",
}
"""C's types of those of PTX."""
COMPARED = {
    **{name: f"a {sign} b" for name, sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="))},
    **{
        name: f"!(a {sign} b)"
        for name, sign in (("ne", "=="), ("ltu", ">="), ("leu", ">"), ("gtu", "<="), ("geu", "<"))
    },
    "neu": "!(a == b)",
}
"""Comparisons; those that end with u are also true where a number is NaN."""
OPERATIONS = {
    "add": "a + b",
    "sub": "a - b",
    "mul": "a * b",
    "div": "a / b",
    "rem": "a % b",
    "and": "a & b",
    "or": "a | b",
    "xor": "a ^ b",
    "shl": "(uint64_t)(b) >= 8 * sizeof a ? 0 : a << b",
    "shr": "(uint64_t)(b) >= 8 * sizeof a ? (a < 0 ? -1 : 0) : a >> b",
    "not": "~a",
    "neg": "-a",
    "abs": "fabs(a)",
    "sqrt": "sqrt(a)",
    "rcp": "1.0 / a",
    "rsqrt": "1.0 / sqrt(a)",
    "fma": "fma(a, b, c)",
    "mad": "a * b + c",
}
PRELUDE = """
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static int64_t rounded(double x) { return x != x ? INT64_MIN : x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x; }
"""


def translated(ptx: str) -> str:
    """The entry of a PTX file as the C function `run(parameters, blocks, threads)`, parameters of eight bytes each."""
    tables = [
        f"static const unsigned char {name}[{size}] __attribute__((aligned(16))) = {{{values}}};"
        for name, size, values in re.findall(
            r"^\.global \.align \d+ \.b8 (\w+)\[(\d+)\] = \{(.*)\};", ptx, re.MULTILINE
        )
    ]
    begin = ptx.index(".visible .entry")
    head, body = ptx[begin : (at := ptx.index("\n{", begin))], ptx[at : ptx.index("\n}", at)]
    offsets = {name: 8 * i for i, (_, name) in enumerate(re.findall(r"\.param \.(\w+) (\w+)", head))}
    # Instructions may take several lines; comments and the braces of scopes mean nothing here.
    code = re.sub(r"//[^\n]*", "", body)
    lines = [" ".join(part.split()) for part in re.split(r";|(?<=:)\n", code)]
    made = [_statement(line.lstrip("{} "), offsets) for line in lines]
    declared = sorted(
        {f"{_kind(name)} {name[1:]} = 0;" for name in re.findall(r"%(?:rd|fd|rs|r|f|p)\d+\b", body) for name in [name]}
    )
    function = [
        "static void thread(const char *given, uint32_t block, uint32_t width, uint32_t lane) {",
        *declared,
        *made,
        "}",
    ]
    run = """
    void run(const char *given, uint32_t blocks, uint32_t width) {
        for (uint32_t block = 0; block < blocks; block++)
            for (uint32_t lane = 0; lane < width; lane++) thread(given, block, width, lane);
    }"""
    return "\n".join([PRELUDE, *tables, *function, run])


def _kind(register: str) -> str:
    """C's type of a register, by its name."""
    kinds = {"rd": "uint64_t", "fd": "double", "rs": "uint16_t", "r": "uint32_t", "f": "float", "p": "int"}
    return kinds[re.match(r"%([a-z]+)", register)[1]]  # type: ignore[index]


def _operand(word: str) -> str:
    """A register, number, special register or table as an expression of C."""
    special = {"%tid.x": "lane", "%ctaid.x": "block", "%ntid.x": "width"}
    if word in special:
        return special[word]
    if word.startswith("0d"):
        return (
            float.hex(struct.unpack(">d", bytes.fromhex(word[2:]))[0]).replace("nan", "NAN").replace("inf", "INFINITY")
        )
    if word.startswith("0f"):
        return (
            float.hex(struct.unpack(">f", bytes.fromhex(word[2:]))[0]).replace("nan", "NAN").replace("inf", "INFINITY")
        )
    if re.fullmatch(r"-?\d+", word):
        return "INT64_MIN" if int(word) == -(2**63) else f"{word}LL"
    if re.fullmatch(r"%(rd|fd|rs|r|f|p)\d+", word):
        return word[1:]
    if re.fullmatch(r"[A-Za-z_]\w+", word):
        return f"(uint64_t){word}"
    raise ValueError(f"unknown operand {word}")


def _statement(line: str, offsets: dict[str, int]) -> str:
    """One instruction, label or declaration."""
    if not line or line.startswith((".reg", ".param", ".loc", ".pragma")):
        return ""
    if line.endswith(":"):
        return f"{line.strip('$')[0:-1].replace('$', '')}: ;" if line.startswith("$") else f"{line} ;"
    if guard := re.match(r"@(!?)%(p\d+) (.*)", line):
        return f"if ({guard[1]}{guard[2]}) {{ {_statement(guard[3], offsets)} }}"
    name, _, rest = line.partition(" ")
    words = [word.strip() for word in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s][^,]*", rest)]
    kind, *more = name.split(".")
    if kind == "bra":
        return f"goto {words[0].replace('$', '')};"
    if kind == "ret":
        return "return;"
    if kind == "call":
        return "abort();"
    if kind in ("ld", "st"):
        return _memory(kind, more, words, offsets)
    if kind == "mov" and "{" in rest:
        return _halves(words)
    return _computed(kind, more, words)


def _memory(kind: str, more: list[str], words: list[str], offsets: dict[str, int]) -> str:
    """A load or store of one number or two."""
    type_, at = TYPES[more[-1]], words[1 if kind == "ld" else 0].strip("[]")
    base, _, offset = at.partition("+")
    if base.startswith(("param", "retval")):  # of the call that ends the run
        return ""
    own = base in offsets
    address = f"given + {offsets[base] + int(offset or 0)}" if own else f"(char *)({_operand(base)} + {offset or 0})"
    value = words[0 if kind == "ld" else 1]
    if "v2" in more:
        both = [word.strip() for word in value.strip("{}").split(",")]
        assert kind == "ld"
        return " ".join(
            f"{{ {type_} x; memcpy(&x, {address} + {i} * sizeof x, sizeof x); {_operand(one)} = x; }}"
            for i, one in enumerate(both)
        )
    if kind == "ld":
        return f"{{ {type_} x; memcpy(&x, {address}, sizeof x); {_operand(value)} = x; }}"
    return f"{{ {type_} x = {_operand(value)}; memcpy({address}, &x, sizeof x); }}"


def _halves(words: list[str]) -> str:
    """A number of 64 bits from its halves, or the halves of one."""
    halves = [word.strip() for word in next(word for word in words if "{" in word).strip("{}").split(",")]
    if words[0].startswith("{"):
        parts = [
            f"memcpy(&{one[1:]}, (char *)&{words[1][1:]} + {4 * i}, 4);"
            for i, one in enumerate(halves)
            if one != "%temp"
        ]
        return " ".join(parts)
    low, high = map(_operand, halves)
    return f"{{ uint32_t x[2] = {{{low}, {high}}}; memcpy(&{words[0][1:]}, x, 8); }}"


def _computed(kind: str, more: list[str], words: list[str]) -> str:
    """An instruction that computes a register from others."""
    to, *given = map(_operand, words)
    if kind in ("mov", "cvta"):
        if more[-1].startswith("b") and words[1].startswith("%") and _kind(words[0]) != _kind(words[1]):
            return f"memcpy(&{to}, &{given[0]}, sizeof {to});"
        return f"{to} = {given[0]};"
    type_ = TYPES[more[-1]]
    if kind == "cvt":
        if "rzi" in more:
            assert more[-2:] == ["s64", "f64"]
            return f"{to} = rounded({given[0]});"
        value = f"rint(({type_}){given[0]})" if "rni" in more else f"({type_}){given[0]}"
        return f"{to} = ({TYPES[more[-2]]}){value};"
    if kind == "selp":
        return f"{to} = {given[2]} ? {given[0]} : {given[1]};"
    types = [type_, "uint32_t"] if kind in ("shl", "shr") else [type_] * 3
    named = " ".join(f"{one} {x} = {value};" for one, x, value in zip(types, "abc", given, strict=False))
    if kind == "setp":
        return f"{{ {named} {to} = {COMPARED[more[0]]}; }}"
    if kind in ("max", "min"):
        sign = ">" if kind == "max" else "<"
        value = f"f{kind}(a, b)" if type_ == "double" else f"a {sign} b ? a : b"
    elif "wide" in more:
        assert kind == "mul"
        value = f"({'' if 's' in more[-1] else 'u'}int64_t)a * b"
    elif (kind, *more[:-1]) == ("mul", "hi") and more[-1] in ("s64", "u64"):
        value = f"({'' if more[-1] == 's64' else 'unsigned '}__int128)a * b >> 64"
    elif "hi" in more or "cc" in more:
        raise ValueError(f"unknown instruction {kind}.{'.'.join(more)}")
    elif type_ == "int":
        value = {"and": "a && b", "or": "a || b", "xor": "a != b", "not": "!a"}[kind]
    else:
        value = OPERATIONS[kind]
    return f"{{ {named} {to} = {value}; }}"


class Translated:
    """A kernel that runs here; is launched like one of Numba's, with NumPy's arrays."""

    def __init__(self, ptx: str, folder: Path) -> None:
        """Translate and compile."""
        source, library = folder / "kernel.c", folder / "kernel.so"
        source.write_text(translated(ptx), encoding="utf-8")
        options = ["-ffp-contract=off", "-fno-strict-aliasing", "-w", "-shared", "-fPIC"]
        subprocess.run(["gcc", *options, "-o", library, source, "-lm"], check=True)
        self._run = ctypes.CDLL(str(library)).run

    def __getitem__(self, grid: tuple[int, int]) -> Callable[..., None]:
        """The kernel with a number of blocks and threads."""

        def launch(*arguments: Any) -> None:
            given = b"".join(map(_packed, arguments))
            self._run(ctypes.c_char_p(given), *map(ctypes.c_uint32, grid))

        return launch


def _packed(value: Any) -> bytes:
    """An argument as Numba passes it, eight bytes for each number."""
    if isinstance(value, tuple):
        return b"".join(map(_packed, value))
    if isinstance(value, np.ndarray):
        return struct.pack(
            f"<{5 + 2 * value.ndim}q", 0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides
        )
    return struct.pack("<d" if isinstance(value, float) else "<q", value)
