"""Fixtures of tests of run folders: pictures with few pixels, since what they show is tested elsewhere."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def few_pixels(small_pictures: None) -> None:
    """The pictures of a run have few pixels."""
