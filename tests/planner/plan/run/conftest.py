"""What tests of run folders share: pictures with few pixels, since what they show is tested elsewhere."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def small_pictures() -> Iterator[None]:
    """The pictures of a run have a third of their resolution."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("plan.PLAN_DPI", "solutions.DPI"):
            patch.setattr(f"planner.drawing.{name}", 50)
        yield
