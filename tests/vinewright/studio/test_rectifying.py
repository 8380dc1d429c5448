"""Pictures whose perspective is corrected: a checkerboard under a known homography, against its closed form; and what is refused."""

import io
import multiprocessing
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from vinewright.studio.kept_pictures import key_of
from vinewright.studio.pictures import UnusablePicture
from vinewright.studio.rectifying import HORIZON, rectify
from vinewright.studio.session import StudioSession

SQUARE = 50.0
"""Side of a square of the board [mm]."""
SIZE = 400.0, 300.0
"""The rectangle that is known, from 0, 0 on the board [mm]."""
WIDTH, HEIGHT = 640, 480
FINE = 4
"""Samples of a pixel along each side."""
CORNERS = np.array([[150.0, 400.0], [520.0, 420.0], [430.0, 190.0], [210.0, 180.0]])
"""Pixels of the corners of the rectangle, x and y of the upper left corner of the picture being 0."""


def to_plane(corners: np.ndarray = CORNERS) -> np.ndarray:
    """Solve for the homography from pixels to millimetres, whose last number is 1."""
    width, height = SIZE
    rows, right = [], []
    for (x, y), (u, v) in zip(corners, [(0, 0), (width, 0), (width, height), (0, height)], strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    return np.append(np.linalg.solve(rows, right), 1).reshape(3, 3)


def on_board(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether points of the plane [mm] are on dark squares."""
    return (np.floor(x / SQUARE) + np.floor(y / SQUARE)) % 2 == 0


def photo(corners: np.ndarray = CORNERS) -> bytes:
    """A picture of the board, each pixel the mean of what it covers; the sky is white."""
    x, y = np.meshgrid((np.arange(WIDTH * FINE) + 0.5) / FINE, (np.arange(HEIGHT * FINE) + 0.5) / FINE)
    u, v, w = np.tensordot(to_plane(corners), np.stack([x, y, np.ones_like(x)]), 1)
    side = np.sign(np.append(corners[0], 1) @ to_plane(corners)[2])
    light = np.where((w * side <= 0) | ~on_board(u / w, v / w), 255.0, 0.0)
    grey = light.reshape(HEIGHT, FINE, WIDTH, FINE).mean(axis=(1, 3))
    out = io.BytesIO()
    Image.fromarray(grey.round().astype(np.uint8)).convert("RGBA").save(out, "PNG")
    return out.getvalue()


def flat(found: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The corrected picture, and the positions of its pixels on the board [mm]."""
    picture = np.asarray(Image.open(io.BytesIO(found["data"])))
    height, width = picture.shape[:2]
    assert [width, height] == found["size"]
    x = (np.arange(width) + 0.5) * found["scale"] - found["corner"][0]
    y = (height - np.arange(height) - 0.5) * found["scale"] - found["corner"][1]
    return picture, *np.meshgrid(x, y)


def given(corners: np.ndarray = CORNERS) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in corners]


def test_a_checkerboard_comes_back() -> None:
    """Within half a pixel of the photograph, which is larger on the board where it is far, every edge is where it is on the board."""
    found = rectify(photo(), given(), SIZE)
    picture, x, y = flat(found)
    inside = (x > 0) & (x < SIZE[0]) & (y > 0) & (y < SIZE[1])
    assert inside.sum() > 10_000
    edge = [np.abs(side / SQUARE - np.round(side / SQUARE)) * SQUARE for side in (x, y)]
    # The largest pixel of the photograph on the rectangle is at its far side, which it shows shortened.
    inverse = np.linalg.inv(to_plane())
    p = np.tensordot(inverse, np.stack([x, y, np.ones_like(x)]), 1)
    q = np.tensordot(inverse, np.stack([x, y + 1, np.ones_like(x)]), 1)
    pixel = np.maximum(1 / np.hypot(*(q[:2] / q[2] - p[:2] / p[2])), found["scale"])
    sure = inside & (np.minimum(*edge) > 0.5 * pixel)
    assert sure.sum() > 0.5 * inside.sum()
    assert np.array_equal(picture[sure][:, 0] < 128, on_board(x, y)[sure])
    assert (picture[inside][:, 3] == 255).all()


def test_the_rest_of_the_picture_is_there_too() -> None:
    """All of the board that the picture shows, as far as it is not much farther than the rectangle; outside of it there is nothing."""
    found = rectify(photo(), given(), SIZE)
    picture, x, y = flat(found)
    p = np.tensordot(np.linalg.inv(to_plane()), np.stack([x, y, np.ones_like(x)]), 1)
    column, row = p[:2] / p[2]
    seen = (p[2] > 0) & (column > 1) & (column < WIDTH - 1) & (row > 1) & (row < HEIGHT - 1)
    assert (picture[..., 3][seen] == 255).all()
    unseen = (p[2] <= 0) | (column < -1) | (column > WIDTH + 1) | (row < -1) | (row > HEIGHT + 1)
    assert unseen.any()
    assert (picture[..., 3][unseen] == 0).all()
    plane = to_plane() @ [0.5, HEIGHT - 0.5, 1]
    assert x.min() <= plane[0] / plane[2] + found["scale"]


def test_a_horizon_in_the_picture() -> None:
    """The horizon and all beyond is left out, so that the picture does not become endless."""
    steep = np.array([[100.0, 460.0], [540.0, 460.0], [380.0, 300.0], [260.0, 300.0]])
    found = rectify(photo(steep), given(steep), SIZE)
    picture, x, y = flat(found)
    row = to_plane(steep)[2]
    near = [np.append(corner, 1) @ row for corner in steep]
    p = np.tensordot(np.linalg.inv(to_plane(steep)), np.stack([x, y, np.ones_like(x)]), 1)
    assert max(found["size"]) <= 4096
    assert (picture[..., 3][p[2] * np.sign(near[0]) <= 0] == 0).all()
    # The horizon is level: the highest row that is shown is where the depth is this.
    highest = (HORIZON * min(near, key=abs) - row[2]) / row[1]
    far = to_plane(steep) @ [320, highest, 1]
    assert y.max() == pytest.approx(far[1] / far[2], abs=2 * found["scale"])


def test_what_is_behind_the_camera_is_not_seen() -> None:
    """A camera that is rolled: the part of the plane in the picture has a corner behind it, which must not show what is before it."""
    rolled = np.array([[188.0, 368.0], [322.0, 362.0], [553.0, 337.0], [585.0, 229.0]])
    picture, x, y = flat(rectify(photo(rolled), given(rolled), SIZE))
    p = np.tensordot(np.linalg.inv(to_plane(rolled)), np.stack([x, y, np.ones_like(x)]), 1)
    side = np.sign(np.append(rolled[0], 1) @ to_plane(rolled)[2])
    column, row = p[:2] / p[2]
    behind = (p[2] * side <= 0) & (column > 0) & (column < WIDTH) & (row > 0) & (row < HEIGHT)
    assert behind.any()
    assert (picture[..., 3][behind] == 0).all()
    assert picture[..., 3].any()


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        (CORNERS[[0, 2, 1, 3]], "cross"),
        (CORNERS[[0, 0, 1, 2]], "must be those of a rectangle"),
        (CORNERS[::-1], "clockwise"),
        (np.add(CORNERS, [1000, 0]), "outside of the photograph"),
    ],
)
def test_what_is_no_rectangle_is_refused(corners: np.ndarray, words: str) -> None:
    with pytest.raises(UnusablePicture, match=words):
        rectify(photo(), given(corners), SIZE)


def test_limits_of_time() -> None:
    """Work that takes too long ends, and its process is gone."""
    with pytest.raises(UnusablePicture, match="too large"):
        rectify(photo(), given(), SIZE, seconds=1e-3)
    assert multiprocessing.active_children() == []


def test_the_request(client: TestClient, stranger: TestClient, session: StudioSession) -> None:
    """The corrected picture is kept, as the one before; what is wrong with a request is told."""
    data = photo()
    session.pictures.keep(key_of(data), data)
    body = {"key": key_of(data), "corners": given(), "width": SIZE[0], "height": SIZE[1]}
    found = client.post("/api/rectify", json=body).json()
    kept = client.get(f"/api/pictures/{found['key']}").content
    assert list(Image.open(io.BytesIO(kept)).size) == found["size"]
    assert client.get(f"/api/pictures/{body['key']}").content == data
    assert client.post("/api/rectify", json={**body, "key": "0" * 64}).status_code == 404
    assert client.post("/api/rectify", json={**body, "key": "../x"}).status_code == 400
    assert client.post("/api/rectify", json={**body, "width": 0}).status_code == 400
    assert client.post("/api/rectify", json={**body, "corners": given()[:3]}).status_code == 400
    crossed = client.post("/api/rectify", json={**body, "corners": given(CORNERS[[0, 2, 1, 3]])})
    assert (crossed.status_code, "cross" in crossed.json()["error"]) == (415, True)
    del stranger.headers["x-vinewright-token"]
    assert stranger.post("/api/rectify", json=body).status_code == 401
