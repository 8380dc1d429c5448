"""Registry of the propagators: each by its name, with settings that are checked before any computation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from dynamics.impulse.inputs import GrowthInputs
    from dynamics.propagator import Capabilities, Propagator, PropagatorFactory
    from dynamics.tube import VineParams
    from environments import Environment

LAST_KERNEL = {
    "quasistatic": "quasistatic/*grow_one",
    "penalty": "_free_curvatures",
    "impulse": "impulse/*grow_one",
    "geometric": "grow_turns",
    "euler-lagrange": "grow_arc",
}
"""The kernel of each propagator that is compiled last, as a pattern of its file name."""
OWNERS = {"solver": "penalty", "surrogate": "penalty", "qp": "impulse", "inputs": "impulse"}
"""The propagator that has a setting, for settings that only one has."""


class PropagatorSettings(TypedDict, total=False):
    """Settings of a propagator, see `choose_propagator`."""

    device: str
    """Device of the computation: "cpu", "cuda" or "auto"."""
    solver: str | None
    """Solver of "penalty": "newton" or "gradient"."""
    surrogate: str | None
    """Source of the actuator's force in "penalty": "table" or "network"."""
    qp: str | None
    """Solver of "impulse": "banded" or "osqp"."""
    inputs: GrowthInputs | None
    """Growth rate and body pressure over time for "impulse"; None for those of the design's tube."""


def propagators() -> tuple[str, ...]:
    """The names of the propagators; the first is the default."""
    return ("quasistatic", "penalty", "impulse", "geometric", "euler-lagrange")


def load_propagator(name: str | type[Propagator]) -> type[Propagator]:
    """Import the propagator with a name. Its dependencies are imported on demand, because PyTorch takes a second.

    A class of a propagator is returned as it is, so that callers accept those that have no name here.

    Raises:
        KeyError: The name is unknown.
        ModuleNotFoundError: A library that the propagator needs is not installed.
    """
    if not isinstance(name, str):
        return name
    match name:
        case "quasistatic":
            from dynamics.quasistatic.propagator import QuasiStatic

            return QuasiStatic
        case "penalty":
            from dynamics.penalty.propagator import Penalty

            return Penalty
        case "impulse":
            from dynamics.impulse.propagator import Impulse

            return Impulse
        case "geometric":
            from dynamics.geometric.propagator import Geometric

            return Geometric
        case "euler-lagrange":
            from dynamics.euler_lagrange.propagator import EulerLagrange

            return EulerLagrange
    raise KeyError(name)


def choose_propagator(
    params: VineParams,
    propagator: str | type[Propagator],
    device: str = "auto",
    solver: str | None = None,
    surrogate: str | None = None,
    qp: str | None = None,
    sections: int | None = None,
    inputs: GrowthInputs | None = None,
) -> PropagatorFactory:
    """Return a factory of a propagator with its settings; all of them are checked now, before any computation.

    Args:
        propagator: One of `propagators()`, or the class of another one.
        device: "cpu", "cuda" or "auto".
        solver: Solver of penalty; None for newton.
        surrogate: Force model of penalty; None for table.
        qp: Solver of impulse; None for banded.
        sections: Number of different sections of the design to grow, 1 for one arc from base to tip; None for any number.
        inputs: Growth rate and body pressure over time of impulse; None for those of the tube.
    Raises:
        CannotRun: A name is unknown, this propagator does not have a setting or does not support sections, or the device
            cannot be used.
        ModuleNotFoundError: A library that the propagator needs is not installed.
    """
    from dynamics.cuda import check_device
    from dynamics.propagator import CannotRun

    model, name = _load_known(propagator), propagator_name(propagator)
    if not model.capabilities.sections and sections != 1:
        needed = "only `simulate` accepts it, for a design of one section"
        if sections:
            needed = f"this design has {sections} sections"
        raise CannotRun(
            f"{name} models a tube as one arc (sections=False), with one actuator from base to tip; {needed}; choose another "
            "propagator"
        )
    for setting, value in (("solver", solver), ("surrogate", surrogate), ("qp", qp), ("inputs", inputs)):
        if value is not None and name != OWNERS[setting]:
            given = f"{setting} {value}" if isinstance(value, str) else setting
            raise CannotRun(f"--{given} is for --propagator {OWNERS[setting]}; {name} does not have this option")
    if name == "penalty":
        from dynamics.penalty.propagator import check_choices

        settings: dict[str, Any] = {"device": device, "solver": solver or "newton", "surrogate": surrogate or "table"}
        check_choices(params, **settings)
        return partial(model, **settings)
    if device not in ("auto", *model.capabilities.devices):
        raise CannotRun(f"--device {device}: {name} computes on {', '.join(model.capabilities.devices)}")
    if qp is not None or inputs is not None:
        from dynamics.impulse.propagator import Impulse, check_qp

        check_qp(qp or "banded")
        return partial(Impulse, qp=qp or "banded", inputs=inputs)
    if name == "quasistatic":
        check_device(device)
        make: Callable[..., Propagator] = model
        return model if device == "auto" else partial(make, device=device)
    return model


def _load_known(propagator: str | type[Propagator]) -> type[Propagator]:
    from dynamics.propagator import CannotRun

    if not isinstance(propagator, str | type):
        raise CannotRun(
            f"propagator = {propagator!r:.80} must be a name or a class; for other arguments, make a subclass"
        )
    if isinstance(propagator, str) and propagator not in propagators():
        raise CannotRun(f"unknown propagator {propagator!r}; known: {', '.join(propagators())}")
    return load_propagator(propagator)


def choose_friction(
    params: VineParams, friction: float | None, propagator: str | type[Propagator], environment: Environment
) -> VineParams:
    """Return the tube with the requested friction, or with what the propagator assumes if neither user, tube nor environment give any.

    A design stores it, so that later commands use it too. A requested friction is both the kinetic and the static one.

    Raises:
        CannotRun: The friction is out of range, or the propagator has none.
    """
    from dynamics.propagator import CannotRun
    from environments.file_model import MOST_FRICTION

    if friction is None:
        # The design must keep what the propagator assumes: another one would assume something else.
        stated = params.friction is not None or environment.friction is not None
        assumed = 0.0 if stated else load_propagator(propagator).capabilities.assumed_friction
        return replace(params, friction=assumed) if assumed else params

    def has_friction(name: str | type[Propagator]) -> bool:
        capabilities = find_capabilities(name)
        return capabilities is not None and capabilities.friction

    if not has_friction(propagator):
        owners = " or ".join(filter(has_friction, propagators()))
        raise CannotRun(
            f"--friction {friction:g} is for --propagator {owners}; {propagator_name(propagator)} has no friction"
        )
    if not 0 <= friction <= MOST_FRICTION:
        raise CannotRun(f"--friction {friction:g} must be from 0 to {MOST_FRICTION:g}")
    return replace(params, friction=friction, static_friction=None)


def ignored_properties(params: VineParams, propagator: str, environment: Environment) -> list[str]:
    """Properties of tube and walls that a propagator does not model, one note each; none if its library is missing."""
    capabilities = find_capabilities(propagator)

    def models(feature: str) -> bool:
        return capabilities is not None and getattr(capabilities, feature)

    owner, coefficient = (
        ("tube", params.friction) if params.friction is not None else ("environment", environment.friction)
    )
    notes = []
    if coefficient and not models("friction"):
        notes.append(f"note: {propagator} has no friction; it ignores the friction of this {owner} ({coefficient:g})")
    if params.static_friction is not None and not models("body_friction"):
        notes.append(
            f"note: {propagator} has one coefficient of friction; it ignores the static one ({params.static_friction:g})"
        )
    if params.least_height < 1 and not models("dents"):
        notes.append(
            f"note: {propagator} is rigid across; it ignores the least height of this tube ({params.least_height:g})"
        )
    if params.has_tail and not models("tail"):
        drag = f"{params.tail_tension:g} N, {params.tail_drag:g} N/m, friction {params.tail_friction:g}"
        notes.append(
            f"note: {propagator} has a constant growth force; it ignores the drag of this tube's tail ({drag})"
        )
    if params.inertia.tip_mass and not models("tip_mass"):
        lacks = "has the mass of the tube only" if models("inertia") else "has no inertia"
        notes.append(
            f"note: {propagator} {lacks}; it ignores the mass at the tip ({1e3 * params.inertia.tip_mass:g} g)"
        )
    return notes


def propagator_name(propagator: str | type[Propagator]) -> str:
    """Name of a propagator: of one in the registry, or of a class."""
    return propagator if isinstance(propagator, str) else propagator.__name__


def find_capabilities(propagator: str | type[Propagator]) -> Capabilities | None:
    """Capabilities of a known propagator; None if its library is missing."""
    try:
        return load_propagator(propagator).capabilities
    except ModuleNotFoundError:  # penalty without PyTorch
        return None


def kernels_are_cached(propagator: str, heuristic: bool = False, device: str = "auto") -> bool:
    """Whether the kernels of a propagator are in the cache, so that nothing is compiled.

    Args:
        heuristic: Whether the reverse tree is needed too.
        device: On which the propagator computes.
    """
    from dynamics.cuda import may_use
    from surrogate.kernels.compiled import cache_folder

    on_device = propagator == "quasistatic" and may_use(device)
    last = [LAST_KERNEL[propagator], *(["_biarcs"] if heuristic else []), *(["grow_lanes"] if on_device else [])]
    return all(any(cache_folder().rglob(f"*{kernel}*.nbi")) for kernel in last)
