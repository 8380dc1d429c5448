"""`vinewright show`: summaries of the motions of `vinewright euler-lagrange`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from vinewright.commands.euler_lagrange_simulate import motion_sentence
from vinewright.commands.euler_lagrange_sweep import motions_table
from vinewright.commands.euler_lagrange_track import tracking_lines
from vinewright.commands.show_designs import ContentTable, Summary, Text

_Three = Annotated[list[float], Field(min_length=3, max_length=3)]


class _Pose(ContentTable):
    s_m: float
    theta_rad: float
    phi_rad: float
    tip_m: _Three


class _Limit(ContentTable):
    what: Text
    begin_s: float
    end_s: float


class _Moved(ContentTable):
    robot: Text
    asked_s: float
    computed_s: float
    ended: Text
    start: _Pose
    end: _Pose


class MotionFile(_Moved):
    """The content of `motion.json` that is summarised."""

    growth_stood_still_s: list[Annotated[list[float], Field(min_length=2, max_length=2)]]


class TrackingFile(_Moved):
    """The content of `tracking.json` that is summarised."""

    reference: Text
    within: float
    greatest_length_error_m: float | None
    greatest_bend_error_rad: float | None
    greatest_plane_error_rad: float | None
    greatest_tip_error_m: float | None
    greatest_core_n: float
    greatest_tensions_n: _Three
    limits_met: list[_Limit]


class MotionsFile(ContentTable):
    """The content of `motions.json` that is summarised."""

    robot: Text
    reference: Text | None
    asked_s: float
    vary: Annotated[dict[Text, list[float]], Field(min_length=1)]
    asked_motions: int
    motions: Annotated[list[dict[Text, float | Text | None]], Field(min_length=1)]


def show_motion(_: Path, motion: MotionFile) -> Summary:
    """Summarise the motion of a robot under given inputs."""
    return Summary([f"motion of {motion.robot}{_ending(motion)}", motion_sentence(motion.model_dump())])


def show_tracking(_: Path, tracking: TrackingFile) -> Summary:
    """Summarise a robot that follows a reference: its errors, forces and limits."""
    title = f"{tracking.robot} along {tracking.reference}, errors up to {tracking.within:g} m and rad allowed{_ending(tracking)}"
    return Summary([title, *tracking_lines(tracking.model_dump())])


def show_motions(_: Path, swept: MotionsFile) -> Summary:
    """Summarise the motions of a robot for several values: a row for each."""
    done = len(swept.motions)
    part = "" if done == swept.asked_motions else f" of {swept.asked_motions}"
    along = f" along {swept.reference}" if swept.reference else ""
    title = f"{done}{part} motions of {swept.robot}{along}, {swept.asked_s:g} s each"
    return Summary([title, motions_table([*swept.vary], swept.motions)])


def _ending(moved: _Moved) -> str:
    """Return why a motion ended early, for the end of a title; "" if it did not."""
    return "" if moved.ended == "complete" else f"; {moved.ended} after {moved.computed_s:.4g} of {moved.asked_s:g} s"
