"""Drawings kept on disk as they are edited, with earlier versions, so that none is lost with the page, the studio or the machine."""

from __future__ import annotations

import hashlib
import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from environments.writing import atomic_path

VERSION_S = 60.0
"""Time for which edits go into one version [s]."""
SCHEMA = 1
"""Version of the files; others are passed over."""
MOST_VERSIONS, MOST_DRAWINGS = 50, 200
"""Maximum numbers of versions of a drawing and of drawings; the oldest are removed."""
_ID = re.compile(r"[a-z0-9]{8,40}")
_STAMP = re.compile(r"[0-9]{13}")


class NoDrawing(LookupError):
    """There is no drawing of this name; the one-line message says so."""


def data_folder() -> Path:
    """Return the folder of the user's data that holds drawings."""
    return user_data_path("vinewright", appauthor=False) / "drawings"


@dataclass(frozen=True, slots=True)
class Drawings:
    """The drawings of all studios of a user.

    Each has a folder `ID`, with a file for each version that is named by the time [ms] at which the version began.
    """

    folder: Path
    """Folder of all drawings."""
    place: str
    """The folder in which this studio was started: the drawing that was edited last there is the one to go on with."""

    def keep(self, name: str, drawing: dict[str, Any], is_changed: bool) -> None:
        """Keep a drawing as it is now, as the one that was edited last.

        Args:
            name: Its id.
            drawing: What the page needs to go on with it.
            is_changed: Whether it has changes that are in no file. Without any, unless earlier ones were kept or its file is not all of
                it, it is not kept.
        Raises:
            OSError: The disk is full, or the folder cannot be written.
        """
        own, now = self._folder_of(name), int(1e3 * time.time())
        versions = _versions(own)
        if not (is_changed or versions or _has_more(drawing)):
            self._note_last("")
            return
        own.mkdir(parents=True, exist_ok=True, mode=0o700)
        begun = versions[0] if versions and now - int(versions[0]) < 1e3 * VERSION_S else str(now)
        entry = {"schema": SCHEMA, "drawing": drawing, "is_changed": is_changed, "edited_ms": now, "place": self.place}
        self._write(name, begun, entry)
        for old in _versions(own)[MOST_VERSIONS:]:
            (own / f"{old}.json").unlink(missing_ok=True)
        if not versions:
            self._remove_oldest()
        self._note_last(name)

    def last(self) -> dict[str, Any] | None:
        """Return the drawing that was edited last in this place, with its `id`, and `edited_ms` if it has changes that are in no file.

        None if a file has all of it.
        """
        try:
            name = self._last_file().read_text(encoding="utf-8")
            entry = self._read(name, _versions(self._folder_of(name))[0])
        except (OSError, NoDrawing, IndexError):
            return None
        drawing = {**entry["drawing"], "id": name}
        if entry["is_changed"]:
            return {**drawing, "edited_ms": entry["edited_ms"]}
        return drawing if _has_more(drawing) else None

    def note_run(self, name: str, run: str) -> bool:
        """Note the run of a drawing, and return whether that is kept: its page may have been closed before the plan ended.

        Raises:
            OSError: It cannot be written.
        """
        try:
            version = _versions(self._folder_of(name))[0]
            entry = self._read(name, version)
        except (NoDrawing, IndexError):
            return False
        beside = {**(entry["drawing"].get("beside") or {}), "run": run, "design": "best"}
        self._write(name, version, {**entry, "drawing": {**entry["drawing"], "beside": beside}})
        return True

    def list_drawings(self) -> list[dict[str, Any]]:
        """Return `id`, `name`, `edited_ms`, `is_changed` and earlier `versions` of each drawing, the last one first."""
        rows = []
        for own in self._folders():
            versions = _versions(own)
            try:
                entry = self._read(own.name, versions[0])
            except NoDrawing:
                continue
            row = {"id": own.name, "name": entry["drawing"]["name"], "versions": versions[1:]}
            rows.append({**row, "edited_ms": entry["edited_ms"], "is_changed": entry["is_changed"]})
        return sorted(rows, key=lambda row: -row["edited_ms"])

    def open(self, name: str, version: str | None = None) -> dict[str, Any]:
        """Return a drawing.

        Args:
            version: One of its earlier versions; None for the last one.
        Raises:
            NoDrawing: There is none.
        """
        versions = _versions(self._folder_of(name))
        if not versions or version not in (None, *versions):
            raise NoDrawing("this drawing is not kept any more")
        drawing: dict[str, Any] = self._read(name, version or versions[0])["drawing"]
        return drawing

    def _read(self, name: str, version: str) -> dict[str, Any]:
        try:
            entry: dict[str, Any] = json.loads((self._folder_of(name) / f"{version}.json").read_bytes())
            entry["drawing"]["name"], entry["is_changed"], int(entry["edited_ms"])
            is_ours = entry["schema"] == SCHEMA
        except (OSError, ValueError, LookupError, TypeError):
            is_ours = False
        if not is_ours:
            raise NoDrawing("this drawing cannot be read")
        return entry

    def _write(self, name: str, version: str, entry: dict[str, Any]) -> None:
        with atomic_path(self._folder_of(name) / f"{version}.json") as partial:
            partial.write_text(json.dumps(entry), encoding="utf-8")

    def _folder_of(self, name: str) -> Path:
        if not _ID.fullmatch(name):
            raise NoDrawing("there is no such drawing")
        return self.folder / name

    def _folders(self) -> list[Path]:
        """Return the folders of drawings with a version."""
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        return [own for own in found if _ID.fullmatch(own.name) and own.is_dir() and _versions(own)]

    def _remove_oldest(self) -> None:
        ordered = sorted(self._folders(), key=lambda own: _versions(own)[0], reverse=True)
        for own in ordered[MOST_DRAWINGS:]:
            for version in _versions(own):
                (own / f"{version}.json").unlink(missing_ok=True)
            own.rmdir()

    def _last_file(self) -> Path:
        return self.folder / f"last-{hashlib.sha256(self.place.encode()).hexdigest()[:16]}"

    def _note_last(self, name: str) -> None:
        """Note which drawing was edited last in this place; "" for one that is not kept."""
        last = self._last_file()
        if (last.read_text(encoding="utf-8") if last.exists() else "") != name:
            with atomic_path(last) as partial:
                partial.write_text(name, encoding="utf-8")


def _has_more(drawing: dict[str, Any]) -> bool:
    """Return whether there is more to a drawing than its file.

    This is a picture, a group, a lock, something that is hidden, or the run of a file that a studio was started with.
    """
    beside = drawing.get("beside") or {}
    has_objects = any((beside.get("objects") or {}).values())
    return bool(beside.get("background") or has_objects or (beside.get("run") and drawing.get("path")))


def _versions(own: Path) -> list[str]:
    """Return the versions in the folder of a drawing, the last one first."""
    found = own.glob("*.json") if own.is_dir() else ()
    return sorted((file.stem for file in found if _STAMP.fullmatch(file.stem)), reverse=True)
