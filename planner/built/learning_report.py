"""Results of the trials of a built tube, in words and as the content of a JSON document."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from planner.built.posterior import DOUBTED, FEW, LEVEL, Learnt, Posterior, SuccessRange
from planner.built.trial import Trials
from planner.output.text import join, plural

CHECKS = {
    "growth": "whether the tube was knocked, leaked or slipped in its mount, and whether the tip is in the coordinates of the environment",
    "bend": "the gauge, the side, and that the angle is the one between the tube before the actuator and behind it",
    "point": "that it is the same point of the same obstacle, in the coordinates of the environment",
}
"""Checks of a measurement that no model explains, by what it is."""
SHOWN_TRADES = 4
"""Number of pairs that are named, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Learning:
    """A posterior, with the success of tubes before and after the trials."""

    trials: Trials
    posterior: Posterior
    before: SuccessRange
    now: SuccessRange

    def rows(self) -> list[tuple[str, str, str]]:
        """Return error, before and now of what was learnt, the errors of which trials say most first."""
        return [(one.cause.name, *around_text(one)) for one in self.posterior.learnt()]

    def lines(self) -> Iterator[str]:
        """Yield what is said before the table: the success."""
        growths, strange = len(self.trials.growths), len(unexplained_growths(self.posterior))
        hardly = not mostly_explained(self.posterior)
        alone = self.posterior.unexplained >= DOUBTED
        now = "now, in growths that errors explain" if (strange or hardly) and not alone else "now"
        yield f"success promised before: {success_text(self.before)}; {now}: {success_text(self.now)}"
        known = [growth.reached for growth in self.trials.growths if growth.reached is not None]
        if known:
            yield f"measured: {sum(known)} of {plural(len(known), 'growth')} reached the goal"
        if alone:
            yield (
                "warning: no errors of this size explain how often it reached the goal: the success now is mostly that of these results. "
                "State larger errors with --uncertainty, or measure where the obstacles are"
            )
        elif strange:
            like = f"growths like the other {growths - strange}" if strange < growths else "growths that it has not had"
            yield (
                f"warning: {strange} of {plural(growths, 'growth')} went as no model explains; the success now is that of {like}: "
                "count on less until the cause is found"
            )
        elif hardly:
            yield (
                "warning: errors of this size hardly explain the growths, and the success now is that of others: check what was measured, "
                "or state larger errors with --uncertainty"
            )

    def notes(self) -> Iterator[str]:
        """Yield what is said after the table."""
        learnt, posterior = self.posterior.learnt(), self.posterior
        left = len(posterior.tube.unknowns) - len(learnt)
        if not learnt:
            yield (
                f"the trials say nothing measurable about any of {plural(left, 'error')}: all stay as stated, so the file does not have "
                "what they say of success; tips, recordings and bends tell more than whether the goal was reached"
            )
        elif left:
            yield f"{plural(left, 'error')} stayed as stated"
        if any(one.cause.field == "model" for one in learnt):
            yield (
                "model: tip is how far the tip of a real tube ends beside the one of the model; it is no error of the tube or its "
                "environment, and not in the file"
            )
        trades = posterior.traded()
        for first, second, correlation in trades[:SHOWN_TRADES]:
            yield _trade_text(first, second, correlation)
        if len(trades) > SHOWN_TRADES:
            yield f"{plural(len(trades) - SHOWN_TRADES, 'more pair')} of errors cannot be told apart either"
        yield from self._doubts()
        yield (
            f"{plural(len(posterior.normal), 'sample')}, {posterior.different} of them different, from {posterior.growths} simulated "
            "growths"
        )
        if posterior.different < FEW:
            yield (
                f"warning: only {posterior.different} samples differ: the trials fit few tubes with errors of this size. All intervals are "
                "widened towards those before the trials; --samples with a larger number tells more"
            )

    def _doubts(self) -> Iterator[str]:
        """Yield the measurements that no model explains, with what to check."""
        doubted = self.posterior.doubted()
        for name in doubted:
            yield f"no model explains {name} along with the others: check {CHECKS[_kind_of(name)]}"
        strange = len(unexplained_growths(self.posterior))
        if 2 * strange > len(self.trials.growths):
            every = plural(len(self.trials.growths), "growth")
            yield (
                f"warning: no errors of this size explain {strange} of {every}: the errors stated are too small, or this is not "
                "the tube or not the environment of the design; success and errors are not to be relied on. State "
                "larger errors with --uncertainty, or measure where the obstacles are"
            )

    def content(self) -> dict[str, Any]:
        """Return the content of a JSON document."""
        known = [growth.reached for growth in self.trials.growths if growth.reached is not None]
        return {
            "success": {"before": _success_content(self.before), "now": _success_content(self.now)},
            "measured": {"growths": len(known), "reached": sum(known)},
            "learnt": [
                {
                    "error": one.cause.name,
                    "unit": one.cause.unit or None,
                    "before": {"mean": _short(one.middle), "deviation": _short(one.before)},
                    "now": {"mean": _short(one.mean), "deviation": _short(one.deviation)},
                }
                for one in self.posterior.learnt()
            ],
            "unchanged_errors": len(self.posterior.tube.unknowns) - len(self.posterior.learnt()),
            "traded": [
                {"errors": [first, second], "correlation": round(correlation, 3)}
                for first, second, correlation in self.posterior.traded()
            ],
            "unexplained": self.posterior.doubted(),
            "unexplained_success": round(self.posterior.unexplained, 4),
            "samples": len(self.posterior.normal),
            "different_samples": self.posterior.different,
            "simulated_growths": self.posterior.growths,
        }


def unexplained_growths(posterior: Posterior) -> list[str]:
    """Return the names of the growths that no errors explain: no predicted success is that of growths like them."""
    return [name for name in posterior.doubted() if _kind_of(name) == "growth"]


def mostly_explained(posterior: Posterior) -> bool:
    """Whether errors explain so many of the growths that a predicted success is that of this tube: two of three at least, and the results.

    Growths that are likely to be strange count by their probability, so that several of which each is nearly doubted count, too.
    """
    if posterior.unexplained >= DOUBTED:
        return False
    chances = [chance for name, chance in posterior.strange.items() if _kind_of(name) == "growth"]
    return 3 * sum(chances) <= len(chances)


def success_text(success: SuccessRange) -> str:
    """Return a success, rounded down, with its interval, rounded outwards."""
    low, high = success.interval
    low, high, mean = math.floor(100 * low), math.ceil(100 * high), math.floor(100 * success.mean)
    return f"{mean} % ({100 * LEVEL:.0f} % interval {low} to {high} %)"


def _success_content(success: SuccessRange) -> dict[str, Any]:
    low, high = success.interval
    return {"mean": round(success.mean, 4), "interval_90": [round(low, 4), round(high, 4)]}


def around_text(one: Learnt) -> tuple[str, str]:
    """Return an error before and after trials, in words."""
    unit = f" {one.cause.unit}" if one.cause.unit else ""
    # As many decimals as the smaller deviation has with two digits.
    least = min(one.before, one.deviation) or 1.0
    digits = min(max(1 - math.floor(math.log10(least)), 0), 4)
    sign = "+" if one.cause.unit else ""
    return (
        f"{one.middle:.{digits}f} ± {one.before:.{digits}f}{unit}",
        f"{one.mean:{sign}.{digits}f} ± {one.deviation:.{digits}f}{unit}",
    )


def _trade_text(first: str, second: str, correlation: float) -> str:
    """Return a pair of which only the sum or the difference is known, and what tells them apart."""
    names = [one.partition(" [")[0] for one in (first, second)]
    places = [name.partition(": ")[0] for name in names]
    # Errors of one actuator, and those that it has in common with others, act alike in all trials of it at one pressure.
    if all(place.startswith(("section", "all")) for place in places) and (
        len({*places}) == 1 or any(place.startswith("all") for place in places)
    ):
        apart = "bends of several actuators in free space, each at several pressures"
    else:
        apart = join(list(dict.fromkeys(map(_apart, names))), "or")
    known = "difference" if correlation > 0 else "sum"
    return f"{names[0]} and {names[1]}: mainly their {known} is known; trials of another kind tell them apart, such as {apart}"


def _apart(name: str) -> str:
    """Return a trial that tells an error from others."""
    where, _, what = name.partition(": ")
    if where.startswith("section") and what != "place":
        return f"the bend of {where} in free space"
    if where.startswith("all"):
        return "the bends of several actuators in free space"
    if where == "base":
        return "a growth with all actuators vented"
    if not what or where == "model" or where.startswith(("section", "bend F")):
        return "growths at other pressures"
    return f"points of {where}"


def _kind_of(name: str) -> str:
    """Return what a measurement is, by its name in `Likelihood.fit`."""
    return name.partition(" ")[0] if name.startswith(("growth ", "bend of section ")) else "point"


def _short(number: float) -> float:
    return float(f"{number:.4g}")
