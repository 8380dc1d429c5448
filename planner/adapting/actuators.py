"""Changes of a tube that is built by an actuator more, glued on bare tube beyond the last one, or by another one in the place of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.stats import qmc

from planner.adapting.changes import Change, Variant, levelled, scaled
from planner.built.posterior import Posterior
from planner.built.predicting import BuiltTube, Setting
from planner.design.catalogue import Catalogue
from planner.design.design import Design, Section, Side
from planner.plan.choice.refinement import FINEST, fits, replace_curvature
from planner.uncertainty.causes import COMMON, Cause
from surrogate.kernels.compiled import Floats

PLACES = 16
"""Number of places, lengths and curvatures at which the search for one more actuator begins, on each side."""
BENDS = -1.5, 0.0, 1.5
"""Curvatures at which the search for another actuator in the place of one begins, on each side, as `_share` takes them."""
SIDES: tuple[Side, ...] = ("left", "right")


def one_more_actuator(design: Design, posterior: Posterior) -> Change:
    """Return the change by an actuator beyond the last one, and other pressures; all that is built stays as it is."""
    name, last = "one more actuator", design.sections[-1]
    if last.side != "none" or design.schedule is not None:
        return Change(name, [])
    catalogue, others = Catalogue.of(design.params), len(levelled(design))
    # Evenly spread over place, length and curvature (Sobol); `_share` is undone.
    spread = qmc.Sobol(3, rng=0).random(PLACES)
    places = np.log(spread / (1 - spread)).clip(-4.0, 4.0)
    variants = []
    for kind in range(len(catalogue.ranges)):
        for side in SIDES:

            def make(x: Floats, side: Side = side, kind: int = kind) -> Setting | None:
                parts = _divided(last, design, catalogue, replace(last, side=side, kind=kind), x[:3])
                if parts is None:
                    return None
                more = scaled(design, x[3:])
                return Setting(replace(more, sections=(*more.sections[:-1], *parts), success=None))

            variants += _variant(posterior, make, places, others)
    return Change(name, variants)


def _divided(last: Section, design: Design, catalogue: Catalogue, bent: Section, x: Floats) -> list[Section] | None:
    """Divide the bare end of a tube into bare tube, an actuator and bare tube; None if the actuator is too short.

    Args:
        bent: Section with side and kind of the actuator.
        x: Place, length and curvature.
    """
    finest, shortest = FINEST * design.params.scale, design.params.segment_length
    begin, share, bend = map(_share, x)
    room = design.length - last.start
    start = last.start + float(np.round(begin * room / finest) * finest)
    end = start + float(np.round(share * (design.length - start) / finest) * finest)
    # Bare tube that is shorter than a segment belongs to the actuator.
    start = last.start if start - last.start < shortest else start
    end = last.end if last.end - end < shortest else end
    low, high = catalogue.ranges[bent.kind]
    middle = replace_curvature(replace(bent, start=start, end=end), catalogue, low + (high - low) * bend)
    if not fits(middle, shortest):
        return None
    return [one for one in (replace(last, end=start), middle, replace(last, start=end)) if one.end > one.start]


def another_actuator(design: Design, posterior: Posterior) -> Change:
    """Return the change by another actuator in the place of one, with other cells, pressure or side, and other pressures."""
    name, catalogue = "another actuator in place of one", Catalogue.of(design.params)
    if design.schedule is not None:
        return Change(name, [])
    variants = []
    for number, at in enumerate(k for k, section in enumerate(design.sections) if section.actuated):
        kept = [k for k in levelled(design) if k != number]
        for kind in range(len(catalogue.ranges)):
            for side in SIDES:

                def make(
                    x: Floats, at: int = at, number: int = number, side: Side = side, kind: int = kind
                ) -> Setting | None:
                    factors = dict(zip([k for k in levelled(design) if k != number], x[1:].tolist(), strict=True))
                    more = scaled(design, np.array([factors.get(k, 0.0) for k in levelled(design)]))
                    low, high = catalogue.ranges[kind]
                    bare = replace(design.sections[at], side=side, kind=kind, on=True)
                    new = replace_curvature(bare, catalogue, low + (high - low) * _share(x[0]))
                    if not fits(new, design.params.segment_length):
                        return None
                    made = replace(more, sections=(*more.sections[:at], new, *more.sections[at + 1 :]))
                    return Setting(made, renewed=(number,))

                variants += _variant(posterior, make, np.array(BENDS)[:, None], len(kept), f"section {number + 1}: ")
    return Change(name, variants)


def _variant(
    posterior: Posterior, make: Callable[[Floats], Setting | None], points: Floats, others: int, renewed: str = ""
) -> list[Variant]:
    """Return a variant with the errors of its own tube; none if it cannot be made at any start."""
    starts = np.concatenate([points, np.zeros((len(points), others))], axis=1)
    made = [one for one in map(make, starts) if one is not None]
    if not made:
        return []
    tube = BuiltTube(made[0].design, posterior.tube.environment, posterior.tube.uncertainty)
    return [Variant(errors_of(posterior, tube, renewed), make, starts)]


def errors_of(posterior: Posterior, tube: BuiltTube, renewed: str = "", seed: int = 0) -> Posterior:
    """Return the errors of a tube that was changed: those of what it kept are known, others are drawn from the prior.

    Args:
        renewed: Beginning of the names of errors that are drawn from the prior.
    """
    before = {cause.key: cause for cause in posterior.tube.unknowns}
    known = {
        key: column
        for (key, cause), column in zip(before.items(), posterior.normal.T, strict=True)
        if not (renewed and cause.name.startswith(renewed))
    }
    after = {cause.key: cause for cause in tube.unknowns}
    fresh = np.random.default_rng([seed, 10]).standard_normal((len(after), len(posterior.normal)))
    columns = {key: known.get(key, other) for key, other in zip(after, fresh, strict=True)}
    own, rest = np.sqrt(1 - COMMON), np.sqrt(COMMON)
    # The bend of an actuator that was the only one of its kind gets a part in common with the new one.
    for key in _shared(after) - before.keys():
        for bend in _bends(after[key]) & known.keys():
            whole, other = known[bend], columns[key]
            columns[key], columns[bend] = rest * whole + own * other, own * whole - rest * other
    # One that is the only one now has what was in common for itself.
    for key in _shared(before) - after.keys():
        for bend in _bends(before[key]) & known.keys() & after.keys():
            columns[bend] = rest * known[key] + own * known[bend]
    return replace(posterior, tube=tube, normal=np.stack([columns[key] for key in after], axis=1))


def _shared(causes: dict[str, Cause]) -> set[str]:
    """Return the names of the errors that several actuators have in common."""
    return {key for key, cause in causes.items() if cause.made and np.ndim(cause.at[0])}


def _bends(shared: Cause) -> set[str]:
    """Return the names of the own parts of the bends that have a part in common."""
    return {f"section {k + 1}: bend [%]" for k in shared.at[0].tolist()}


def _share(x: float) -> float:
    """Return a share from 0 to 1 [-] of an unknown: the logistic function."""
    return float(1 / (1 + np.exp(-x)))
