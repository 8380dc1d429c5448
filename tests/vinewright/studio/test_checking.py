"""Hints of the live check of a drawing."""

from collections.abc import Callable
from typing import Any

from starlette.testclient import TestClient

Drawing = Callable[..., dict[str, Any]]
NOTHING: dict[str, Any] = {"boxes": [], "polygons": [], "circles": [], "walls": [], "ends": "flat", "friction": None}
"""The obstacles of an empty drawing."""


def test_tubes_that_begin_outside(client: TestClient, drawing: Drawing) -> None:
    """The hint is in the unit of the page, and about the errors that a plan would have."""
    body = drawing(start={"position": [1.6, 500], "heading_deg": 0, "mount": "free"}, obstacles=NOTHING)
    body["origins"] = {kind: [] for kind in ("boxes", "polygons", "circles", "walls")}
    told = "the start is {} from the left bound, and its error is {}: about {} % of the tubes begin outside; move the bound or the start"
    for more, words in (
        ({}, ("1.6 mm", "4 mm", 34)),
        ({"unit": "cm"}, ("0.16 cm", "0.4 cm", 34)),
        ({"beside": {"options": {"uncertainty": "field"}}}, ("1.6 mm", "10 mm", 44)),
        ({"beside": {"options": {"uncertainty": None}}}, ("1.6 mm", "4 mm", 34)),
        ({"beside": {"options": {"uncertainty": "of a later version"}}}, ("1.6 mm", "4 mm", 34)),
    ):
        answer = client.post("/api/check", json={**body, **more}).json()
        assert (answer["problem"], answer["hints"]) == (None, [told.format(*words)])
    exact = {"beside": {"options": {"uncertainty": "none"}}}
    assert client.post("/api/check", json={**body, **exact}).json()["hints"] == []
