"""Answers to requests about pictures beneath drawings."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vinewright.studio import requests
from vinewright.studio.kept_pictures import key_of
from vinewright.studio.pictures import MOST_BYTES, UnusablePicture, reencode
from vinewright.studio.rectifying import rectify
from vinewright.studio.session import StudioSession

TYPES = "image/png", "image/jpeg", "image/webp"


def image(session: StudioSession, request: Request, body: bytes) -> Response:
    """Encode a picture for the background again, and keep it; headers have its key, and why it is not on disk."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind not in TYPES:
        raise UnusablePicture(f"a background must be a PNG, JPEG or WebP picture, not {kind[:40] or 'of no type'}")
    if len(body) > MOST_BYTES:
        return JSONResponse({"error": f"the picture is larger than the allowed {MOST_BYTES / 1e6:g} MB"}, 413)
    data = reencode(body)
    key, not_kept = key_of(data), ""
    try:
        session.pictures.keep(key, data)
    except OSError as error:
        not_kept = f"the picture is not kept on disk: {error.strerror or error}"
    headers = {"X-Vinewright-Picture": key, "X-Vinewright-Not-Kept": quote(not_kept)}
    return Response(data, media_type="image/png", headers=headers)


def rectify_picture(session: StudioSession, _: Request, body: bytes) -> Any:
    """Correct the perspective of a picture that is kept, and keep the result; return its key and place."""
    asked = requests.parse(requests.RectifyRequest, body)
    found = rectify(session.pictures.read(asked.key), [(x, y) for x, y in asked.corners], (asked.width, asked.height))
    data = found.pop("data")
    key = key_of(data)
    try:
        session.pictures.keep(key, data)
    except OSError as error:
        raise UnusablePicture(f"the corrected picture cannot be kept on disk: {error.strerror or error}") from None
    return {"key": key, **found}


def kept_picture(session: StudioSession, request: Request, _: bytes) -> Response:
    """Return a picture of a background that is kept."""
    return Response(session.pictures.read(request.path_params["key"]), media_type="image/png")
