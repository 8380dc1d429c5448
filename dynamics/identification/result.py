"""What a fit finds: parameters with their intervals, in words too, the trajectory, what is left over, and how the solver fared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynamics.recording import Recording
from surrogate.compiled import Floats

CHI_SQUARE = 3.841
"""95 % of the chi-square distribution of one degree of freedom lies below this."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """How much worse the best fit becomes as one parameter is held elsewhere (profile likelihood)."""

    name: str
    unit: str
    values: Floats
    """Of the parameter, rising, the optimum among them, shape (points,)."""
    rise: Floats
    """Of the cost over the noise's variance; above `CHI_SQUARE` a value is excluded, shape (points,)."""
    complete: bool
    """False where it was interrupted, or a point did not converge."""

    def crossing(self, side: int) -> float | None:
        """Where the profile rises above `CHI_SQUARE` below (-1) or above (+1) the optimum; None where it does not.

        Between points the root of the rise is taken to be linear in the parameter's logarithm, as in a parabola.
        """
        best = int(self.rise.argmin())
        at, root = np.log(self.values), np.sqrt(np.maximum(self.rise, 0.0))
        ends = range(best + side, len(at) if side > 0 else -1, side)
        for k in ends:
            if self.rise[k] > CHI_SQUARE:
                share = (CHI_SQUARE**0.5 - root[k - side]) / (root[k] - root[k - side])
                return float(np.exp(at[k - side] + share * (at[k] - at[k - side])))
        return None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One fitted number."""

    name: str
    value: float
    unit: str
    interval: tuple[float | None, float | None]
    """95 %; None where the data set no limit."""
    sentence: str

    @property
    def identified(self) -> bool:
        """Whether the data tell the value from 0, and the interval is narrower than the value is large."""
        low, high = self.interval
        return low is not None and high is not None and bool(low * high > 0 and high - low < abs(self.value))


@dataclass(frozen=True, slots=True)
class Convergence:
    """What the solver says of the fit that was kept."""

    converged: bool
    status: str
    """IPOPT's own word."""
    iterations: int
    """Of all starts together."""
    seconds: float
    """The same, without profiles [s]."""
    primal: float
    """Largest violation of a constraint, as the solver scales it."""
    dual: float
    """Largest component of the Lagrangian's gradient, as the solver scales it."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A model fitted to a recording."""

    recording: Recording
    bodies: int
    mass_per_length: float
    """[kg/m]"""
    step: float
    """Longest time between nodes [s]."""
    parameters: tuple[Parameter, ...]
    profiles: tuple[Profile, ...]
    times: Floats
    """Of the nodes, from the recording's first frame [s], shape (nodes,)."""
    joints: Floats
    """Base, joints and tip of the fitted tube [m], shape (nodes, links + 1, 2)."""
    frames: np.ndarray
    """Node of every frame, shape (frames,), int."""
    contact_forces: Floats
    """Largest force of a wall at every node [N], shape (nodes,)."""
    tip_error: Floats
    """Mean absolute error of the tip in x and y [m], shape (2,)."""
    rms: float
    """Root mean square distance of measured points from the fitted ones [m]."""
    model_rms: float
    """Root mean square of residual accelerations, scaled by M^(-1/2): what the model leaves unexplained [m/s2]."""
    convergence: Convergence
    interrupted: bool
    """Whether Ctrl-C came: what was finished by then is here, and what was to follow is not."""
    notes: tuple[str, ...]
    """What to know of the fit, in sentences."""

    def parameter(self, name: str) -> Parameter:
        """The parameter of a name."""
        return next(one for one in self.parameters if one.name == name)


def from_profile(name: str, value: float, unit: str, profile: Profile) -> Parameter:
    """A parameter whose interval is where its profile stays low."""
    low, high = profile.crossing(-1), profile.crossing(+1)
    least, most = profile.values[0], profile.values[-1]
    vague = f"These data do not identify the {name}: anything from"
    made = Parameter(name, value, unit, (low, high), "")
    if not profile.complete and (low is None or high is None):
        words = f"How well these data identify the {name} is not known: its profile was not finished."
    elif made.identified:
        words = f"These data identify the {name}: {low:.4g} to {high:.4g} {unit} (95 %)."
    elif low is not None and high is not None:
        words = f"{vague} {low:.2g} to {high:.2g} {unit} fits as well."
    elif low is not None:
        words = f"{vague} {low:.2g} to {most:.2g} {unit} fits as well; no fit as good was found below."
    elif high is not None:
        words = f"{vague} {least:.2g} to {high:.2g} {unit} fits as well; no fit as good was found above."
    else:
        words = f"{vague} {least:.2g} to {most:.2g} {unit} fits as well."
    return replace(made, sentence=words)


def from_deviation(name: str, value: float, unit: str, deviation: float) -> Parameter:
    """A parameter whose interval follows from its standard deviation."""
    if not np.isfinite(deviation):
        return Parameter(name, value, unit, (None, None), f"How well these data identify the {name} is not known.")
    reach = CHI_SQUARE**0.5 * deviation
    interval = value - reach, value + reach
    made = Parameter(name, value, unit, interval, f"The {name} is {value:.4g} +- {reach:.2g} {unit} (95 %).")
    if made.identified:
        return made
    vague = f"These data do not identify the {name}: {interval[0]:.2g} to {interval[1]:.2g} {unit} (95 %)."
    return replace(made, sentence=vague)
