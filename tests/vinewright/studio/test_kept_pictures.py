"""Pictures beneath drawings, on disk and over the server."""

import errno
import io
import os
from pathlib import Path
from urllib.parse import unquote

import pytest
from PIL import Image
from starlette.testclient import TestClient

from vinewright.studio import kept_pictures
from vinewright.studio.kept_pictures import KeptPictures, LargePicture, NoPicture, key_of
from vinewright.studio.session import StudioSession


def png(shade: int) -> bytes:
    """Encode a small picture."""
    out = io.BytesIO()
    Image.new("RGB", (30, 20), (shade, 0, 0)).save(out, "PNG")
    return out.getvalue()


def post(client: TestClient, data: bytes) -> tuple[str, str, bytes]:
    """Send a picture; returns its key, why it is not kept, and the picture as it was encoded again."""
    answer = client.post("/api/image", content=data, headers={"Content-Type": "image/png"})
    assert answer.status_code == 200
    return answer.headers["X-Vinewright-Picture"], unquote(answer.headers["X-Vinewright-Not-Kept"]), answer.content


def test_a_picture_is_there_again(client: TestClient, stranger: TestClient) -> None:
    """The server gives back what it encoded, to its own page only."""
    key, why, data = post(client, png(1))
    assert (key, why) == (key_of(data), "")
    answer = client.get(f"/api/pictures/{key}")
    assert (answer.content, answer.headers["content-type"]) == (data, "image/png")
    for name in ("0" * 64, "..%2F..%2Fetc", key.upper()):
        assert client.get(f"/api/pictures/{name}").status_code == 404
    del stranger.headers["x-vinewright-token"]
    assert stranger.get(f"/api/pictures/{key}").status_code == 401


def test_the_oldest_pictures_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All together have a limit of size; a picture that was read counts as new; files of others stay."""
    pictures, all_of_them = KeptPictures(tmp_path / "pictures"), [png(shade) for shade in range(4)]
    monkeypatch.setattr(kept_pictures, "MOST_BYTES", sum(map(len, all_of_them[:3])))
    for number, data in enumerate(all_of_them[:3]):
        pictures.keep(key_of(data), data)
        os.utime(tmp_path / "pictures" / f"{key_of(data)}.png", (number, number))
    pictures.read(key_of(all_of_them[0]))
    pictures.keep(key_of(all_of_them[3]), all_of_them[3])
    assert {file.stem for file in (tmp_path / "pictures").iterdir()} == {key_of(all_of_them[k]) for k in (0, 2, 3)}
    with pytest.raises(NoPicture, match="not kept any more"):
        pictures.read(key_of(all_of_them[1]))


def test_a_picture_that_does_not_fit_is_told_of(
    client: TestClient, session: StudioSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page shows it all the same, with the reason why a later page has it no more."""
    monkeypatch.setattr(kept_pictures, "LARGEST", 10)
    with pytest.raises(LargePicture, match="larger than the allowed"):
        session.pictures.keep(key_of(b"x" * 11), b"x" * 11)
    assert post(client, png(1))[1] == "the picture is not kept on disk: it is larger than the allowed 1e-05 MB"
    monkeypatch.undo()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert post(client, png(1))[1] == "the picture is not kept on disk: No space left on device"


def test_a_damaged_picture_is_none(session: StudioSession) -> None:
    """A file whose content is not that of its name is not given to a page."""
    data = png(1)
    session.pictures.keep(key_of(data), data)
    (session.pictures.folder / f"{key_of(data)}.png").write_bytes(png(2))
    with pytest.raises(NoPicture):
        session.pictures.read(key_of(data))
