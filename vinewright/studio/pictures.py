"""Pictures: the uploaded background, and the picture of a design for download."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image, ImageOps

from environments import load_environment
from planner.design.design import InvalidDesign
from planner.design.design_file import load_design
from planner.drawing.plan import PLAN_DPI, plan_figure
from planner.uncertainty.shown_trials import TRIALS, ShownTrials

MOST_BYTES = 20_000_000
"""Maximum size of an uploaded picture."""
MOST_PIXELS = 60_000_000
"""Maximum number of pixels of an uploaded picture, since a small file can have very many."""
LARGEST = 4096
"""Width and height to which pictures are reduced [px]."""
FORMATS = "PNG", "JPEG", "WEBP"


class UnusablePicture(ValueError):
    """The upload is not a picture that can be used; the one-line message says why."""


def reencode(data: bytes) -> bytes:
    """Encode an uploaded picture as an upright PNG of its pixels, without any other content of its file.

    Raises:
        UnusablePicture: The data is no PNG, JPEG or WebP picture, or has too many pixels.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # MOST_PIXELS is checked instead
            image = Image.open(io.BytesIO(data), formats=FORMATS)
        if image.width * image.height > MOST_PIXELS:
            raise UnusablePicture(f"the picture has more than {MOST_PIXELS / 1e6:g} million pixels; make it smaller")
        image.draft("RGB", (LARGEST, LARGEST))
        upright = ImageOps.exif_transpose(image).convert("RGBA")
    except UnusablePicture:
        raise
    except Exception:  # the decoders raise nearly anything for damaged files
        raise UnusablePicture("this is no PNG, JPEG or WebP picture that can be read") from None
    upright.thumbnail((LARGEST, LARGEST))
    clean = Image.frombytes("RGBA", upright.size, upright.tobytes())
    out = io.BytesIO()
    clean.save(out, "PNG", compress_level=3)
    return out.getvalue()


def render_picture(folder: Path, key: str, form: str) -> bytes:
    """Draw a design of a run; the picture of the design to make also shows its trials and the front.

    Args:
        key: "best", or the number of a solution.
        form: "png" or "svg".
    Raises:
        InvalidDesign: There is no such design, or its file is damaged.
        InvalidEnvironment: The environment of the run cannot be used.
    """
    if form not in ("png", "svg") or not (key == "best" or key.isdecimal()):
        raise InvalidDesign("a picture is best/picture.png, or that of a solution, 1/picture.svg")
    design = load_design(folder, None if key == "best" else int(key))
    environment = load_environment(folder / "environment.toml", design.params.radius, design.environment)
    tried = ShownTrials.read(folder / TRIALS) if key == "best" and (folder / TRIALS).exists() else None
    figure = plan_figure(environment, design, tried=tried)
    FigureCanvasAgg(figure)
    out = io.BytesIO()
    figure.savefig(out, format=form, dpi=PLAN_DPI)
    return out.getvalue()
