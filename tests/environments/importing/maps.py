"""Maps of robots, written for tests."""

from pathlib import Path

import numpy as np

HEAD = {
    "image": "map.pgm",
    "resolution": 0.05,
    "origin": [0.0, 0.0, 0.0],
    "negate": 0,
    "occupied_thresh": 0.65,
    "free_thresh": 0.196,
}


def write_pgm(path: Path, values: np.ndarray, most: int = 255, plain: bool = False) -> None:
    """Write grey values, the top row first, as the format's definition says: in decimal, or in one byte or two, the high one first."""
    rows, columns = values.shape
    head = f"{'P2' if plain else 'P5'}\n# made for a test\n{columns} {rows}\n{most}\n".encode()
    if plain:
        body = "\n".join(" ".join(map(str, row)) for row in values.tolist()).encode()
    else:
        body = values.astype("u1" if most < 256 else ">u2").tobytes()
    path.write_bytes(head + body)


def write_map(folder: Path, values: np.ndarray | None = None, **changes: object) -> Path:
    """Write a map with grey values, the top row first; `changes` of its keys, where None leaves one out."""
    if values is not None:
        write_pgm(folder / "map.pgm", values)
    keys = {**HEAD, **changes}
    path = folder / "map.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in keys.items() if value is not None))
    return path
