"""Tables of the differences between simulated and recorded growths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynamics.moment import restoring_moment, wrinkling
from dynamics.registry import propagators
from dynamics.tube import VineParams
from dynamics.vine import Status
from planner.output.markdown import markdown_table
from studies.validation.recordings import CLEAR, LEAST_LENGTH, SimulatedRecording
from studies.validation.shapes import ARM, FOLDED, TOUCH, compare_shapes
from studies.validation.variants import DENTS, TAIL

PAPER_RADIUS = 33.35
"""Tube radius of paper 002 [mm]."""
PAPER = {
    "obtuse angle of contact": (22.2, 5.1),
    "acute angle of contact": (20.6, 3.8),
    "head-on contact": (15.8, 5.2),
    "several obstacles, solution 1": (29.8, 4.1),
    "several obstacles, solution 2": (23.8, 5.5),
}
"""Mean and standard deviation of the errors in paper 002, Table 1 [mm]."""
TUBE = VineParams()
ONSET = wrinkling(TUBE)[1]
STIFFNESS = TUBE.moment_length * float(restoring_moment(ONSET, TUBE)) / ONSET
"""EI of the default tube before it wrinkles [N m2]."""
CHANGES = (
    "The effect of changes to the physics. All except the last row change the tube of the default propagator. *Friction* of",
    f"tip and body (0.3 was measured for paper 003). *Walls dent the tube*: to {DENTS['least_height']:g} of its diameter at most.",
    f"*Tail*: its drag, assumed as {TAIL['tail_tension']:g} N at the base and a friction of {TAIL['tail_friction']:g}. *Folds*: at this",
    "moment the cross-section collapses, and the moment falls with the angle of the fold. *EI*: stiffness of the tube before it",
    f"wrinkles; the fit of Wang et al., which is the default, has {STIFFNESS:.2f}. *Film without stretch*: the moment is pi P R^3 as soon",
    "as the tube wrinkles.",
)
SHAPES = (
    "Where the recorded tube folds, whether the simulated one does: a *fold* is the largest angle between straight lines fitted",
    f"to pieces of {ARM:g} radii on either side of a point; frames with a recorded fold of at least {FOLDED:g} rad are compared.",
    "*Angle*: mean difference, and with its sign, negative if the simulated tube folds less. *Place*: mean distance of the two",
    "folds. *Tip*: mean distance of the tips over all frames. *Contacts*: recordings in which the same walls are touched in the",
    f"same order of first contact (centreline within the radius + {1e3 * TOUCH:g} mm).",
)


def report(found: Sequence[SimulatedRecording], names: Sequence[str], unable: Sequence[str]) -> list[str]:
    """Tables as lines of Markdown.

    Args:
        names: Propagators among the models of `found`; the other models are variants of the default.
        unable: Propagators that do not support contact.
    """
    lines = [
        "Passive tubes (without actuators) were recorded while they grew among walls. The simulation is given only the",
        "walls, the radius and the start pose; everything else is the default tube of paper 002. The error of a frame is",
        "the root mean square distance of the recorded centreline from the simulated one of the same length. The table",
        "has the mean and the standard deviation over the frames, in mm. A simulated vine that ended early is compared in",
        "its last shape; its length is given in brackets.",
        "",
        "The start pose is found from early frames. A line is fitted by least squares to all points of all frames in",
        f"which the tube is at least {LEAST_LENGTH:g} radii long and its tip has not yet come within {CLEAR:g} radii of a",
        "wall. The start is the point of that line nearest to the marked base.",
        "",
        *_table(found, [name for name in names if any(one.model == name for one in found)]),
        "",
        *(f"`{name}` is left out: it has no contact." for name in unable),
        *([""] if unable else []),
        f"For comparison, published errors for robots with one actuator and other walls, with a radius of {PAPER_RADIUS}",
        "mm (paper 002, Table 1):",
        "",
        *markdown_table(
            ("paper 002", "mean mm", "std mm", "radii"),
            [
                [case, f"{mean:.1f}", f"{deviation:.1f}", f"{mean / PAPER_RADIUS:.2f}"]
                for case, (mean, deviation) in PAPER.items()
            ],
        ),
        "",
        "Paper 003, section 3.3, reports a mean of 34.0 mm between corners of recorded and simulated shapes, for tubes of",
        "32.3 mm radius.",
    ]
    changes = list(dict.fromkeys(one.model for one in found if one.model not in names))
    if changes:
        lines += ["", *CHANGES, "", *_table(found, changes), "", *_verdict(found, changes)]
    return [*lines, "", *SHAPES, "", *_shapes(found)]


def mean_of(found: Sequence[SimulatedRecording], model: str) -> float:
    """Mean error of a model over its recordings [m]."""
    return float(np.mean([one.mean for one in found if one.model == model]))


def _table(found: Sequence[SimulatedRecording], models: Sequence[str]) -> list[str]:
    recordings = list(dict.fromkeys(one.recording.name for one in found))
    rows = []
    for model in models:
        own = {one.recording.name: one for one in found if one.model == model}
        cells = [_cell(own[name]) if name in own else "-" for name in recordings]
        radii = float(np.mean([one.mean / one.recording.tube_radius for one in own.values()]))
        rows.append([model, *cells, f"{1e3 * mean_of(found, model):.1f}", f"{radii:.2f}"])
    return markdown_table(["", *recordings, "mean of all", "radii"], rows)


def _shapes(found: Sequence[SimulatedRecording]) -> list[str]:
    """Folds, contacts and tips of each model, on average over its recordings."""
    rows = []
    for model in dict.fromkeys(one.model for one in found):
        own = [compare_shapes(one) for one in found if one.model == model]
        folds = np.array([one.folds for one in own], float)
        weights = folds if folds.any() else np.ones_like(folds)
        angle, excess, place = (
            np.average(np.nan_to_num([getattr(one, name) for one in own]), weights=weights)
            for name in ("fold_angle", "fold_excess", "fold_place")
        )
        same = sum(one.same_contacts for one in own)
        tip = np.mean([one.tip for one in own])
        figures = [f"{folds.sum():.0f}", f"{angle:.2f}", f"{excess:+.2f}", f"{1e3 * place:.0f}", f"{1e3 * tip:.1f}"]
        rows.append([model, *figures, f"{same} of {len(own)}"])
    return markdown_table(["", "frames", "fold angle rad", "signed", "fold place mm", "tip mm", "contacts"], rows)


def _cell(one: SimulatedRecording) -> str:
    text = f"{1e3 * one.mean:.1f} ± {1e3 * one.deviation:.1f}"
    if one.status == Status.GROWN:
        return text
    ended = one.status.name.lower().replace("_", " ")
    return f"{text} ({ended} at {1e3 * one.grown:.0f} of {1e3 * one.lengths.max():.0f})"


def _verdict(found: Sequence[SimulatedRecording], changes: Sequence[str]) -> list[str]:
    """Mean gain from a variant, and number of recordings that improve: real improvements of the physics should help all of them."""
    default = propagators()[0]
    base = {one.recording.name: one.mean for one in found if one.model == default}
    lines = []
    for model in changes:
        gains = [1e3 * (base[one.recording.name] - one.mean) for one in found if one.model == model]
        word = "nearer" if np.mean(gains) > 0 else "farther"
        lines.append(
            f"- {model}: {abs(np.mean(gains)):.2f} mm {word} on average; nearer in {sum(g > 0 for g in gains)} of {len(gains)} "
            f"recordings, at most {max(0.0, *gains):.1f} mm nearer and {max(0.0, *(-gain for gain in gains)):.1f} mm farther."
        )
    return lines
