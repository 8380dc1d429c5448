"""The options of a plan in the studio: all that the command line has, made from one list, with messages at their fields."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from dynamics.tube import VineParams
from dynamics.tube_file import tube_content
from planner.plan.inputs import SUCCESS
from planner.plan.options import BY_NAME, OPTIONS, PlanOption, contradiction
from tests.vinewright.studio.browser import Studio
from vinewright.studio.jobs import plan_job
from vinewright.studio.requests import BadRequest, Options, check_options, offered_options, parse_as
from vinewright.studio.stop import Stop


@pytest.mark.parametrize("option", [one for one in OPTIONS if not one.is_path], ids=lambda option: option.name)
def test_defaults_and_choices_are_accepted(option: PlanOption) -> None:
    """The page may send the default of each option, each of its choices, and its limits; nothing beyond."""
    offered = offered_options()[option.name]
    fast = {"propagator": "penalty"} if option.name in ("verify", "solver", "surrogate") else {}
    for value in (offered["default"], *offered["choices"]):
        given = {**fast, option.name: value}
        check_options(parse_as(lambda given=given: Options(**given)))
    for limit, step in ((offered["least"], -1), (offered["most"], 1)):
        if limit is None:
            continue
        parse_as(lambda limit=limit: Options(**{option.name: limit}))
        if option.name != "seed":  # browsers count less far than a plan
            with pytest.raises(BadRequest, match=option.name):
                parse_as(lambda limit=limit, step=step: Options(**{option.name: limit + step}))
    assert offered["label"]
    assert bool(offered["implied"]) == (offered["default"] is None)


def test_the_page_gets_the_list() -> None:
    """Name, meaning and limits of a field are those of the list, paths left out; a plan of the page ends within a day."""
    assert {*BY_NAME} - {*offered_options()} == {"start_from"}
    assert [*offered_options()] == [name for name, option in BY_NAME.items() if not option.is_path]
    assert offered_options()["time_budget_s"]["most"] == 86400
    assert offered_options()["success"] == {
        "label": "Wanted success",
        "group": "Success under errors",
        "type": "float",
        "default": None,
        "implied": "90",
        "help": BY_NAME["success"].help,
        "least": None,
        "most": 100,
        "above": 0,
        "unit": "%",
        "flag": "--success",
        "choices": [],
    }


def test_implied_success_is_that_of_plans() -> None:
    """The share that the field shows in grey is the one that holds."""
    assert float(BY_NAME["success"].implied) == 100 * SUCCESS


@pytest.mark.parametrize(
    "given",
    [
        {"planner": "mine.py:Planner"},
        {"planner": "/tmp/mine.so:Planner"},
        {"uncertainty": "errors.toml"},
        {"verify": "../x"},
        {"device": "x"},
        {"start_from": "runs/plus"},
    ],
    ids=str,
)
def test_no_file_of_this_machine_is_read(given: dict[str, Any]) -> None:
    """Values that load a file on the command line are refused."""
    with pytest.raises(BadRequest):
        parse_as(lambda: Options(**given))


REFUSED = [
    ({"fast": True, "success": 80}, "--success, --uncertainty and --particles are for designs under errors"),
    ({"fast": True, "uncertainty": "field"}, "--success, --uncertainty"),
    ({"particles": 3, "propagator": "geometric"}, "--particles 3 needs --propagator quasistatic"),
    ({"preformed": True, "heuristic": True}, "options.preformed: cannot be combined with heuristic"),
    ({"supply": "much"}, "options.supply: --supply much is not a pressure"),
    ({"time_budget_s": 1e6}, "options.time_budget_s: "),
]


@pytest.mark.parametrize(("given", "words"), REFUSED, ids=str)
def test_options_that_do_not_fit_are_refused_before_a_plan(
    client: TestClient, given: dict[str, Any], words: str
) -> None:
    """The answer is one line that names an option, and there is no job."""
    body = {"text": "", "tube": tube_content(VineParams()), "options": given}
    answer = client.post("/api/plan", json=body)
    assert answer.status_code == 400
    assert words in answer.json()["error"]


def test_options_that_fit_have_no_contradiction() -> None:
    """Nothing is said of options that are not given."""
    assert contradiction({}) is None
    assert contradiction({"fast": True, "success": None, "particles": 1}) is None


def test_actuators_are_those_of_the_option(small_environment: Callable[[str], str], tmp_path: Path) -> None:
    """They replace the actuators of the tube, as on the command line; without the option the tube keeps its own."""
    for number, kinds in enumerate((None, "pouch,spam")):
        given = {
            "text": small_environment("[]"), "name": f"bench{number}", "tube": tube_content(VineParams()), "root": str(tmp_path),
            "options": {"iterations": 2, "fast": True, "actuator": kinds},
        }  # fmt: skip
        plan_job(given, lambda _: None, Stop())
        facts = json.loads((tmp_path / f"bench{number}" / "run.json").read_text())
        assert facts["inputs"]["actuator"] == (kinds or "spam")


# ---- in the page ----


@pytest.fixture
def fields(studio: Studio) -> Studio:
    """A studio whose panel Plan is open, with all options as they are without a choice."""
    studio.wait_for("state.check && !state.check.problem")
    usual = {name: one["default"] for name, one in offered_options().items()}
    studio.page.evaluate("async (options) => (await import('/store.js')).set({ options, panel: 'plan' })", usual)
    studio.page.locator("#plan-options summary").click()
    return studio


def test_every_option_has_a_field(fields: Studio) -> None:
    """Name, help and what holds without it are those of the list; choices and limits, too."""
    offered = offered_options()
    for name, one in offered.items():
        field = fields.page.locator("#plan-" + {"time_budget_s": "time", "uncertainty": "errors"}.get(name, name))
        assert field.is_visible(), name
        assert field.evaluate("(one) => one.labels[0].textContent").startswith(one["label"])
        title = field.get_attribute("title") or field.locator("xpath=ancestor::label").get_attribute("title")
        assert title == one["help"]
        if one["choices"]:
            given = field.locator("option").all_inner_texts()
            assert given == [*([one["implied"]] if one["default"] is None else []), *one["choices"]]
        elif one["type"] != "bool":
            assert (field.get_attribute("placeholder") or "") == one["implied"]
    assert fields.page.locator("#plan-options legend").all_inner_texts() == list(
        dict.fromkeys(one["group"] for one in offered.values())
    )
    for name, bad, words in (
        ("iterations", "2.5", "must be a whole number"), ("particles", "65", "must be at most 64"), ("steer", "-1", "must be at least 0"),
        ("success", "0", "must be more than 0"),
    ):  # fmt: skip
        field = fields.page.locator(f"#plan-{name}")
        field.fill(bad)
        field.press("Enter")
        assert words in fields.page.locator(".field", has=field).inner_text()
        field.fill("")
        field.press("Enter")
        assert field.get_attribute("aria-invalid") is None


def sent_options(studio: Studio) -> Any:
    """Press Plan, and return the options that the page sends; the plan does not start."""
    sent: list[Any] = []

    def take(route: Any) -> None:
        sent.append(route.request.post_data_json["options"])
        route.fulfill(status=409, json={"error": "not now"})

    studio.page.route("**/api/plan", take)
    studio.page.click("#plan-button")
    studio.wait_for("(await import('/panels/planning.js')).planning.refusal === 'not now'")
    studio.page.unroute_all()
    return sent[0]


def test_options_reach_the_server(fields: Studio) -> None:
    """Every field that is changed is in the request, those that are not given as null."""
    for name, text in (("steer", "2"), ("supply", "80 kPa"), ("friction", "0,2"), ("iterations", "7")):
        fields.page.fill(f"#plan-{name}", text)
        fields.page.press(f"#plan-{name}", "Tab")
    fields.page.check("#plan-preformed")
    fields.page.select_option("#plan-verify", "geometric")
    usual = {name: one["default"] for name, one in offered_options().items()}
    changed = {
        "steer": 2,
        "supply": "80 kPa",
        "friction": 0.2,
        "iterations": 7,
        "preformed": True,
        "verify": "geometric",
    }
    assert sent_options(fields) == usual | changed


def test_a_combination_is_refused_at_its_field(fields: Studio) -> None:
    """The field that the message names is shown and marked until another option is changed; the plan can then start."""
    page = fields.page
    page.check("#plan-preformed")
    page.check("#plan-heuristic")
    page.locator("#plan-options summary").click()
    page.click("#plan-button")
    field = page.locator(".field", has=page.locator("#plan-preformed"))
    field.get_by_role("alert").wait_for()
    assert (
        field.get_by_role("alert")
        .inner_text()
        .startswith("cannot be combined with “Guide the search by ways to the goal”")
    )
    assert page.locator("#plan-preformed").get_attribute("aria-invalid") == "true"
    assert "see above" in page.locator("#plan-reason").inner_text()
    page.uncheck("#plan-heuristic")
    assert page.locator("#plan-preformed").get_attribute("aria-invalid") is None
    assert page.locator("#plan-reason").is_hidden()
    page.uncheck("#plan-preformed")


def test_a_plan_that_fails_by_an_option_says_so_at_its_field(fields: Studio) -> None:
    """A fault that only the plan itself can see is told at the field, too."""
    page = fields.page
    page.select_option("#plan-verify", "quasistatic")
    page.click("#plan-button")
    field = page.locator(".field", has=page.locator("#plan-verify"))
    field.get_by_role("alert").wait_for()
    assert field.get_by_role("alert").inner_text().startswith("“Verify with” quasistatic is the propagator that plans")
    page.select_option("#plan-verify", "")
    assert page.locator("#plan-verify").get_attribute("aria-invalid") is None
