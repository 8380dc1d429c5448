"""Answers to requests about a design that was built: what was measured of it, learning from that, and adapting it."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from vinewright.built.folder import remove_measurement
from vinewright.studio import built_requests
from vinewright.studio.built import add_measured, built_view
from vinewright.studio.requests import parse
from vinewright.studio.session import StudioSession


def built(session: StudioSession, request: Request, _: bytes) -> Any:
    """Return what was measured of a design of a run."""
    name = request.path_params["name"]
    return built_view(session.folders[name], name)


def measured(session: StudioSession, _: Request, body: bytes) -> Any:
    """Add a measurement, and tell all pages."""
    asked = parse(built_requests.MeasuredRequest, body)
    notes = add_measured(session.folders[asked.run], asked)
    session.tell({"type": "measured", "run": asked.run})
    return {"notes": notes}


def remove_measured(session: StudioSession, _: Request, body: bytes) -> Any:
    """Remove a measurement, and tell all pages."""
    asked = parse(built_requests.RemovalRequest, body)
    remove_measurement(session.folders[asked.run], asked.number, asked.item)
    session.tell({"type": "measured", "run": asked.run})
    return {}


def learn(session: StudioSession, _: Request, body: bytes) -> Any:
    """Learn errors from trials."""
    asked = parse(built_requests.LearnRequest, body)
    return {"job": session.build("learn", asked.run, asked.model_dump())}


def adapt(session: StudioSession, _: Request, body: bytes) -> Any:
    """Search what to change at a built tube."""
    asked = parse(built_requests.AdaptRequest, body)
    return {"job": session.build("adapt", asked.run, asked.model_dump())}


def keep_adapted(session: StudioSession, _: Request, body: bytes) -> Any:
    """Write the folder of a proposal."""
    asked = parse(built_requests.KeepAdaptedRequest, body)
    return {"job": session.build("keep", asked.run, asked.model_dump())}


POSTS = {
    "measured": measured, "measured/remove": remove_measured, "learn": learn, "adapt": adapt, "adapt/keep": keep_adapted,
}  # fmt: skip
"""Answers to requests that change or compute something, by their paths."""
