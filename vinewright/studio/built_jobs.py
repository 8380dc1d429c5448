"""Jobs about a built design: what its trials say of its errors, how it is adapted, and the folder of the adapted design."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import radians
from pathlib import Path
from typing import Any

import numpy as np

from environments.environment import Environment
from environments.uncertainty_in_files import StatedUncertainty
from planner.adapting.adapting import Adapted, best_of, list_kinds, recommended
from planner.adapting.changes import Mount
from planner.adapting.folder import set_anew
from planner.adapting.words import what_to_do
from planner.built.learning_report import Learning
from planner.built.posterior import SuccessRange
from planner.design.design import Design
from planner.output.claim import claim, claim_file
from planner.output.contents import MEASUREMENTS
from vinewright.built.adapting import (
    Asked,
    expected_line,
    infer_errors,
    inference_notes,
    predict_tips,
    read_built,
    search_until_enough,
    write_adapted,
)
from vinewright.built.folder import BuiltDesign, summary
from vinewright.built.learning import (
    PICTURE,
    STATED,
    check_replaced,
    learn_from,
    success_before,
    tube_of,
    write_learning,
)
from vinewright.console.errors import BadInput
from vinewright.studio.built import in_words, read_of, stated_errors, told_in_words
from vinewright.studio.events import Message, Send
from vinewright.studio.stop import Stop
from vinewright.studio.views import design_view

MOST_KEPT = 4
"""Number of searches whose proposals can still be written, the last ones."""


class Stopped(Exception):
    """The page asked a job to stop."""


# ---- learning ----


@told_in_words()
def learn_job(given: Message, send: Send, stop: Stop) -> None:
    """Learn the errors of a built design from its trials, and write what `vinewright trials learn` writes."""
    folder, about = Path(given["folder"]), {"run": given["run"], "design": given["design"]}

    def tell(**changes: Any) -> None:
        send(
            {
                "type": "learning",
                "learning": {**about, "busy": True, "share": None, "stopped": False, "result": None, **changes},
            }
        )

    def watch(share: float) -> None:
        _check(stop)
        tell(share=share)

    tell()
    built = read_of(folder, given["design"])
    if built.trials.empty:
        raise BadInput("nothing was measured of this design: add a growth or a bend first")
    stated = stated_errors(given["errors"], folder)
    tube, (path, picture) = tube_of(built, stated), (folder / STATED, folder / PICTURE)
    with ExitStack() as held:
        for file in (path, picture):
            held.enter_context(claim_file(file, True))
        check_replaced(path)
        try:
            before = success_before(built, tube)
            _check(stop)
            learning = learn_from(built, tube, before, watch=watch)
            _check(stop)
        except Stopped:
            tell(busy=False, stopped=True)
            return
        write_learning(path, picture, built, learning, stated)
    tell(busy=False, share=1.0, result=learning_view(learning))


def _check(stop: Stop) -> None:
    """Raise `Stopped` if the page asked to stop."""
    if stop.requested:
        raise Stopped


def learning_view(learning: Learning) -> dict[str, Any]:
    """Return the view of what was learnt."""
    _, *lines = learning.lines()
    return {
        "before": _range_view(learning.before),
        "now": _range_view(learning.now),
        "lines": list(map(in_words, lines)),
        "rows": [list(row) for row in learning.rows()],
        "notes": list(map(in_words, learning.notes())),
    }


def _range_view(success: SuccessRange) -> dict[str, float]:
    low, high = success.interval
    return {"mean": success.mean, "low": low, "high": high}


# ---- adapting ----


@dataclass(frozen=True, slots=True)
class Searched:
    """Proposals that were found, with all that is needed to write one of them."""

    built: BuiltDesign
    found: list[Adapted]
    named: str
    stated: StatedUncertainty
    wanted: float


_SEARCHED: dict[int, Searched] = {}
"""The last searches of this process, by the numbers of their jobs."""


@told_in_words()
def adapt_job(given: Message, send: Send, stop: Stop) -> None:
    """Search what to change at a built tube so that it reaches the goal, cheapest first; tell of each proposal as it is found."""
    folder, key, wanted = Path(given["folder"]), given["design"], given["success"]
    about = {"run": given["run"], "design": key, "search": given["job"], "wanted": wanted}
    state: Message = {
        **about,
        "busy": True,
        "stage": "weighing",
        "share": None,
        "notes": [],
        "measured": "",
        "total": 0,
        "proposals": [],
    }
    state |= {"recommended": None, "best": 0, "stopped": False}

    def tell(**changes: Any) -> None:
        state.update(changes)
        send({"type": "adapting", "adapting": dict(state)})

    def watch(share: float) -> None:
        _check(stop)
        tell(share=share)

    tell()
    if (folder / MEASUREMENTS).is_file():
        built = read_of(folder, key)
        tell(measured=summary(built.trials, built.design).partition(": ")[2])
    else:
        built = read_built(folder, None if key == "best" else int(key))
    stated = stated_errors(given["errors"], folder)
    try:
        named, posterior = infer_errors(built, stated, watch=watch)
        _check(stop)
    except Stopped:
        tell(busy=False, stopped=True)
        return
    mount = Mount(1e-3 * given["mount_shift_mm"], radians(given["mount_turn_deg"]))
    move = 1e-3 * given["move_obstacles_mm"]
    asked = Asked(mount, move, given["seconds"], wanted, stopped=lambda: stop.requested)
    notes = list(map(in_words, inference_notes(posterior, built.trials)))
    tell(stage="searching", share=None, notes=notes, total=len(list_kinds(posterior, mount, move)) + 1)
    found, views = list[Adapted](), list[Message]()
    for one in search_until_enough(posterior, asked):
        found.append(one)
        views.append(proposal_view(one, built.design, built.environment))
        enough = recommended(found, wanted)
        chosen = {"recommended": None if enough is None else found.index(enough), "best": found.index(best_of(found))}
        tell(proposals=list(views), share=len(found) / state["total"], **chosen)
    _SEARCHED[given["job"]] = Searched(built, found, named, stated, wanted)
    for old in [*_SEARCHED][:-MOST_KEPT]:
        del _SEARCHED[old]
    tell(busy=False, stopped=stop.requested)


def proposal_view(one: Adapted, before: Design, environment: Environment) -> Message:
    """Return the view of a proposal: what to do, its success, and the tube as it is expected to grow then."""
    low, high = one.success.interval
    design, tips = replace(set_anew(one.setting), centerline=expected_line(one)), predict_tips(one, "")
    heading = float(environment.start[2]) + one.setting.base[2]
    return {
        "change": one.name,
        "to_do": what_to_do(before, one.setting, environment),
        "success": {"mean": one.success.mean, "low": low, "high": high},
        "better": one.better,
        "design": design_view(design, "adapted", one.name, heading),
        "tips": [[round(1e3 * x, 1), round(1e3 * y, 1)] for x, y in tips.tips.tolist() if x == x],
        **_pressures_view(before, one.setting.design),
    }


def _pressures_view(before: Design, after: Design) -> dict[str, Any]:
    """Return the set points of the actuators before and after a change [kPa], and the lengths from which the latter hold [mm].

    Of a design that follows a schedule before the change there are none: what to do says where it changes.
    """
    if before.schedule is not None:
        return {"marks": [], "pressures": []}
    marks, new = np.zeros(1), np.array([[one.pressure for one in after.actuated]])
    if after.schedule is not None:
        # The schedule of a change has steps alone: what holds from each on is its second row.
        steps = 1 + np.flatnonzero(np.diff(after.schedule.lengths) == 0)
        rows = np.concatenate([[0], steps])
        marks, new = after.schedule.lengths[rows], after.schedule.pressures[rows]
    old: list[float | None] = [round(1e-3 * one.pressure, 2) for one in before.actuated]
    old += [None] * (after.actuators - len(old))
    pressures = [[was, *column] for was, column in zip(old, (1e-3 * new).round(2).T.tolist(), strict=True)]
    return {"marks": (1e3 * marks).round(1).tolist(), "pressures": pressures}


@told_in_words()
def keep_job(given: Message, send: Send, stop: Stop) -> None:  # noqa: ARG001
    """Write the folder of a proposal, as `vinewright adapt` writes it, beside that of the run."""
    folder, number = Path(given["folder"]), given["proposal"]
    searched = _SEARCHED.get(given["search"])
    if searched is None or searched.built.folder != folder or not 0 < number < len(searched.found):
        raise BadInput("this proposal is not there any more: search again")
    with claim(None, folder.with_name(f"{folder.name}-adapted")) as place:
        write_adapted(
            place,
            searched.built,
            searched.found,
            searched.found[number],
            searched.wanted,
            (searched.named, searched.stated),
        )
    about = {"run": given["run"], "design": given["design"], "search": given["search"], "proposal": number}
    send({"type": "kept", "kept": {**about, "folder": place.name, "path": str(place)}})
