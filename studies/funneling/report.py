"""Results of the funneling study, as text and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import fill
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dynamics.tube import VineParams
from dynamics.vine import Status
from planner.output.markdown import markdown_table
from planner.output.text import plural
from studies.funneling.study import (
    FARTHER,
    FIELD,
    FLOOR,
    LARGEST,
    LENGTH,
    NEARER,
    NEIGHBOURS,
    ONE_PLACE,
    SHARES,
    SMALLEST,
    START,
    TURN,
    TURN_AT,
    Fan,
    even_fan,
    highest_concentration,
    neighbour_distances,
    places,
    ratios,
    scatter_points,
    weakest_actuator,
)
from surrogate.kernels.compiled import Floats
from vinewright.console.study import Report

FLOORS = 1e-9, FLOOR, 5e-3, 10e-3
"""Minimum mean distances to neighbours, compared [m]; the first only prevents infinite densities, as the paper has no minimum."""
USUAL = FLOORS.index(FLOOR)
DRAWS = 500
"""Number of sets of random points."""
EVERY = ", ".join(map(str, NEIGHBOURS))
CONTACT = [name for name, share in SHARES.items() if share]


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """A mean over fields with its 95 % confidence interval (Student's t), NaN for fewer than two fields."""

    mean: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, values: Floats) -> Interval:
        """Interval of the mean over the first axis."""
        fields, mean = len(values), values.mean(axis=0)
        half = np.full_like(mean, np.nan)
        if fields > 1:
            half = stdtrit(fields - 1, 0.975) * values.std(axis=0, ddof=1) / math.sqrt(fields)
        return cls(mean, mean - half, mean + half)

    @property
    def sign(self) -> Floats:
        """1 if the interval is above zero, -1 if below, 0 if it contains zero or is NaN."""
        return np.where(self.low > 0, 1, np.where(self.high < 0, -1, 0))

    def shown(self, digits: int, scale: float = 1.0) -> list[str]:
        """Table cells: mean and limits, or the mean alone."""
        cells = []
        for mean, low, high in zip(*map(np.atleast_1d, (self.mean, self.low, self.high)), strict=True):
            limits = f" ({scale * low:.{digits}f} ... {scale * high:.{digits}f})" if np.isfinite(low) else ""
            cells.append(f"{scale * mean:.{digits}f}{limits}")
        return cells


@dataclass(frozen=True)
class FanFindings:
    """Measurements on the fans of a study."""

    sets: Sequence[tuple[Fan, ...]]
    """At least one set of fans, each with one fan per density."""
    seed: int

    @property
    def vines(self) -> int:
        """Number of vines in each fan."""
        return len(self.sets[0][0].lines)

    @cached_property
    def ratio(self) -> dict[str, Floats]:
        """Concentration by density, shape (fields, floors, neighbours)."""
        return self._each(lambda fan: np.array([ratios(fan.ends, floor) for floor in FLOORS]))

    @cached_property
    def places(self) -> dict[str, Floats]:
        """Number of places where vines end, and share of the vines in the largest place, shape (fields, 2)."""
        return self._each(lambda fan: np.array([len(sizes := np.bincount(places(fan.ends))), sizes.max() / self.vines]))

    @cached_property
    def neighbours(self) -> dict[str, Floats]:
        """Shares of neighbouring vines that end together and that end apart, shape (fields, 2)."""

        def shares(fan: Fan) -> Floats:
            distance = neighbour_distances(fan.ends)
            return np.array([np.mean(distance < NEARER), np.mean(distance > FARTHER)])

        return self._each(shares)

    @cached_property
    def scattered(self) -> Floats:
        """Mean concentration of the same number of random points, shape (neighbours,)."""
        rng = np.random.default_rng([self.seed, 0, 2])
        return np.mean([ratios(scatter_points(rng, self.vines)) for _ in range(DRAWS)], axis=0)

    def _each(self, measure: Any) -> dict[str, Floats]:
        return {
            name: np.array([measure(fan) for fan in fans])
            for name, fans in zip(SHARES, zip(*self.sets, strict=True), strict=True)
        }

    def over_free(self, name: str, floor: int = USUAL) -> Interval:
        """Ratio minus that of the same vines in free space, shape (neighbours,)."""
        return Interval.of(self.ratio[name][:, floor] - self.ratio["free"][:, floor])

    def over_chance(self, name: str) -> Interval:
        """Ratio minus that of random points, shape (neighbours,)."""
        return Interval.of(self.ratio[name][:, USUAL] - self.scattered)

    def signs(self, floor: int = USUAL) -> tuple[int, int, int]:
        """Number of pairs of density and k with a ratio higher than in free space, lower, and undecided."""
        signs = np.concatenate([self.over_free(name, floor).sign for name in CONTACT])
        return int((signs > 0).sum()), int((signs < 0).sum()), int((signs == 0).sum())


def verdict(findings: FanFindings) -> list[str]:
    """Return whether contact concentrates the ends, according to the measurements."""
    if len(findings.sets) < 2:
        return ["One field of each density proves nothing: more are needed (`--fields`)."]
    return [f"{_on_ratio(findings)} {_on_neighbours(findings)}", *_on_places(findings), _by_density(findings)]


def _on_ratio(findings: FanFindings) -> str:
    """Result of the ratio, as published and with a minimum r_k."""
    bare, usual = findings.signs(0), findings.signs()
    confirms = "confirms" if bare[0] == sum(bare) else "confirms in part" if bare[0] > bare[1] else "does not confirm"
    return (
        f"Compared with the same vines in free space, the ratio as published is {_tally(bare, f' of {sum(bare)} pairs of density and k')}. "
        f"This {confirms} the finding of paper 002. {'However' if usual[0] < bare[0] else 'Moreover'}, the ratio rates ends that are a "
        "micrometre apart as far denser than ends that are a millimetre apart, and no simulation is that accurate. With a least "
        f"mean distance of {1e3 * FLOOR:g} mm, it is {_tally(usual)}."
    )


def _tally(signs: tuple[int, int, int], of: str = "") -> str:
    higher, lower, undecided = signs
    rest = [f"{word} in {count}" for word, count in (("lower", lower), ("undecided", undecided)) if count]
    return ", ".join([f"higher in {higher}{of}", *rest])


def _on_neighbours(findings: FanFindings) -> str:
    free = findings.neighbours["free"]
    gained = np.array([Interval.of(findings.neighbours[name] - free).sign for name in CONTACT])
    together, apart = (
        f"{', '.join(f'{100 * findings.neighbours[name][:, i].mean():.0f}' for name in CONTACT)} % end {words} in "
        f"{', '.join(CONTACT)} fields, {100 * free[:, i].mean():.0f} % in free space"
        for i, words in enumerate(("together", "apart"))
    )
    so = {
        (True, True): "Contact brings vines together, and separates some",
        (True, False): "Contact brings vines together; whether it separates any is undecided",
        (False, True): "Contact separates some vines; whether it brings others together is undecided",
        (False, False): "Whether contact brings vines together, or separates them, is undecided",
    }[bool((gained[:, 0] > 0).all()), bool((gained[:, 1] > 0).all())]
    return f"{so}. Of the vines that start side by side, {together}; {apart}."


def _on_places(findings: FanFindings) -> list[str]:
    """Explanation why a low ratio may mean that nearly all vines funnel, if that is the case."""
    densest = CONTACT[-1]
    few, many = (findings.places[name][:, 0].mean() for name in (densest, "free"))
    if not findings.signs()[1] or few >= many:
        return []
    return [
        f"A lower ratio does not mean that the ends are spread out: in {densest} fields the {findings.vines} vines end in "
        f"{few:.0f} places on average, in free space in {many:.0f}. The ratio compares the densest tenth with the mean: "
        f"if only a tenth of the vines end together it is nearly {highest_concentration(findings.vines):g}, and if all end "
        "together it is near 1 again. So the number of end places, and the share of neighbours that end together, say more."
    ]


def _by_density(findings: FanFindings) -> str:
    lines = []
    for name in CONTACT:
        free, chance = _where(findings.over_free(name).sign), _where(findings.over_chance(name).sign)
        lines.append(f"- {name}: compared with free space {free}; with points scattered at random {chance}.")
    first = f"The difference in ratio with a least mean distance of {1e3 * FLOOR:g} mm (undecided: the 95 % interval includes 0):"
    return "\n".join([first, "", *lines])


def _where(signs: Floats) -> str:
    words = {1: "higher", 0: "undecided", -1: "lower"}
    found = {word: [k for k, sign in zip(NEIGHBOURS, signs, strict=True) if sign == s] for s, word in words.items()}
    parts = [f"{word} at k = {', '.join(map(str, ks))}" for word, ks in found.items() if ks]
    return parts[0].replace(f"k = {EVERY}", "every k") if len(parts) == 1 else ", ".join(parts)


def report(findings: FanFindings, params: VineParams) -> Report:
    """Tables in Markdown, and the data of every fan."""
    lines = [
        *(line for paragraph in verdict(findings) for line in (_wrapped(paragraph), "")),
        "## What was grown",
        "",
        *_method(findings, params),
        "",
        *_ratio_tables(findings),
        "",
        *_floor_tables(findings),
        "",
        *_places_table(findings),
        "",
        "![The fans of the first fields](funneling.png)",
        "![The ratio over k](funneling-ratio.png)",
    ]
    return Report("Funneling", lines, _content(findings))


def _wrapped(text: str) -> str:
    """Wrap paragraphs, but not lists."""
    return text if "\n" in text else fill(text, 118)


def _method(findings: FanFindings, params: VineParams) -> list[str]:
    (x, y), length, begins = 1e3 * np.array(START), 1e3 * LENGTH, 1e3 * TURN_AT
    l_0, pressure, curvature = weakest_actuator(params)
    weak = f"{1e3 * l_0:g} mm cells at {1e-3 * pressure:g} kPa, {curvature:.2f} 1/m in free space"
    turn = f"{100 * TURN[0]:g} to {100 * TURN[1]:g} %"
    shares = ", ".join(f"{name} {100 * SHARES[name]:g} %" for name in CONTACT)
    return [
        f"{findings.vines} vines start at ({x:g}, {y:g}) mm with headings evenly spread over 0 to 90 degrees, and grow to",
        f"{length:g} mm; a vine that stalls ends there. Each has one actuator, the weakest available ({weak}). It begins",
        f"{begins:g} mm from the base, and it is long enough to turn the vine by {turn} (uniform, seeded) of the angle",
        f"between its heading and the field's diagonal. Fields are squares of {1e3 * FIELD:g} mm with discs and rotated",
        f"square boxes of {1e3 * SMALLEST:g} to {1e3 * LARGEST:g} mm at random positions. They cover {shares} of the area.",
        "A denser field contains the obstacles of the sparser one, and more. The same vines grow in free space and in the",
        "three fields of a set, so differences are taken within each set.",
    ]


def _ratio_tables(findings: FanFindings) -> list[str]:
    fields, highest = len(findings.sets), highest_concentration(findings.vines)
    return [
        "## Concentration ratio",
        "",
        "The density at the end of vine i is p_i = k / (pi r_k^2), where r_k is the mean distance to the k nearest ends.",
        "The ratio is the mean of the highest tenth of p_i over the mean of all (paper 002, section 6.4), here with r_k",
        f"at least {1e3 * FLOOR:g} mm. For comparison: an even fan without actuators, and points scattered at random over",
        f"the quarter disc that straight vines can reach (mean of {DRAWS} draws). The ratio of {findings.vines} ends is at",
        f"most {highest:g}. Means of {plural(fields, 'field')} of each density, each with its 95 % interval:",
        "",
        *markdown_table(
            ["", *(f"k = {k}" for k in NEIGHBOURS)],
            [
                ["even fan", *_numbers(ratios(even_fan(findings.vines)))],
                ["scattered at random", *_numbers(findings.scattered)],
                *([name, *Interval.of(findings.ratio[name][:, USUAL]).shown(2)] for name in SHARES),
            ],
        ),
    ]


def _floor_tables(findings: FanFindings) -> list[str]:
    first = {name: findings.ratio[name][0] for name in SHARES}
    mean = {name: findings.ratio[name].mean(axis=0) for name in SHARES}
    notes = [", ".join(map(str, findings.signs(i))) for i in range(len(FLOORS))]
    return [
        "## The least r_k",
        "",
        "Vines in the same pocket end at the same point up to rounding, so the density there depends on the least r_k.",
        "The paper does not give one. Mean ratios, and the number of pairs of density and k (with obstacles) in which the",
        "ratio is significantly higher than in free space, significantly lower, or neither:",
        "",
        *_by_floor(mean, "higher, lower, neither", notes),
        "",
        "Only the four fields of the picture, as in Fig. 11 of paper 002:",
        "",
        *_by_floor(first),
    ]


def _by_floor(values: dict[str, Floats], heading: str = "", notes: Sequence[str] = ()) -> list[str]:
    """Return a table of values by density, shape (floors, neighbours) each, optionally with a note on each floor."""
    headings = ["", *(f"k = {k}" for k in NEIGHBOURS), *([heading] if notes else [])]
    rows = []
    for i, floor in enumerate(FLOORS):
        for name in SHARES:
            note = [notes[i] if name == CONTACT[-1] else ""] if notes else []
            shown = "" if name != "free" else f"{1e3 * floor:g}" if i else "none"
            rows.append([shown, name, *_numbers(values[name][i]), *note])
    return markdown_table(["least r_k, mm", *headings], rows)


def _places_table(findings: FanFindings) -> list[str]:
    columns = ["full length %", "stalled %", "other %", "places", "in the largest %"]
    columns += ["side by side: together %", "apart %", "both at full length: together %"]
    lines = [
        "## Where vines end",
        "",
        f"Ends belong to one place if a chain of ends connects them with no gap longer than {1e3 * ONE_PLACE:g} mm. Two",
        f"vines that start side by side end together if the distance of their ends is less than {NEARER:g} times that on",
        f"an even fan, and apart if it is more than {FARTHER:g} times that. Means over the fields, with 95 % intervals:",
        "",
    ]
    rows = []
    for name, fans in zip(SHARES, zip(*findings.sets, strict=True), strict=True):
        status = np.concatenate([fan.status for fan in fans])
        grown, stalled = status == Status.GROWN, status == Status.STALLED
        cells = [f"{100 * share.mean():.0f}" for share in (grown, stalled, ~grown & ~stalled)]
        number, largest = findings.places[name].T
        cells += [*Interval.of(number).shown(1), *Interval.of(largest).shown(0, 100)]
        cells += [*Interval.of(findings.neighbours[name]).shown(0, 100), _grown_together(fans)]
        rows.append([name, *cells])
    return lines + markdown_table(["", *columns], rows)


def _grown_together(fans: Sequence[Fan]) -> str:
    """Share of neighbours that end together, among those that grew to full length, because stalling also concentrates vines [%]."""
    grown = np.array([fan.status == Status.GROWN for fan in fans])
    near = np.array([neighbour_distances(fan.ends) for fan in fans]) < NEARER
    both = grown[:, 1:] & grown[:, :-1]
    return f"{100 * near[both].mean():.0f}" if both.any() else "-"


def _numbers(values: Floats) -> list[str]:
    return [f"{value:.2f}" for value in values]


def _content(findings: FanFindings) -> dict[str, Any]:
    shown = {fan.environment.name: (1e3 * fan.ends).round(2).tolist() for fan in findings.sets[0]}
    return {
        "vines": findings.vines,
        "neighbours": list(NEIGHBOURS),
        "even_fan": ratios(even_fan(findings.vines)).round(4).tolist(),
        "scattered": findings.scattered.round(4).tolist(),
        "fields": [_record(findings, row, fan) for row, fans in enumerate(findings.sets) for fan in fans],
        "ends_of_first_fields_mm": shown,
    }


def _record(findings: FanFindings, row: int, fan: Fan) -> dict[str, Any]:
    """Content of one fan for the JSON file."""
    name = fan.environment.name
    (count, largest), (together, apart) = findings.places[name][row], findings.neighbours[name][row]
    return {
        "field": fan.number,
        "density": name,
        "covered": SHARES[name],
        "status": {kind.name.lower(): int((fan.status == kind).sum()) for kind in Status},
        "places": int(count),
        "share_in_largest": round(float(largest), 4),
        "side_by_side_together": round(float(together), 4),
        "side_by_side_apart": round(float(apart), 4),
        "ratio": {
            f"at_least_{1e3 * floor:g}_mm": of_floor.round(4).tolist()
            for floor, of_floor in zip(FLOORS, findings.ratio[name][row], strict=True)
        },
    }
