"""A known design with which a plan begins, made a design of the tube and the environment of the plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.preformed import largest_turn
from dynamics.tube import VineParams
from environments.environment import Environment
from planner.design.catalogue import Catalogue
from planner.design.design import Design, InvalidDesign, Section
from planner.design.head_room import has_head_room, set_point_limit
from planner.design.known_design import KnownDesign
from planner.output.text import millimetres
from planner.plan.choice.refinement import fits, replace_curvature
from planner.plan.choice.simplifying import merge_equal
from surrogate.actuators import cell_range

SAME_BEND = 0.01
"""Largest relative difference of curvatures that counts as none [-]: so an actuator bends the tube of a plan as it bent its own."""


def adapt_known(known: KnownDesign, environment: Environment, tube: VineParams, preformed: bool) -> KnownDesign:
    """Make a known design one of a tube in an environment; an adapted one stays as it is.

    Sections keep their sides and lengths. An actuator that the tube cannot have, or that bends it otherwise, is replaced by that of the
    catalogue whose bend is nearest. The tube is cut where its growth stops, and bare where an actuator is off.

    Args:
        preformed: Whether the plan allows preformed bends.
    Raises:
        InvalidDesign: Its pressures change while it grows, it has preformed bends that the plan does not allow, or a section is too short
            for the actuators of the tube.
    """
    design, file = known.design, known.file
    if design.schedule is not None:
        raise InvalidDesign(
            f"--from {file}: its pressures change while it grows; give a design with constant pressures"
        )
    if design.preformed and not preformed:
        raise InvalidDesign(f"--from {file}: it has preformed bends; allow them with --preformed")
    changes, sections = list(known.changes), list[Section]()
    if design.length < design.built:
        changes.append(f"cut at {millimetres(design.length)} mm, where its growth stops")
    catalogue, labels = Catalogue.of(tube), iter(design.labelled)
    for section in design.sections:
        bend = "bend" if section.preformed else "actuator"
        name = f"{bend} {next(labels)[0]}" if section.side != "none" else ""
        one = replace(section, end=min(section.end, design.length))
        if one.start > design.length - 1e-9:
            continue
        made, now, before = _adapted(one, design.params, tube, catalogue)
        sections.append(made)
        if now != before:
            changes.append(f"{name} has {now} instead of {before}")
        if now != before and made.actuated and not fits(made, tube.segment_length):
            covered = millimetres(made.end - made.start)
            raise InvalidDesign(f"--from {file}: {name} covers {covered} mm, too short in this tube for {now}")
    nowhere = np.asarray(environment.start, float)
    made_design = Design(environment.name, environment.sha256, tube, tuple(sections), nowhere, nowhere[None, :2])
    return replace(known, design=merge_equal(made_design), changes=tuple(changes))


def _adapted(section: Section, own: VineParams, tube: VineParams, catalogue: Catalogue) -> tuple[Section, str, str]:
    """Return a section of a tube as one of another tube, and what bends it there and before, as text."""
    if not section.on:
        return Section(section.start, section.end, "none", 0.0, 0.0, 0.0), "no actuator", "one that is off"
    if section.preformed:
        bend = min(section.curvature, float(centerline_curvature(largest_turn(tube), tube)))
        return replace(section, curvature=bend), _bend_words(bend), _bend_words(section.curvature)
    if not section.actuated:
        return section, "", ""
    name, kinds = own.actuators[section.kind].kind, [one.kind for one in tube.actuators]
    before = _cell_words(section, own)
    made = replace(section, kind=kinds.index(name) if name in kinds else 0)
    if name not in kinds or not _bends_alike(made, tube, catalogue):
        made = replace_curvature(made, catalogue, section.curvature)
        return made, _cell_words(made, tube), before
    known = _entries_alike(made, catalogue)
    # A file rounds the numbers of the catalogue.
    if len(known):
        bend, cells, pressure = (
            float(part[known[0]]) for part in (catalogue.curvature, catalogue.l_0, catalogue.pressure)
        )
        made = replace(made, curvature=bend, l_0=cells, pressure=pressure)
    return made, before, before


def _bends_alike(section: Section, tube: VineParams, catalogue: Catalogue) -> bool:
    """Whether a tube can have the actuator of a section, and is bent by it as before."""
    low, high = cell_range(tube.actuators[section.kind])
    if not low - 1e-9 <= section.l_0 <= high + 1e-9:
        return False
    film = free_curvature(joint_moments(tube), section.pressure, section.l_0, section.kind)
    bend = float(centerline_curvature(film, tube))
    if abs(bend - section.curvature) > SAME_BEND * section.curvature:
        return False
    if len(_entries_alike(section, catalogue)) or tube.physics == "published":
        return True
    limit, _ = set_point_limit(tube, section.pressure, section.l_0, section.kind)
    return bool(has_head_room(section.pressure, limit))


def _entries_alike(section: Section, catalogue: Catalogue) -> list[int]:
    """Entries of a catalogue with the actuator of a section, none or one."""
    alike = np.isclose(catalogue.l_0, section.l_0, rtol=1e-6, atol=0.0)
    alike &= np.isclose(catalogue.pressure, section.pressure, rtol=1e-6, atol=0.0)
    return np.flatnonzero(alike & (catalogue.kind == section.kind)).tolist()


def _cell_words(section: Section, params: VineParams) -> str:
    kind = params.actuators[section.kind].kind
    return f"{kind} of {millimetres(section.l_0)} mm at {section.pressure * 1e-3:.4g} kPa"


def _bend_words(curvature: float) -> str:
    return f"a bend of {curvature:.4g}/m"
