"""The page while it is opened."""

from typing import Any

from tests.vinewright.studio.browser import Studio


def test_the_page_says_that_the_studio_starts_until_it_answers(studio: Studio) -> None:
    """The words are there before the first answer, and go with it; no panel is filled before."""
    held: list[Any] = []
    page = studio.page.context.new_page()
    page.route("**/api/state", lambda route: held.append(route))
    page.goto(studio.running.base + "#" + studio.running.token)
    words = page.locator("#opening")
    assert "takes a few seconds" in words.inner_text()
    assert page.get_by_role("tab", name="Plan").is_visible()
    held[0].continue_()
    page.wait_for_selector("body[data-connected]")
    assert words.count() == 0
    page.close()


def test_figures_of_a_tube_are_computed_when_they_are_shown(studio: Studio) -> None:
    """A shipped tube comes without its figures; the panel of the tube asks for them once, and keeps them."""
    asked: list[str] = []
    studio.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/api/tube") else None)
    studio.page.reload()
    studio.page.wait_for_selector("body[data-connected]")
    assert studio.state("state.known.tubes.every(({ tube }) => !tube.figures)")
    assert asked == []
    studio.page.click("#tab-tube")
    studio.page.wait_for_selector("#tube-figures td")
    assert "buckling length" in studio.page.locator("#tube-figures").inner_text()
    studio.page.click("#tab-draw")
    studio.page.click("#tab-tube")
    assert len(asked) == 1
