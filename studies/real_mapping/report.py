"""Tables of real environments found from recordings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.output.markdown import markdown_table
from studies.real_mapping.hinges import FORMS, word
from studies.real_mapping.measures import WallAgreement
from studies.real_mapping.study import STAGES, MappedRecording
from vinewright.console.study import Report

PAPER_VERTEX = 34.0
"""Mean distance of simulated from recorded vertices in paper 003, section 3.3 [mm]."""
STAGE = (
    "recording",
    "frames",
    "walls",
    "corners (held)",
    "precision",
    "recall",
    "recall of reached",
    "free wrong mm",
    "cells",
    "score",
)


def report(several: Sequence[MappedRecording]) -> Report:
    """Tables in Markdown, and their data."""
    tracked = [one for one in several if one.case.noise is None]
    estimated = [one for one in several if one.case.noise is not None]
    lines = [
        "Each recording of a passive tube among walls is one session (`vinewright map --session`). Nothing but the recording,",
        "the tube's radius and the marked base is used; the measured walls serve only to compare. *Precision*: share of the",
        "length of the walls found that is within one tube radius of a measured wall. *Recall*: share of the measured walls",
        "within one radius of a wall or corner found; *held*: corners with a measured wall in the stated interval, a circle about",
        "the touched point; *of reached*: the same of those parts of walls that are within two radii",
        "of a recorded centreline. *Free wrong*: length of measured walls in the area said to be free. *Cells*: those found",
        "covered, and how many of them a measured wall crosses. *Score*: 0 for the prior, 100 for the truth, in a session over",
        "everything recorded.",
    ]
    if tracked:
        lines += [
            "",
            "## From centrelines, after each stage of the growth",
            "",
            *markdown_table(STAGE, _stage_rows(tracked)),
        ]
        lines += ["", *_means(tracked), "", "![Walls found and measured](real-mapping.png)"]
        lines += ["", "## Errors of the walls, and their intervals", "", *_errors(tracked)]
        lines += ["", "## Corners and vertices", "", *_corners(tracked), "", *_vertices(tracked)]
    if estimated:
        lines += ["", "## From length and contact angle alone", "", *_reading_lines(estimated)]
    if tracked:
        lines += ["", "## Which hinge turned", "", *_hinges(tracked)]
    return Report("Mapping with a real tube", lines, {"results": [one.content() for one in several]})


def _stage_rows(several: Sequence[MappedRecording]) -> list[list[str]]:
    return [
        [one.case.recording.name, f"{share:.0%}", *_cells(stage)]
        for one in several
        for share, stage in zip(STAGES, one.stages, strict=True)
    ]


def _cells(stage: WallAgreement) -> list[str]:
    shares = [f"{part:.2f}" if np.isfinite(part) else "-" for part in (stage.precision, stage.recall, stage.touchable)]
    cells = f"{stage.hits} ({stage.hits_right})"
    return [
        f"{stage.walls}",
        f"{stage.corners} ({stage.corners_held})",
        *shares,
        f"{1e3 * stage.free_wrong:.0f}",
        cells,
        f"{stage.score:.1f}",
    ]


def _means(several: Sequence[MappedRecording]) -> list[str]:
    last = [one.stages[-1] for one in several]
    parts = [
        f"{np.mean([getattr(stage, name) for stage in last]):.2f}" for name in ("precision", "recall", "touchable")
    ]
    return [
        f"At the end, on average over {len(last)} recordings: precision {parts[0]}, recall {parts[1]}, recall of what was reached",
        f"{parts[2]}.",
    ]


def _errors(several: Sequence[MappedRecording]) -> list[str]:
    errors = [one for mapped in several for one in mapped.errors]
    rows = [
        [
            one.recording,
            f"{one.wall}",
            f"{1e3 * one.off:+.0f}",
            f"{1e3 * one.within:.0f}",
            f"{np.degrees(one.turned):+.0f}",
            f"{np.degrees(one.angle_within):.0f}",
        ]
        for one in errors
    ]
    held = sum(abs(one.off) <= one.within for one in errors)
    turned = sum(abs(one.turned) <= one.angle_within for one in errors)
    return [
        "Position of the middle of each wall found, across the nearest measured wall (positive: found farther from the tube),",
        "and its direction, with the stated half intervals of 95 %.",
        "",
        *markdown_table(("recording", "wall", "off mm", "within mm", "turned deg", "within deg"), rows),
        "",
        f"The stated interval holds {held} of {len(errors)} positions and {turned} of {len(errors)} directions. It contains the",
        "scatter of the recording only. It does not contain what is the same in all frames: where the tracked centreline ends",
        "relative to the tube's tip, dents of the tube, and the marking of walls. On recordings made by the geometric propagator",
        "with known noise, the tests show that the intervals hold about 95 % of the positions and directions.",
    ]


def _corners(several: Sequence[MappedRecording]) -> list[str]:
    errors = [one for mapped in several for one in mapped.corners]
    if not errors:
        return ["No corner was found."]
    rows = [
        [one.recording, *(f"{1e3 * part:.0f}" for part in (one.pivot, one.touch, one.off, one.within))]
        for one in errors
    ]
    radius = several[0].case.recording.tube_radius
    apart = np.array([one.touch for one in errors])
    near = int((apart <= radius).sum())
    held = sum(one.held for one in errors)
    found, right = (
        sum(getattr(stage, name) for one in several for stage in one.stages) for name in ("corners", "corners_held")
    )
    return [
        "Distance of each corner found from the nearest end of a measured wall: of its pivot on the tube's axis, and of the touched",
        "point one radius beside it. *Off*: distance of the touched point from the nearest place of a measured wall. *Within*: the",
        "stated radius of 95 %.",
        "",
        *markdown_table(("recording", "pivot mm", "touched point mm", "off mm", "within mm"), rows),
        "",
        f"{near} of {len(apart)} touched points are within one radius of the end of a wall; mean {1e3 * apart.mean():.0f} mm, median "
        f"{1e3 * np.median(apart):.0f} mm.",
        f"The stated interval holds {held} of {len(errors)} corners: a wall is in it. After all stages together, it holds "
        f"{right} of {found}.",
    ]


def _vertices(several: Sequence[MappedRecording]) -> list[str]:
    rows = [
        [
            one.case.recording.name,
            ", ".join(f"{1e3 * part:.0f}" for part in one.vertices),
            f"{1e3 * one.vertices.mean():.0f}",
        ]
        for one in several
    ]
    every = 1e3 * np.concatenate([one.vertices for one in several])
    return [
        "As in section 3.3 of paper 003, the geometric propagator grows the same tubes among the measured walls. The table has the",
        "distances of its bends from the nearest recorded bends in the last frame, and, last, that of the two tips.",
        "",
        *markdown_table(("recording", "bends and tip mm", "mean mm"), rows),
        "",
        f"Mean over {len(every)} vertices: {every.mean():.0f} mm, median {np.median(every):.0f} mm; paper 003 reports a mean of "
        f"{PAPER_VERTEX:.0f} mm on its recordings.",
    ]


def _reading_lines(several: Sequence[MappedRecording]) -> list[str]:
    groups: dict[tuple[str, int], list[MappedRecording]] = {}
    for one in several:
        groups.setdefault((one.case.rule, int(one.case.noise or 0)), []).append(one)
    rows = []
    for (rule, noise), some in groups.items():
        last = [one.stages[-1] for one in some]
        off = 1e3 * np.abs([error.off for one in some for error in one.errors])
        shares = [
            f"{np.nanmean([getattr(stage, name) for stage in last]):.2f}"
            for name in ("precision", "recall", "touchable")
        ]
        rows.append(
            [rule, f"{noise}", f"{len(some)}", f"{len(off)}", *shares, f"{np.median(off):.0f}", f"{off.max():.0f}"]
        )
    return [
        "The sensor is simulated from the centrelines: the tube's length, made ascending, and the angle between the heading of the",
        "tip and the straight piece of its path. Walls and shapes are then recovered from these readings and the launch alone, so",
        "that errors accumulate along the tube. Noise is added to the angles, beside that of the recording. *Off*: distance of the",
        "middle of a wall found across the nearest measured wall.",
        "",
        *markdown_table(
            (
                "rule",
                "added noise deg",
                "recordings",
                "walls",
                "precision",
                "recall",
                "recall of reached",
                "median off mm",
                "largest off mm",
            ),
            rows,
        ),
        "",
        *_count_differing(several),
    ]


def _count_differing(several: Sequence[MappedRecording]) -> list[str]:
    """Count the recordings that give different walls by the two rules."""
    plain = {(one.case.recording.name, one.case.rule): one for one in several if one.case.noise == 0}
    names = {name for name, rule in plain if rule == "published"}
    differ = sum(
        [error.content() for error in plain[name, "published"].errors]
        != [error.content() for error in plain[name, "limit-analysis"].errors]
        for name in names
        if (name, "limit-analysis") in plain
    )
    if not names:
        return []
    return [
        f"The rule for the hinge that gives way, which is only the prior of this method, changes the walls found in {differ} of",
        f"{len(names)} recordings. None of these tubes has a turn, and on straight tubes the rules differ only in the friction cone.",
    ]


def _hinges(several: Sequence[MappedRecording]) -> list[str]:
    turned = [one for mapped in several for one in mapped.turned]
    rows = [
        [
            one.recording,
            f"{one.frames[0]}-{one.frames[1]}",
            f"{np.degrees(one.contact):.0f}",
            f"{np.degrees(one.bend):+.0f}",
            f"{one.ratio:.1f}",
            f"{np.degrees(one.base):+.0f}",
            f"{np.degrees(one.further):+.0f}",
            word(one.seen),
            *(word(one.predicted[form]) for form in FORMS),
        ]
        for one in turned
    ]
    right = {form: sum(one.predicted[form] == one.seen for one in turned) for form in FORMS}
    return [
        "No recorded tube has a preformed turn. Paper 003 says that the bend at a corner acts similarly, so its Eqs. 13 to 15 are",
        "applied to that bend, and compared with limit analysis of a turn of the same bend, and with limit analysis in which the",
        "corner holds the tube on its side. Listed are contacts of tubes that are bent, by more than the noise of their heading, at",
        "the end of a measured wall within two radii of their axis: contact angle, bend, length before the corner relative to that",
        "after it, rotation of the part before the corner (positive: in the direction of the bend), and growth of the bend.",
        "",
        *markdown_table(
            ("recording", "frames", "contact deg", "bend deg", "ratio", "base deg", "further deg", "recorded", *FORMS),
            rows,
        ),
        "",
        "Predicted as recorded: "
        + ", ".join(f"{form} {count} of {len(turned)}" for form, count in right.items())
        + ".",
    ]
