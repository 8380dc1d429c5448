"""Pictures with few colours show every colour that means something."""

import numpy as np
from PIL import Image

from planner.drawing.style import ACTUATOR, GOAL, few_colours


def shaded(*small: str) -> Image.Image:
    """A picture with 3 600 shades of blue and grey, and a few pixels of other colours in its first row."""
    rows, columns = np.mgrid[:60, :60]
    pixels = np.stack([100 + 2 * rows, 120 + rows + columns, 140 + 2 * (columns // 2)], axis=2).astype(np.uint8)
    for k, colour in enumerate(small):
        pixels[0, 4 * k : 4 * k + 4] = list(bytes.fromhex(colour[1:]))
    return Image.fromarray(pixels)


def test_small_marks_keep_their_colours() -> None:
    """Four pixels of the colour of an actuator on the right, or of the goal, among thousands of shades of others."""
    image = shaded(ACTUATOR["right"], GOAL)
    few = few_colours(image)
    assert few.mode == "P"
    found = np.asarray(few.convert("RGB"))
    assert len(np.unique(found.reshape(-1, 3), axis=0)) <= 256
    np.testing.assert_allclose(found, np.asarray(image), atol=12)
    for k, colour in enumerate((ACTUATOR["right"], GOAL)):
        assert found[0, 4 * k : 4 * k + 4].tolist() == [list(bytes.fromhex(colour[1:]))] * 4


def test_areas_that_are_nearly_alike_stay_apart() -> None:
    """White paper beside a panel that is almost white, and a grid on it that is hardly darker; single pixels follow them."""
    pixels = np.full((100, 200, 3), 255, np.uint8)
    pixels[:, 100:] = 251, 252, 254
    pixels[::20, :100] = 246, 247, 249
    speckled = pixels.copy()
    speckled[50, [10, 150]] = (255, 253, 255), (250, 252, 254)
    assert np.array_equal(np.asarray(few_colours(Image.fromarray(speckled)).convert("RGB")), pixels)
