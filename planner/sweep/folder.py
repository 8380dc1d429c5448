"""What is done in the folder of a sweep: a file for each shard that is done, and one for each that was set aside."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.runs.claim import writing
from planner.runs.contents import SWEEP_CANCELLED, SWEEP_DONE, SWEEP_FAILED
from planner.sweep.case import Row
from planner.sweep.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a shard."""

    digest: str
    rows: list[Row]
    seconds: float
    """Time of its worker [s]: not part of the table, since it is not the same everywhere."""


@dataclass(frozen=True)
class Folder:
    """The folder of a sweep."""

    path: Path
    manifest: Manifest

    def numbers(self, kind: str) -> set[int]:
        """Numbers of the shards that are done, or that were set aside."""
        with suppress(FileNotFoundError):
            names = (name for name in os.listdir(self.path / kind) if name.endswith(".json") and name[0] != ".")
            found = {int(stem) for name in names if (stem := name[:-5]).isdecimal()}
            return found & set(range(len(self.manifest.shards)))
        return set()

    @property
    def done_shards(self) -> set[int]:
        """Numbers of the shards that are done. One whose result is damaged is not."""
        return {number for number, _ in self.done()}

    @property
    def missing(self) -> list[int]:
        """Numbers of the shards that are neither done nor set aside, in order."""
        known = self.done_shards | self.failures().keys()
        return [k for k in range(len(self.manifest.shards)) if k not in known]

    @property
    def cancelled(self) -> bool:
        """Whether no shard is to be begun."""
        return (self.path / SWEEP_CANCELLED).exists()

    def keep(self, number: int, done: Done) -> None:
        """Keep the result of a shard, whole; it is no longer set aside. Another process may do the same.

        Raises:
            UnwritableFolder: It cannot be written; nothing is left of it.
        """
        content = {"shard": number, "digest": done.digest, "seconds": round(done.seconds, 3), "rows": done.rows}
        self._write(SWEEP_DONE, number, content)
        self._path(SWEEP_FAILED, number).unlink(missing_ok=True)

    def set_aside(self, number: int, message: str) -> None:
        """Set a shard aside: it is not begun again until `retry`.

        Raises:
            UnwritableFolder: That cannot be written.
        """
        self._write(SWEEP_FAILED, number, {"shard": number, "message": message})

    def failures(self) -> dict[int, str]:
        """Why shards were set aside, by number."""
        found = {}
        for number in sorted(self.numbers(SWEEP_FAILED) - self.done_shards):
            with suppress(OSError, ValueError, KeyError, TypeError):
                found[number] = str(json.loads(self._path(SWEEP_FAILED, number).read_text(encoding="utf-8"))["message"])
        return found

    def retry(self, numbers: Iterable[int]) -> None:
        """Let shards be begun again that were set aside, and all that were cancelled."""
        with writing(self.path):
            (self.path / SWEEP_CANCELLED).unlink(missing_ok=True)
            for number in numbers:
                self._path(SWEEP_FAILED, number).unlink(missing_ok=True)

    def cancel(self) -> None:
        """Let no shard be begun until `retry`."""
        with writing(self.path):
            (self.path / SWEEP_CANCELLED).touch()

    def done(self) -> Iterator[tuple[int, Done]]:
        """Results of the shards that are done, in order; those that do not belong to this manifest are left out."""
        for number in sorted(self.numbers(SWEEP_DONE)):
            with suppress(OSError, ValueError, KeyError, TypeError):
                content = json.loads(self._path(SWEEP_DONE, number).read_text(encoding="utf-8"))
                shard = self.manifest.shard(number)
                if content["digest"] == shard.digest and len(content["rows"]) == len(shard.cases):
                    yield number, Done(content["digest"], content["rows"], content["seconds"])

    def _path(self, kind: str, number: int) -> Path:
        return self.path / kind / f"{number:06d}.json"

    def _write(self, kind: str, number: int, content: dict[str, Any]) -> None:
        """Write a file that appears whole, also if the machine loses power."""
        path = self._path(kind, number)
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            handle, fresh = tempfile.mkstemp(prefix=".", suffix=".partial", dir=path.parent)
            try:
                with open(handle, "w", encoding="utf-8") as file:
                    file.write(json.dumps(content) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(fresh, 0o644)
                os.replace(fresh, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(fresh)
                raise
