"""The model of the growing vine that a command or a call asks for, checked before any computation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from vinewright.console.errors import BadInput, needs
from vinewright.console.options import MOST_FRICTION

if TYPE_CHECKING:
    from dynamics.propagator import Capabilities, Propagator, PropagatorFactory
    from dynamics.tube import VineParams
    from environments import Environment
    from planner.design.design import Design
    from planner.plan.options import Inputs


def chosen_model(
    params: VineParams,
    propagator: str | type[Propagator],
    device: str,
    solver: str | None,
    surrogate: str | None,
    qp: str | None = None,
    design: Design | None = None,
) -> PropagatorFactory:
    """A factory of the chosen propagator; all choices are checked now, before any computation.

    Args:
        propagator: One of `propagators()`, or the class of another one.
        design: The design to grow; None means any, with several sections.
    Raises:
        BadInput: This propagator does not have an option, or does not support sections.
        CannotRun: A choice is unknown, or not available on this machine.
    """
    from dynamics.cuda import check_device

    model, propagator = _loaded(propagator), _name(propagator)
    if not model.capabilities.sections and not (design and design.uniform):
        needed = "only `simulate` accepts it, for a design of one section"
        if design:
            needed = f"this design has {len(design.sections)} sections"
        raise BadInput(
            f"{propagator} models a tube as one arc (sections=False), with one actuator from base to tip; {needed}; choose another "
            "propagator"
        )
    for option, value, owner in (
        ("solver", solver, "penalty"),
        ("surrogate", surrogate, "penalty"),
        ("qp", qp, "impulse"),
    ):
        if value is not None and propagator != owner:
            raise BadInput(f"--{option} {value} is for --propagator {owner}; {propagator} does not have this option")
    if propagator == "penalty":
        from dynamics.penalty.propagator import check_choices

        settings: dict[str, Any] = {"device": device, "solver": solver or "newton", "surrogate": surrogate or "table"}
        check_choices(params, **settings)
        return partial(model, **settings)
    if device not in ("auto", *model.capabilities.devices):
        raise BadInput(f"--device {device}: {propagator} computes on {', '.join(model.capabilities.devices)}")
    if qp is not None:
        from dynamics.impulse.propagator import Impulse, check_qp

        with needs("osqp"):
            check_qp(qp)
        return partial(Impulse, qp=qp)
    if propagator == "quasistatic":
        check_device(device)
        make: Callable[..., Propagator] = model
        return model if device == "auto" else partial(make, device=device)
    return model


def _loaded(propagator: str | type[Propagator]) -> type[Propagator]:
    """The class of a propagator, or of its name."""
    from dynamics.registry import load_propagator, propagators

    if not isinstance(propagator, str | type):
        raise BadInput(
            f"propagator = {propagator!r:.80} must be a name or a class; for other arguments, make a subclass"
        )
    if isinstance(propagator, str) and propagator not in propagators():
        raise BadInput(f"unknown propagator {propagator!r}; known: {', '.join(propagators())}")
    with needs("torch"):
        return load_propagator(propagator)


def with_friction(
    params: VineParams, friction: float | None, propagator: str | type[Propagator], environment: Environment
) -> VineParams:
    """The tube with the requested friction, or that which the propagator assumes if neither user, tube nor environment give one.

    A design stores it, so that later commands use it too. A requested friction is both the kinetic and the static one.

    Raises:
        BadInput: The friction is out of range, or the propagator has none.
    """
    from dynamics.registry import load_propagator, propagators

    if friction is None:
        # The design must keep what the propagator assumes: another one would assume something else.
        given = params.friction is not None or environment.friction is not None
        assumed = 0.0 if given else load_propagator(propagator).capabilities.assumed_friction
        return replace(params, friction=assumed) if assumed else params

    if not has_friction(propagator):
        owners = " or ".join(filter(has_friction, propagators()))
        raise BadInput(f"--friction {friction:g} is for --propagator {owners}; {_name(propagator)} has no friction")
    if not 0 <= friction <= MOST_FRICTION:
        raise BadInput(f"--friction {friction:g} must be from 0 to {MOST_FRICTION:g}")
    return replace(params, friction=friction, static_friction=None)


def note_ignored(tell: Callable[[str], None], params: VineParams, propagator: str, environment: Environment) -> None:
    """Tell if tube or walls have friction, or the tube gives way to walls, or has a tail that drags, and the propagator has not."""
    owner, friction = (
        ("tube", params.friction) if params.friction is not None else ("environment", environment.friction)
    )
    if friction and not has_friction(propagator):
        tell(f"note: {propagator} has no friction; it ignores the friction of this {owner} ({friction:g})")
    if params.static_friction is not None and not has_body_friction(propagator):
        tell(
            f"note: {propagator} has one coefficient of friction; it ignores the static one ({params.static_friction:g})"
        )
    if params.least_height < 1 and not has_dents(propagator):
        tell(f"note: {propagator} is rigid across; it ignores the least height of this tube ({params.least_height:g})")
    if params.has_tail and not has_tail(propagator):
        tail = f"{params.tail_tension:g} N, {params.tail_drag:g} N/m, friction {params.tail_friction:g}"
        tell(f"note: {propagator} has a constant growth force; it ignores the drag of this tube's tail ({tail})")


def second_model(
    params: VineParams, inputs: Inputs, tell: Callable[[str], None], environment: Environment
) -> PropagatorFactory:
    """The factory of the propagator that verifies, checked before any computation.

    Raises:
        BadInput: It is unknown, is the one that plans, or does not support contact or sections.
    """
    verify = str(inputs.verify)
    if verify == inputs.propagator:
        raise BadInput(f"--verify {verify} is the propagator that plans; give a different one")
    try:
        make = chosen_model(params, verify, "auto", None, None)
    except BadInput as error:
        raise BadInput(f"--verify {verify}: {error.message}") from None
    note_ignored(tell, params, verify, environment)
    return make


def has_friction(propagator: str | type[Propagator]) -> bool:
    """Whether a known propagator has friction; False if its library is missing."""
    capabilities = _capabilities(propagator)
    return capabilities is not None and capabilities.friction


def has_body_friction(propagator: str) -> bool:
    """Whether a known propagator has friction of the body, and static friction; False if its library is missing."""
    capabilities = _capabilities(propagator)
    return capabilities is not None and capabilities.body_friction


def has_dents(propagator: str) -> bool:
    """Whether walls dent the tube of a known propagator; False if its library is missing."""
    capabilities = _capabilities(propagator)
    return capabilities is not None and capabilities.dents


def has_tail(propagator: str) -> bool:
    """Whether the drag of the tail reduces the growth force of a known propagator; False if its library is missing."""
    capabilities = _capabilities(propagator)
    return capabilities is not None and capabilities.tail


def _name(propagator: str | type[Propagator]) -> str:
    return propagator if isinstance(propagator, str) else propagator.__name__


def _capabilities(propagator: str | type[Propagator]) -> Capabilities | None:
    from dynamics.registry import load_propagator

    try:
        return load_propagator(propagator).capabilities
    except ModuleNotFoundError:  # penalty without PyTorch
        return None
