"""Jobs of the worker processes of the studio: a plan, the growth of a design, trials, a pack."""

from __future__ import annotations

import csv
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.actuator_file import replace_actuators
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments.environment import Environment
from environments.environment_file import parse_environment
from environments.objects import object_names, objects_of
from planner.design.design import Design
from planner.design.design_file import load_design
from planner.design.estimate import SHOWN_ERRORS, Estimate
from planner.design.replay import make_simulation, replay, resolve_growth
from planner.fabrication import FORMATS
from planner.fabrication.formats import WrittenFormats, write_formats
from planner.fabrication.pack import Pack
from planner.output.claim import claim
from planner.output.folder import stem_of
from planner.plan.inputs import Inputs
from planner.plan.plan import plan
from planner.plan.problem import Problem
from planner.uncertainty.errors import errors_with_name
from planner.uncertainty.trials import Worlds, grow_trials
from planner.uncertainty.weakest import estimate_success
from surrogate.registry import parse_actuators
from vinewright.built.learning import STATED
from vinewright.console.errors import without_extra
from vinewright.studio.built import stated_errors
from vinewright.studio.events import Send
from vinewright.studio.stop import Stop
from vinewright.studio.streamed import EventWatcher
from vinewright.studio.tubes import tube_in
from vinewright.studio.views import line_of

MOST_RECORDS = 400
"""Maximum number of records of a growth; of longer ones every second, third ... is shown."""
BATCH = 20
"""Number of trials between two events."""


def plan_job(given: dict[str, Any], send: Send, stop: Stop) -> None:
    """Plan in an environment and write an ordinary run folder.

    Args:
        given: `text` of the environment and its `name` if that has none, the id of its `drawing`, `tube`, `options` of the plan, and
            `root`, the folder of all runs; perhaps `begin`, the folder of the run with whose design the plan begins, and `learnt`, that
            of the run from whose trials its errors were learnt.
        stop: Ends it as Ctrl-C does.
    """
    watcher = EventWatcher(send, stop)
    watcher.tell(phase="starting", drawing=given.get("drawing"), name=given["name"])
    tube = tube_in(given["tube"])
    environment = parse_environment(given["text"].encode(), given["name"], tube.radius)
    options = {**given["options"], "start_from": given.get("begin")}
    if learnt := given.get("learnt"):
        options["uncertainty"] = str(Path(learnt) / STATED)
    if kinds := options.pop("actuator", None):
        tube = replace_actuators(tube, parse_actuators(kinds))
    inputs = Inputs(actuator=tube.kinds, **options)
    with claim(None, Path(given["root"]) / stem_of(environment.name)) as folder:
        if stop.requested:
            raise KeyboardInterrupt
        result = plan(Problem.of(environment, tube, inputs), None, folder, watcher)
        if result.best is None:
            watcher.tell(phase="done", message=_no_design(result.reason, tube), left=0.0)
            return
        watcher.tell(phase="writing", message="writing the folder of the run", left=0.0)
        result.write(folder)
    note = "stopped early: the best design so far was kept" if result.interrupted else ""
    if short := result.shortfall:
        note = f"{note}; {short}" if note else f"{short}: allow more time, or go on with this design as it is"
    watcher.tell(phase="done", run=folder.name, message=note, left=0.0)


def _no_design(reason: str, tube: VineParams) -> str:
    width = f"check that every passage is wider than {2e3 * tube.radius:.0f} mm"
    return f"no design reaches the goal ({reason}): allow more time, try another seed or a larger goal; {width}"


def _load(given: dict[str, Any]) -> tuple[Environment, Design]:
    """The environment of a run folder and one of its designs."""
    folder, key = Path(given["folder"]), given["design"]
    design = load_design(folder, None if key == "best" else int(key))
    text = (folder / "environment.toml").read_bytes()
    return parse_environment(text, design.environment, design.params.radius), design


def look_job(given: dict[str, Any], send: Send, stop: Stop) -> None:  # noqa: ARG001
    """Grow a design once with a propagator."""
    environment, design = _load(given)
    name = given["propagator"]
    design, make = resolve_growth(design, environment, name)
    growth = make_simulation(design, environment, replay(design, make(environment, design.params)))
    some = np.arange(0, len(growth.lengths), -(-len(growth.lengths) // MOST_RECORDS) or 1)
    if len(growth.lengths) and some[-1] != len(growth.lengths) - 1:
        some = np.append(some, len(growth.lengths) - 1)
    force = np.nan_to_num(growth.contact_force)
    shown = {
        "run": given["run"],
        "design": given["design"],
        "propagator": name,
        "lengths": (1e3 * growth.lengths[some]).round(1).tolist(),
        "joints": [line_of(growth.joints[k]) for k in some],
        "forces": [force[k, : len(line_of(growth.joints[k])) - 1].round(2).tolist() for k in some],
        "reached": growth.reached,
        "ending": growth.ending,
    }
    send({"type": "growth", "growth": shown})


def trials_job(given: dict[str, Any], send: Send, stop: Stop) -> None:
    """Grow a design in worlds with errors, and name the errors on which its success depends."""
    environment, design = _load(given)
    asked = stated_errors(given, Path(given["folder"]))
    name, uncertainty = errors_with_name(environment, design.params, asked)
    name = f"{name} and learnt" if asked.learnt else name
    count, seed = given["trials"], given["seed"]
    reached = np.zeros(0, bool)
    about = {
        "type": "trials",
        "run": given["run"],
        "design": given["design"],
        "asked": count,
        "weakest": None,
        "influences": [],
    }
    send({**about, "first": True, "busy": True, "reached": [], "lines": [], "success": None})
    for first in range(0, count, BATCH):
        if stop.requested:
            break
        some = range(first, min(first + BATCH, count))
        outcome = grow_trials(design, Worlds.draw(environment, design.params, uncertainty, some, seed))
        reached = np.concatenate([reached, outcome.reached])
        success = _success(name, reached)
        lines = [line_of(joints) for joints in outcome.joints]
        send({**about, "busy": True, "reached": reached.tolist(), "lines": lines, "success": success})
    estimate = estimate_success(design, environment, uncertainty, range(len(reached)), seed, reached)
    known = {**_success(name, reached), "weakest": estimate.weakest} if len(reached) else None
    ranked = [one.content() for one in (estimate.influences or ())[:SHOWN_ERRORS]]
    marked = {**about, "weakest": weakest_view(estimate.weakest, environment), "influences": ranked}
    send({**marked, "busy": False, "reached": reached.tolist(), "lines": [], "success": known})


def _success(errors: str, reached: np.ndarray) -> dict[str, Any]:
    estimate = Estimate(int(reached.sum()), len(reached))
    low, high = estimate.interval
    count = {"reached": estimate.reached, "trials": estimate.trials}
    return {"errors": errors, **count, "low": low, "high": high, "weakest": None}


def weakest_view(text: str | None, environment: Environment) -> dict[str, Any] | None:
    """The weakest error in words, and the obstacles, by name, or the number of the actuator that it is about."""
    if text is None:
        return None
    named = [
        (name, one) for one, name in enumerate(object_names(environment)) if re.match(rf"{re.escape(name)}\b", text)
    ]
    solids, section = environment.solids, re.match(r"section (\d+)", text)
    of = max(named, key=lambda one: len(one[0]))[1] if named else -1
    return {
        "text": text,
        "obstacles": [solids.name(piece) for piece, one in enumerate(objects_of(environment).tolist()) if one == of],
        "section": int(section[1]) if section else None,
    }


def pack_job(given: dict[str, Any], send: Send, stop: Stop) -> None:  # noqa: ARG001
    """Round a design to whole cells and write the files for fabrication as one zip file, `given["zip"]`."""
    environment, design = _load(given)
    model = QuasiStatic(environment, design.params)
    pack = Pack.of(design, environment, model, None, given["allow_limit"]).with_trials()
    target = Path(given["zip"])
    with tempfile.TemporaryDirectory(dir=target.parent) as parent:
        folder = Path(parent) / f"{given['run']}-pack"
        folder.mkdir()
        written = write_formats(pack, FORMATS, folder)
        shown = {
            "id": target.stem,
            "run": given["run"],
            "design": given["design"],
            "pattern": (folder / "pattern.svg").read_text(encoding="utf-8"),
            "cuts": _rows(folder / "cut-list.csv"),
            "parts": _rows(folder / "parts.csv"),
            "warnings": [*_missing(written), *map(in_words_of_panels, pack.content()["warnings"])],
            "files": written.files,
            "reached": pack.grown.reached,
        }
        shutil.make_archive(str(target.with_suffix("")), "zip", parent, folder.name)
    send({"type": "pack", "pack": shown})


def in_words_of_panels(warning: str) -> str:
    """Replace options of the command line, of which the page has none, by the words of its panels."""
    told = warning.replace("a longer --time-budget", "more time")
    return re.sub(r"with --uncertainty (\w+)", r"with the errors “\1”", told)


def _missing(written: WrittenFormats) -> list[str]:
    """List the missing files of a pack, each with the reason."""
    missing = [f"{', '.join(written.missing)}: {without_extra('fab')}"] if written.missing else []
    return missing + [
        f"there is no bracket.stl: {why}; constrict the cells by other means" for why in written.faults.values()
    ]


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file) if row and not row[0].startswith("#")]
