"""The manifest of a sweep: its cases, split into shards, with hashes of everything that they read.

DIR/sweep.json             cases, shards and hashes
DIR/inputs/DIGEST.json     an environment, a tube or a design
DIR/shards/000012.json     the rows of a shard that is done
DIR/failed/000012.json     the message of a shard that was set aside
DIR/cancelled              exists after `vinewright sweep cancel`
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from dynamics.cuda import device_name, why_not
from planner.output.contents import SWEEP, SWEEP_INPUTS
from planner.output.provenance import find_versions
from surrogate.kernels.compiled import PACKAGES
from vinewright.sweeps.case import Case, Input
from vinewright.sweeps.errors import InvalidManifest
from vinewright.sweeps.grid import DIGITS, CaseGrid, digest_of

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Shard:
    """Consecutive cases that one worker computes, with all their inputs, as they are sent to the worker."""

    number: int
    digest: str
    """Hash of cases and program: a result with another digest belongs to another sweep."""
    cases: list[Case]
    inputs: dict[str, Input]
    program: dict[str, str]


@dataclass(frozen=True)
class Manifest:
    """A sweep, before any of it is computed."""

    name: str
    description: str
    grid: CaseGrid
    shards: list[range]
    """The cases of each shard."""
    case_seconds: float
    """Expected time of a case on one thread, from a sample [s]."""
    program: dict[str, str]
    """Versions, source and device that determine the results: see `program`."""

    @property
    def core_hours(self) -> float:
        """Expected time of all cases on one thread [h]."""
        return len(self.grid.cases) * self.case_seconds / 3600

    @cached_property
    def _program_digest(self) -> str:
        return digest_of(json.dumps(self.program, sort_keys=True))

    def shard(self, number: int) -> Shard:
        """Return the shard with a number."""
        cases = [self.grid.cases[k] for k in self.shards[number]]
        needed = dict.fromkeys(digest for case in cases for digest in case.inputs())
        content = json.dumps([case.content() for case in cases])
        digest = digest_of(content, self._program_digest)
        return Shard(number, digest, cases, {key: self.grid.inputs[key] for key in needed}, self.program)

    def write(self, folder: Path) -> None:
        """Write the manifest and its inputs into an empty folder."""
        (folder / SWEEP_INPUTS).mkdir()
        for digest, source in self.grid.inputs.items():
            text = json.dumps({"name": source.name, "text": source.text})
            (folder / SWEEP_INPUTS / f"{digest}.json").write_text(text, encoding="utf-8")
        cases = [case.content() for case in self.grid.cases]
        head = {
            "schema": SCHEMA,
            "name": self.name,
            "description": self.description,
            "program": self.program,
            "limited_by_time": self.grid.timed,
            "case_seconds": self.case_seconds,
            "sha256": digest_of(json.dumps(cases)),
            "shards": [[shard.start, shard.stop] for shard in self.shards],
        }
        lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
        rows = ",\n".join("  " + json.dumps(case) for case in cases)
        (folder / SWEEP).write_text("\n".join(["{", *lines, ' "cases": [', rows, " ]", "}", ""]), encoding="utf-8")


def program(device: str = "cpu") -> dict[str, str]:
    """Return everything but the case that determines a result: versions of Vinewright and its libraries, its source, and the device.

    Args:
        device: "cpu", which means any CPU, or "cuda", which means the GPU of this machine.
    """
    packages = ["vinewright", "numpy", "numba", "scipy", "shapely", "cma", "ompl"]
    if device == "cuda":
        packages.append("numba-cuda")
    return {
        **find_versions(packages),
        "source": _source_digest(),
        "device": _device_here() if device == "cuda" else "cpu",
    }


def _device_here() -> str:
    return "cpu" if why_not() else device_name()


@cache
def _source_digest() -> str:
    """Return hash of all modules of the program."""
    root, digest = Path(__file__).parents[2], hashlib.sha256()
    for path in sorted(path for package in (*PACKAGES, "vinewright") for path in (root / package).rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:DIGITS]


def read_manifest(folder: Path, same_program: bool = True) -> Manifest:
    """Read and check the manifest in a folder, and all its inputs.

    Args:
        same_program: Whether the manifest must have been made by this program; not needed to read results.
    Raises:
        InvalidManifest: There is no manifest, it is of another version, or a file in the folder was changed.
    """
    again = "make it again with `vinewright sweep make`"
    content = _read_content(folder)
    try:
        cases = [Case.of(case) for case in content["cases"]]
        if content["sha256"] != digest_of(json.dumps(content["cases"])):
            raise InvalidManifest(f"{folder}: the cases in {SWEEP} were changed; {again}")
        needed = dict.fromkeys(digest for case in cases for digest in case.inputs())
        inputs = {digest: _read_input(folder, digest) for digest in needed}
        shards = [range(start, stop) for start, stop in content["shards"]]
        grid = CaseGrid(cases, inputs, content["limited_by_time"])
        numbers = float(content["case_seconds"]), dict(content["program"])
        manifest = Manifest(content["name"], content["description"], grid, shards, *numbers)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InvalidManifest):
            raise
        raise InvalidManifest(f"{folder}: {SWEEP} is damaged; {again}") from None
    if [k for shard in shards for k in shard] != list(range(len(cases))):
        raise InvalidManifest(f"{folder}: the shards in {SWEEP} do not have every case once; {again}")
    if same_program and (difference := program_difference(manifest.program)):
        raise InvalidManifest(f"{folder} was made for {difference}; {again}, or use that version")
    return manifest


def program_difference(expected: Mapping[str, str]) -> str:
    """Return how the expected program differs from this program, as text; empty if it does not."""
    here = program("cpu" if expected.get("device", "cpu") == "cpu" else "cuda")
    names = [name for name in expected if expected[name] != here.get(name, expected[name])]
    if names == ["source"]:
        return "another version of Vinewright's source"
    return "; ".join(f"{name} {expected[name]}, and this is {here[name]}" for name in names if name != "source")


def _read_content(folder: Path) -> dict[str, Any]:
    path = folder / SWEEP
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidManifest(f"{folder} contains no sweep; make one with `vinewright sweep make`") from None
    except OSError as error:
        raise InvalidManifest(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise InvalidManifest(f"{path} is not JSON; make it again with `vinewright sweep make`") from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise InvalidManifest(
            f"{path}: schema = {schema!r} must be {SCHEMA}; it is of another version: make it again with `vinewright sweep make`"
        )
    return dict(content)


def _read_input(folder: Path, digest: str) -> Input:
    path = folder / SWEEP_INPUTS / f"{digest}.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        source = Input(content["name"], content["text"])
        changed = digest_of(source.name, source.text) != digest
    except (OSError, ValueError, KeyError, TypeError):
        changed = True
    if changed:
        raise InvalidManifest(
            f"{path} is missing or was changed since the sweep was made; make it again with `vinewright sweep make`"
        )
    return source
