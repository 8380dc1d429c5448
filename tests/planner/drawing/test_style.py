"""Pictures with few colours show every colour that means something."""

import io

import numpy as np
import pytest
from PIL import Image

from planner.drawing.style import ACTUATOR, GOAL, palette_of
from planner.studies.studio.pictures import with_few_colours


def shaded(*small: str) -> Image.Image:
    """A picture with 3 600 shades of blue and grey, and a few pixels of other colours in its first row."""
    rows, columns = np.mgrid[:60, :60]
    pixels = np.stack([100 + 2 * rows, 120 + rows + columns, 140 + 2 * (columns // 2)], axis=2).astype(np.uint8)
    for k, colour in enumerate(small):
        pixels[0, 4 * k : 4 * k + 4] = list(bytes.fromhex(colour[1:]))
    return Image.fromarray(pixels)


@pytest.mark.parametrize("reduced", ["of a figure", "of a page"])
def test_small_marks_keep_their_colours(reduced: str) -> None:
    """Four pixels of the colour of an actuator on the right, or of the goal, among thousands of shades of others."""
    image = shaded(ACTUATOR["right"], GOAL)
    if reduced == "of a figure":
        few = image.quantize(palette=palette_of(image), dither=Image.Dither.NONE)
    else:
        out = io.BytesIO()
        image.save(out, "PNG")
        few = Image.open(io.BytesIO(with_few_colours(out.getvalue())))
    found = np.asarray(few.convert("RGB"))
    assert len(np.unique(found.reshape(-1, 3), axis=0)) <= 256
    np.testing.assert_allclose(found, np.asarray(image), atol=12)
    for k, colour in enumerate((ACTUATOR["right"], GOAL)):
        assert found[0, 4 * k : 4 * k + 4].tolist() == [list(bytes.fromhex(colour[1:]))] * 4
