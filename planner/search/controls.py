"""Conversion of the search's controls to actuation and sections."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from dynamics.vine import Actuation
from planner.design.catalogue import Catalogue
from planner.design.design import Section, Side


def sections_of(controls: NDArray[np.int32], segment_length: float, catalogue: Catalogue) -> tuple[Section, ...]:
    """Return the sections of a vine with these controls (see `actuation`), shape (segments,)."""
    sections, first = [], 0
    for control, run in groupby(controls.tolist()):
        after = first + len(list(run))
        entry = abs(control) - 1
        curvature, l_0, pressure = (
            (float(part[entry]) if control else 0.0)
            for part in (catalogue.curvature, catalogue.l_0, catalogue.pressure)
        )
        side: Side = "none" if control == 0 else "left" if control > 0 else "right"
        ends, bent = (first * segment_length, after * segment_length), entry >= catalogue.actuators
        kind = int(catalogue.kind[entry]) if control else 0
        sections.append(Section(*ends, side, curvature, l_0, pressure, preformed=bent, kind=kind))
        first = after
    return tuple(sections)


def actuation(controls: NDArray[np.int32], catalogue: Catalogue) -> Actuation:
    """Return the actuation by controls: 0 is a straight segment, otherwise the catalogue's entry plus one, signed by side."""
    entry = np.maximum(np.abs(controls) - 1, 0)
    rest, kind = None, catalogue.kind[entry] if catalogue.kind.any() else None
    if len(catalogue.turn):
        turn = np.concatenate([np.zeros(catalogue.actuators), catalogue.turn])
        rest = np.sign(controls) * turn[entry]
    return Actuation(np.sign(controls) * catalogue.pressure[entry], catalogue.l_0[entry], rest, kind)
