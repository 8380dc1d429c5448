"""Reading pictures of unknown content."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from struct import error as struct_error

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from environments.importing.traced import UnusableFile
from environments.reading import UnreadableFile, read_file

MOST_PIXELS = 64_000_000
_MOST_BYTES = 400_000_000


def read_pixels(path: Path, formats: tuple[str, ...], name: str) -> NDArray[np.uint8 | np.uint16 | np.int32]:
    """Return the pixels of a picture, turned as its camera says.

    Args:
        formats: Names of the allowed formats, as Pillow has them.
        name: How messages name the file.
    Returns:
        Grey, red, green and blue, or those and alpha: shape (height, width), (height, width, 3) or (height, width, 4); of 8 bits,
        or grey of 16 bits.
    Raises:
        UnusableFile: It is not such a picture, or has more than `MOST_PIXELS` pixels, which its head says.
    """
    try:
        data = read_file(path, _MOST_BYTES)
        with warnings.catch_warnings():
            # Pillow warns of pictures that are far below our own limit.
            warnings.simplefilter("ignore")
            image = Image.open(BytesIO(data), formats=formats)
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise Image.DecompressionBombError
            image.load()
            return _to_plain(ImageOps.exif_transpose(image))
    except UnreadableFile as error:
        raise UnusableFile(f"{name} {error}") from None
    except Image.DecompressionBombError:
        most = f"at most {MOST_PIXELS // 1_000_000} million pixels are allowed; make it smaller, or cut it"
        raise UnusableFile(f"{name} is a picture of too many pixels: {most}") from None
    except (OSError, SyntaxError, ValueError, EOFError, struct_error) as error:
        # The name in the message of an unknown format is that of the bytes in memory.
        known = "" if isinstance(error, UnidentifiedImageError) else " ".join(str(error).split())[:100]
        problem = f"{name} is not a whole picture that can be read{f' ({known})' if known else ''}"
        *first, last = ("PGM" if one == "PPM" else one for one in formats)
        raise UnusableFile(f"{problem}: save it as {', '.join(first)} or {last}") from None


def _to_plain(image: Image.Image) -> NDArray[np.uint8 | np.uint16 | np.int32]:
    if image.mode in ("L", "RGB", "RGBA") or image.mode.startswith("I"):
        return np.asarray(image)
    if image.mode == "1":
        return np.asarray(image.convert("L"))
    clear = image.mode in ("LA", "PA") or "transparency" in image.info
    return np.asarray(image.convert("RGBA" if clear else "RGB"))
