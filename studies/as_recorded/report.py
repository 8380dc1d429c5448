"""The tables of the study."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from planner.built.likelihood import MOST_POINTS
from planner.built.posterior import LEVEL
from planner.output.markdown import markdown_table
from planner.output.text import join
from studies.as_recorded.growths import GROWTH, STIFFNESS, Idea
from studies.as_recorded.learning import NOISE, PARTS
from studies.as_recorded.study import SAMPLES, Prediction
from surrogate.kernels.compiled import Floats
from vinewright.console.study import Report

QUARTERS = 4
"""Number of parts of the longest length, of each of which is said how often the interval holds the tip."""

CHANCE = 0.2e-3
"""Difference of mean distances that another seed of the samples brings [m]."""


def report(found: Sequence[Prediction]) -> Report:
    """Return the tables in Markdown, and the data."""
    ideas = list(dict.fromkeys(one.case.idea for one in found))
    lines = [*_method(), ""]
    for idea in ideas:
        some = [one for one in found if one.case.idea == idea]
        lines += [f"## {idea.name[0].upper()}{idea.name[1:]}", "", *_words(idea), "", *_distances(some), ""]
        lines += [*_told(some), ""]
    lines += ["![Recorded and predicted growths](as-recorded.png)", ""]
    return Report("A recorded growth predicted from others", lines, {"predictions": [one.content() for one in found]})


def _method() -> list[str]:
    return [
        "Each recorded growth of a passive tube is predicted from the others. From these the errors that all growths have in",
        "common are inferred (`planner.built.tempering`), along with those of each growth. In common are friction, the restoring",
        f"moment (± {100 * STIFFNESS:g} %: the growth pressure was not recorded), the length of tube for a recorded one (*growth*,",
        f"± {100 * GROWTH:g} %: noise makes recorded centrelines longer), and the size of the model's error, which rises along",
        "the tube. Each growth has its own pose of the base and its own place, turn and size of each wall, as in a workshop.",
        f"{MOST_POINTS} shapes of each growth count, {len(PARTS)} points of each together as one point, with {1e3 * NOISE:g} mm of noise.",
        "The start pose is found from early frames (`vinewright validate`), also of the growth that is predicted; nothing else",
        "of it is used.",
        "",
        "*Distance*: root mean square distance of the recorded centreline from the predicted one of the same length, mean over the",
        "frames. *Default*: one simulation with the default tube, without errors. *Before*: mean of simulations with the errors",
        f"as stated; *after*: with those that the other recordings leave. *Within*: share of the recorded tips in the {100 * LEVEL:.0f} %",
        "interval, an ellipse. *Radius*: that of a circle with the area of the ellipse, mean over the frames.",
    ]


def _words(idea: Idea) -> list[str]:
    if not idea.guide:
        return ["The tube is the default one, with errors."]
    stiffness, folds = (", ".join(f"{one:g}" for one in values if one) for values in (idea.stiffness, idea.folds))
    return [
        f"Beside the errors, EI before the tube wrinkles is unknown ({stiffness} N m2), and so are the moment at which it",
        f"folds ({folds} of pi P R^3), and how far beyond the marked base it is held straight (0 to {1e3 * idea.guide:g} mm).",
        "That these three are unknown was chosen with all recordings in view, because they bring simulations nearer; their",
        "values are inferred from the other recordings alone.",
    ]


def _distances(some: Sequence[Prediction]) -> list[str]:
    rows = [
        [
            one.case.recording.name,
            *(f"{1e3 * part:.1f}" for part in (one.plain.mean, one.before.mean, one.after.mean)),
            *(f"{100 * part.inside.mean():.0f}" for part in (one.before, one.after)),
            *(f"{1e3 * part.radius:.0f}" for part in (one.before, one.after)),
        ]
        for one in some
    ]
    mean = _means(some)
    rows.append(["mean", *(f"{1e3 * part:.1f}" for part in mean), *_shares(some), *_radii(some)])
    nearer = sum(one.after.mean < one.plain.mean for one in some)
    head = (
        "recording",
        "default mm",
        "before mm",
        "after mm",
        "within before %",
        "after %",
        "radius before mm",
        "after mm",
    )
    return [
        *markdown_table(head, rows),
        "",
        f"With what was learnt the distance is {1e3 * mean[2]:.1f} mm in the mean, with the default tube {1e3 * mean[0]:.1f} mm; nearer in "
        f"{nearer} of {len(some)} recordings. {_share_of_learning(mean)}",
        "",
        f"The {100 * LEVEL:.0f} % interval holds, by the length of the tube relative to the longest: {_by_length(some)}. "
        f"Tips of one growth are alike, so these are {len(some)} cases rather than {sum(len(one.lengths) for one in some)}.",
    ]


def _means(some: Sequence[Prediction]) -> tuple[float, float, float]:
    """Return the mean distances of the default tube, before and after [m]."""
    rows = np.array([(one.plain.mean, one.before.mean, one.after.mean) for one in some])
    plain, before, after = rows.mean(axis=0).tolist()
    return plain, before, after


def _share_of_learning(mean: tuple[float, float, float]) -> str:
    """Say which part of the difference comes of the recordings, and which of the errors as stated."""
    plain, before, after = mean
    chance = " (within the chance of the samples)" if abs(after - before) <= CHANCE else ""
    return (
        f"Of the difference, {1e3 * (before - plain):+.1f} mm come of the mean over tubes with the errors as stated, and "
        f"{1e3 * (after - before):+.1f} mm{chance} of what the other recordings say of them."
    )


def _shares(some: Sequence[Prediction]) -> list[str]:
    """Return the mean shares of tips within, before and after [%]."""
    shares = np.array([(one.before.inside.mean(), one.after.inside.mean()) for one in some])
    return [f"{100 * part:.0f}" for part in shares.mean(axis=0)]


def _radii(some: Sequence[Prediction]) -> list[str]:
    radii = np.array([(one.before.radius, one.after.radius) for one in some])
    return [f"{1e3 * part:.0f}" for part in radii.mean(axis=0)]


def _by_length(some: Sequence[Prediction]) -> str:
    """Say which share of the tips is within after learning, by parts of the longest length."""
    part = np.concatenate([QUARTERS * one.lengths / one.lengths.max() for one in some])
    inside = np.concatenate([one.after.inside for one in some])
    told = []
    for k in range(QUARTERS):
        chosen = inside[(part > k) & (part <= k + 1)]
        if len(chosen):
            share = f"{100 * chosen.mean():.0f} % of {len(chosen)} tips"
            told.append(f"{share} from {100 * k // QUARTERS} to {100 * (k + 1) // QUARTERS} %")
    return ", ".join(told)


def _told(some: Sequence[Prediction]) -> list[str]:
    """Return a table of the common errors: before, and after the recordings other than each."""
    columns = {"before": some[0].before.common}
    columns |= {f"without {one.case.recording.name}": one.after.common for one in some}
    rows = [[name, *(_around(each[name]) for each in columns.values())] for name in columns["before"]]
    return [
        "Errors in common, mean ± standard deviation:",
        "",
        *markdown_table(("error", *columns), rows),
        "",
        f"Of {SAMPLES} samples of each posterior, {join([str(one.different) for one in some], 'and')} differ.",
    ]


def _around(values: Floats) -> str:
    """Return mean and standard deviation, with two digits of the latter."""
    digits = min(max(1 - math.floor(math.log10(float(values.std()) or 1.0)), 0), 3)
    return f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"
