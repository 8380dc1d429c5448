"""The state that all open pages share, and the events that they receive."""

from __future__ import annotations

import asyncio
from typing import Any

from vinewright.studio.events import BUSY, IDLE, Message

MOST_WAITING = 300
"""Maximum number of events that wait for a page; a slower page gets the whole state instead."""
BUILT = "learning", "adapting"
"""Events about a built design; each has all of its state."""
REPLACED = "plan", "tree", "best", "trials", "pack", *BUILT
"""Events that a snapshot makes unnecessary."""


class Hub:
    """Keeps the present state for pages that are opened later, and sends events to all pages."""

    def __init__(self) -> None:
        self.pages: set[asyncio.Queue[Message | None]] = set()
        self.plan: Message = dict(IDLE)
        self.tree: dict[int, list[Any]] = {}
        """Branches of the search tree by their slots."""
        self.best: Message | None = None
        self.trials: Message | None = None
        """The last trials, with all their lines."""
        self.pack: Message | None = None
        self.built: dict[str, Message] = {}
        """The last event of each type of `BUILT`."""
        self.document: dict[str, Any] | None = None
        """The drawing as a page last sent it."""

    def snapshot(self) -> list[Message]:
        """Return events that bring a page to the present state."""
        events: list[Message] = [{"type": "plan", "plan": self.plan}]
        events.append({"type": "tree", "reset": True, "drop": [], "add": list(self.tree.values())})
        if self.plan["phase"] in BUSY and self.best:
            events.append(self.best)
        if self.trials:
            events.append({**self.trials, "first": True})
        return events + ([self.pack] if self.pack else []) + [*self.built.values()]

    def attach(self) -> asyncio.Queue[Message | None]:
        """Add a page; return its queue of events, which begins with the present state."""
        page: asyncio.Queue[Message | None] = asyncio.Queue()
        for event in [{"type": "connected"}, *self.snapshot()]:
            page.put_nowait(event)
        self.pages.add(page)
        return page

    def detach(self, page: asyncio.Queue[Message | None]) -> None:
        """Forget a page."""
        self.pages.discard(page)

    def close(self) -> None:
        """End the connections of all pages."""
        for page in self.pages:
            page.put_nowait(None)

    def tell(self, event: Message) -> None:
        """Record an event, and send it to all pages; called in the thread of the server."""
        self._note(event)
        if event["type"] in ("began", "ended"):
            return
        for page in self.pages:
            if page.qsize() < MOST_WAITING:
                page.put_nowait(event)
                continue
            # The page is slow: the present state replaces the events that led to it; all other events stay.
            waiting = [page.get_nowait() for _ in range(page.qsize())]
            kept = [item for item in [*waiting, event] if item is None or item["type"] not in REPLACED]
            for part in [*self.snapshot(), *kept]:
                page.put_nowait(part)

    def _note(self, event: Message) -> None:
        match event["type"]:
            case "plan":
                self.plan = event["plan"]
                if self.plan["phase"] == "starting":
                    self.tree, self.best = {}, None
                if self.plan["run"] and self.document and self.document["id"] == self.plan["drawing"]:
                    beside = {**(self.document.get("beside") or {}), "run": self.plan["run"], "design": "best"}
                    self.document = {**self.document, "beside": beside}
            case "tree":
                if event["reset"]:
                    self.tree = {}
                for slot in event["drop"]:
                    self.tree.pop(slot, None)
                self.tree |= {branch[0]: branch for branch in event["add"]}
            case "best":
                self.best = event
            case "trials":
                before = [] if event.get("first") or self.trials is None else self.trials["lines"]
                self.trials = {**event, "lines": [*before, *event["lines"]]}
            case "pack":
                self.pack = event
            case kind if kind in BUILT:
                self.built[kind] = event
            case "failed" if event["kind"] in ("learn", "adapt"):
                # Nothing of it is worth a page that is opened later.
                self.built.pop({"learn": "learning", "adapt": "adapting"}[event["kind"]], None)
            case "runs":
                self._rename_run(event["gone"], event["now"])
            case "failed" if event["kind"] == "trials" and self.trials:
                self.trials = {**self.trials, "busy": False}
            case "failed" if event["what"] == "plan":
                self.plan = {**self.plan, "phase": "failed", "message": event["message"]}

    def _rename_run(self, name: str, now: str | None) -> None:
        """Note the new name of a run, or that it was removed; earlier trials and packs of it are of no use."""
        if self.plan["run"] == name:
            self.plan = {**self.plan, "run": now}
        if self.document and (beside := self.document.get("beside")) and beside["run"] == name:
            self.document = {**self.document, "beside": {**beside, "run": now}}
        if self.trials and self.trials["run"] == name:
            self.trials = None
        if self.pack and self.pack["pack"]["run"] == name:
            self.pack = None
        self.built = {kind: event for kind, event in self.built.items() if event[kind]["run"] != name}
