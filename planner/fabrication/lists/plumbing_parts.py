"""Parts of the plumbing: regulators, valves, tubes and fittings, with their specification and quantities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.fabrication.assembly.build import HOLE, LEAD, Build
from planner.fabrication.assembly.folding import TAPE_WIDTH
from planner.fabrication.lists.parts_entry import PartsListEntry
from planner.fabrication.plumbing.feed_lines import HOSE, TAPE_LENGTH, FeedLines
from planner.fabrication.plumbing.plumbing import BODY, BODY_SHUT_OFF, SUPPLY_SHUT_OFF, Plumbing, Regulator, plumbing_of

JOINT = 0.2
"""Length of a tube between two parts of the plumbing at the base [m] (assumed)."""
BASE_TUBE, FEED_TUBE = (
    "polyurethane tube, 6 mm outside, 4 mm inside",
    f"soft tube, {1e3 * HOSE:g} mm outside, 2.5 mm inside",
)
"""Tube between the parts at the base, and tube of the feed lines."""
THREAD = "M5"
"""Thread of an actuator's fitting."""
VESSEL_THREAD = "G 1/8"
"""Thread of the vessel's air inlet."""


def kilopascals(pressure: float) -> str:
    """Return a pressure [Pa] in kPa as text, without unit."""
    return f"{pressure / 1e3:.4g}"


def plumbing_parts(build: Build, printed: bool) -> Iterator[PartsListEntry]:
    """List the parts of the plumbing.

    Args:
        printed: Whether the vessel is printed, with the thread `VESSEL_THREAD`.
    """
    plumbing = plumbing_of(build)
    yield from _supply(plumbing)
    for regulator in plumbing.regulators:
        yield from _regulator(regulator)
    yield from _valves(plumbing)
    pieces = base_tubes(plumbing)
    length = sum(count * one for count, one in pieces)
    yield PartsListEntry(
        "tube at the base", length, "m", BASE_TUBE, f"{sum(k for k, _ in pieces)} pieces between the parts"
    )
    thread = f"{VESSEL_THREAD} thread, with sealing tape" if printed else "thread of the vessel's air inlet"
    yield PartsListEntry("push-in fitting", 1, "pieces", f"{thread}, for 6 mm tube", "air inlet of the vessel")
    yield from _feed_lines(build)


def base_tubes(plumbing: Plumbing) -> list[tuple[int, float]]:
    """Return the tubes between the parts at the base: number and length [m] of equal pieces.

    One leads from the supply to its shut-off valve, one from there to the manifold if there is one, one to each regulator. Behind each
    regulator one leads to its manifold, if it has one, and one to each valve. The last leads from the body's shut-off valve to the vessel.
    """
    first = 1 + (len(plumbing.regulators) > 1) + len(plumbing.regulators)
    behind = sum(
        (len(one.branches) > 1) + sum(bool(branch.valve) for branch in one.branches) for one in plumbing.regulators
    )
    return [(first + behind + 1, JOINT), (1, LEAD)]


def _supply(plumbing: Plumbing) -> Iterator[PartsListEntry]:
    what = "2-way ball valve, for 6 mm tube"
    yield PartsListEntry(
        "shut-off valve", 1, "pieces", what, f"{SUPPLY_SHUT_OFF}, behind the supply: leak test of all lines"
    )
    yield PartsListEntry(
        "shut-off valve", 1, "pieces", what, f"{BODY_SHUT_OFF}, before the vessel: leak test of the body"
    )
    if (count := len(plumbing.regulators)) > 1:
        use = f"from {SUPPLY_SHUT_OFF} to the regulators"
        yield PartsListEntry("manifold", 1, "pieces", f"1 inlet, {count} outlets, for 6 mm tube", use)


def _regulator(one: Regulator) -> Iterator[PartsListEntry]:
    fed = f"{one.name}, feeds {'the body' if BODY in one.lines else ', '.join(one.lines)}"
    ranged = f"range 0 to {kilopascals(one.range)} kPa or more"
    if one.proportional:
        what = f"set by a controller up to {kilopascals(one.pressure)} kPa; {ranged}; vents its line; 6 mm in, 4 mm out"
        yield PartsListEntry("proportional regulator", 1, "pieces", what, fed)
    else:
        what = f"set to {kilopascals(one.pressure)} kPa; {ranged}; with gauge, for 6 mm tube"
        yield PartsListEntry("pressure regulator", 1, "pieces", what, fed)
    yield PartsListEntry(
        "relief valve", 1, "pieces", f"{relief_text(one)}, with a tee for 6 mm tube", f"{one.relief}, behind {one.name}"
    )
    if (count := len(one.branches)) > 1:
        what = f"1 inlet, {count} outlets, for 6 mm tube"
        yield PartsListEntry(
            "manifold", 1, "pieces", what, f"from {one.name} to {', '.join(b.valve for b in one.branches)}"
        )


def relief_text(one: Regulator) -> str:
    """Return the opening pressure of a regulator's relief valve in words."""
    low, high = kilopascals(one.pressure), kilopascals(one.limit)
    return f"opens as little above {low} kPa as it can" if low == high else f"opens above {low}, at most at {high} kPa"


def _valves(plumbing: Plumbing) -> Iterator[PartsListEntry]:
    if valves := plumbing.valves:
        most = kilopascals(max(regulator.range for regulator, _ in valves))
        what = f"closed at rest, vents its line when closed; direct-acting, 0 to {most} kPa; 6 mm in, 4 mm out"
        yield PartsListEntry(
            "3/2-way valve", len(valves), "pieces", what, ", ".join(branch.valve for _, branch in valves)
        )
    shared = [branch.lines for one in plumbing.regulators for branch in one.branches if len(branch.lines) > 1]
    if shared:
        use = f"one valve for {'; one for '.join(' and '.join(lines) for lines in shared)}"
        yield PartsListEntry(
            "tee", sum(len(lines) - 1 for lines in shared), "pieces", f"for {1e3 * HOSE:g} mm tube", use
        )


def _feed_lines(build: Build) -> Iterator[PartsListEntry]:
    lines = FeedLines(build).each
    if not lines:
        return
    number, length = len(lines), sum(one.length for one in lines)
    yield PartsListEntry("soft tube", length, "m", FEED_TUBE, "feed lines, from the valves to the fittings")
    what = f"{THREAD} thread, for a 4 x 2.5 mm tube, with nut and two washers; hole of {1e3 * HOLE:g} mm in the film"
    yield PartsListEntry("barbed fitting", number, "pieces", what, "one per actuator")
    yield PartsListEntry(
        "zip tie", 2 * number, "pieces", "2.5 mm wide", "feed lines on their fittings and at the clamp"
    )
    taped = TAPE_LENGTH * sum(one.tapes for one in lines)
    if taped:
        what = f"polyethylene tape that sticks to the film, {1e3 * TAPE_WIDTH:g} mm wide"
        yield PartsListEntry(
            "tape over feed lines", taped, "m", what, f"{sum(one.tapes for one in lines)} pieces across them"
        )


def base_rows(plumbing: Plumbing) -> list[Sequence[object]]:
    """Return the tubes at the base as rows of the cut list."""
    (count, joint), (_, last) = base_tubes(plumbing)
    return [
        ("base tube", "joint", count, f"{1e3 * joint:g}", "", BASE_TUBE, "between the parts of the plumbing", ""),
        ("base tube", "body", 1, f"{1e3 * last:g}", "", BASE_TUBE, f"{BODY_SHUT_OFF} to the vessel", ""),
    ]
