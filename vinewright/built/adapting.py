"""Adaptation of a built design: what `vinewright adapt` reads, infers, searches and writes, without a console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from environments.uncertainty_in_files import StatedUncertainty
from planner.adapting.adapting import Adapted, adapt, recommended
from planner.adapting.changes import Mount
from planner.adapting.folder import AdaptedDesign, adapted_content
from planner.adapting.searching import Limit
from planner.built import posterior as inference
from planner.built.learning_report import unexplained_growths
from planner.built.posterior import DOUBTED, FEW, Posterior
from planner.built.predicting import BuiltTube
from planner.built.trial import Trials, design_digest
from planner.design.design_file import load_design
from planner.output.contents import MEASUREMENTS
from planner.output.text import plural
from planner.uncertainty.errors import errors_with_name
from planner.uncertainty.trials import Worlds, grow_trials
from surrogate.kernels.compiled import Floats
from vinewright.built.folder import BuiltDesign, check_folder, environment_in
from vinewright.console.errors import BadInput

if TYPE_CHECKING:
    from planner.drawing.trials import PredictedTips

DRAWN = 200
"""Number of growths in the picture, as built and adapted."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Changes that are allowed, and how long they are searched."""

    mount: Mount
    move: float
    """Largest shift of an obstacle in x and in y [m]; 0 if none can be moved."""
    seconds: float
    """Time for the search of all changes [s]."""
    wanted: float
    """Success that is wanted [-]."""
    seed: int = 0
    """Seed of samples and searches."""
    stopped: Callable[[], bool] = lambda: False
    """Returns whether to end soon and keep what was found."""


def read_built(folder: Path, solution: int | None) -> BuiltDesign:
    """Read a design and what was measured of it, perhaps nothing.

    Args:
        solution: Number of the solution that was built, if nothing was measured; None for the design of the folder.
    Raises:
        BadInput: The folder is not one of a run or a pack, or its environment is not known or was changed.
        InvalidTrials: The trials cannot be used.
    """
    check_folder(folder)
    if (folder / MEASUREMENTS).is_file():
        return BuiltDesign.read(folder)
    design = load_design(folder, solution)
    environment = environment_in(folder, design)
    if design.sha256 != environment.sha256:
        raise BadInput(f"{folder}: its environment is not the one of its design, or was changed since")
    return BuiltDesign(folder, design, environment, Trials(design_digest(design)), [])


def infer_errors(
    built: BuiltDesign, stated: StatedUncertainty, seed: int = 0, watch: Callable[[float], None] = lambda _: None
) -> tuple[str, Posterior]:
    """Infer the errors of a built tube from its trials; return their name, too.

    Args:
        watch: Called with the share of the work that is done [-].
    """
    named, errors = errors_with_name(built.environment, built.design.params, stated)
    tube = BuiltTube(built.design, built.environment, errors)
    found = inference.infer(tube, built.trials, built.path_of, seed=seed, watch=watch)
    return named if built.trials.empty else f"{named} and learnt", found


def inference_notes(posterior: Posterior, trials: Trials) -> Iterator[str]:
    """Yield what people should know of the errors that were inferred, a line each; warnings begin with `warning: `."""
    if posterior.different < FEW:
        yield (
            f"note: only {posterior.different} samples of the errors differ, so that others of the stated errors take part; trials of "
            "another kind help, such as bends in free space"
        )
    doubted, strange, growths = posterior.doubted(), len(unexplained_growths(posterior)), len(trials.growths)
    for name in doubted:
        yield f"note: no error of this size explains {name}; check it"
    if posterior.unexplained >= DOUBTED:
        yield (
            "warning: no errors of this size explain how often the tube reached the goal, so that the changes below are for another tube "
            "than yours: check what was measured, or state larger errors with --uncertainty"
        )
    elif len(doubted) > len(posterior.strange) / 2:
        yield (
            "warning: most measurements have no explanation, so that the changes below are for another tube than yours: check what was "
            "measured, or state larger errors with --uncertainty"
        )
    elif strange:
        other = f"growths like the other {growths - strange}" if strange < growths else "growths that it has not had"
        yield (
            f"warning: {strange} of {plural(growths, 'growth')} went as no errors explain; every success below is that of {other}: count "
            "on less until the cause is found"
        )


def search_until_enough(posterior: Posterior, asked: Asked) -> Iterator[Adapted]:
    """Search the changes, cheapest first, until one is enough; yield the best of each kind, first the tube as it is."""
    known = list[Adapted]()
    for one in adapt(posterior, asked.mount, asked.move, Limit(asked.seconds, stopped=asked.stopped), asked.seed):
        known.append(one)
        yield one
        if recommended(known, asked.wanted):
            return


def write_adapted(
    place: Path,
    built: BuiltDesign,
    found: list[Adapted],
    chosen: Adapted,
    wanted: float,
    errors: tuple[str, StatedUncertainty],
) -> AdaptedDesign:
    """Write the folder of one of the proposals, with a picture of all tips before and after the change.

    Args:
        place: Folder to write.
        chosen: One of `found`.
        wanted: Success that was wanted [-].
        errors: Their name, and the errors that were asked for.
    """
    from planner.drawing.adapted import save_adapted_picture

    made, environment = AdaptedDesign.of(chosen, *errors), built.environment
    before, after = predict_tips(found[0], errors[0]), predict_tips(chosen, errors[0])

    def draw(path: Path) -> None:
        save_adapted_picture(path, environment, made.environment, made.design, before, after, chosen.name)

    made.write(place, adapted_content(found, wanted, built.design, environment, chosen), draw)
    return made


def predict_tips(one: Adapted, named: str) -> PredictedTips:
    """Return where growths of a proposal end.

    Args:
        named: Name of the errors.
    """
    from planner.drawing.trials import PredictedTips

    normal = one.posterior.normal[:DRAWN]
    passing = np.random.default_rng(0).standard_normal(normal.shape)
    grown = one.posterior.tube.grow(one.posterior.tube.pair(normal, passing), one.setting)
    return PredictedTips(grown.tip, grown.nearest <= 0.0, named)


def expected_line(one: Adapted) -> Floats:
    """Return the centreline of a proposal's tube with the mean of the errors that fit the trials [m], shape (n, 2)."""
    tube, design = one.posterior.tube, one.setting.grown
    world, sections = tube.errors(one.posterior.normal.mean(axis=0, keepdims=True))
    one.setting.apply(world)
    joints = grow_trials(design, Worlds(tube.environment, design.params, world), sections).joints[0]
    return joints[~np.isnan(joints[:, 0])]
