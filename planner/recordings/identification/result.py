"""Results of a fit: parameters with intervals, trajectory, residuals and convergence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynamics.recording import Recording
from surrogate.kernels.compiled import Floats

CHI_SQUARE = 3.841
"""95th percentile of the chi-square distribution with one degree of freedom."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Profile likelihood: the rise of the minimum cost with one parameter held at other values."""

    name: str
    unit: str
    values: Floats
    """Ascending values of the parameter, including the optimum, shape (points,)."""
    rise: Floats
    """Rise of the cost divided by the noise's variance; values above `CHI_SQUARE` are excluded; shape (points,)."""
    complete: bool
    """False if a point did not converge."""

    def crossing(self, side: int) -> float | None:
        """Find the value at which the profile exceeds `CHI_SQUARE`, below (-1) or above (+1) the optimum; None if it does not.

        Between points the square root of the rise is linear in the parameter's logarithm, as for a parabola.
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
class FittedParameter:
    """A fitted parameter."""

    name: str
    value: float
    unit: str
    interval: tuple[float | None, float | None]
    """95 % interval; None where the data give no limit."""
    sentence: str
    bound: str = ""
    """A sentence if the parameter ended at a physical bound, with the reason of the bound."""

    @property
    def identified(self) -> bool:
        """Whether the interval excludes 0 and is narrower than the absolute value, which is not at a bound."""
        low, high = self.interval
        known = low is not None and high is not None and low * high > 0 and high - low < abs(self.value)
        return bool(known) and not self.bound


@dataclass(frozen=True, slots=True)
class Convergence:
    """Convergence of the fit."""

    converged: bool
    status: str
    """Return status of IPOPT, or `not a minimum`."""
    iterations: int
    """Sum over all starts."""
    seconds: float
    """Sum over all starts, without profiles [s]."""
    primal: float
    """Largest violation of a constraint, as the solver scales it."""
    dual: float
    """Largest component of the Lagrangian's gradient, as the solver scales it."""
    kept: str
    """The iterate that is the result: a minimum, or the best of those that the solver passed."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordingFit:
    """A model fitted to a recording."""

    recording: Recording
    bodies: int
    mass_per_length: float
    """Mass per length [kg/m]."""
    step: float
    """Longest time between nodes [s]."""
    parameters: tuple[FittedParameter, ...]
    profiles: tuple[Profile, ...]
    times: Floats
    """Times of the nodes, from the recording's first frame [s], shape (nodes,)."""
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
    """Root mean square of the residual accelerations, scaled by M^(-1/2) [m/s2]."""
    convergence: Convergence
    interrupted: bool
    """Whether Ctrl-C ended the fit; only the steps finished by then are included."""
    notes: tuple[str, ...]
    """Notes on the fit."""

    def parameter(self, name: str) -> FittedParameter:
        """Return the parameter with a name."""
        return next(one for one in self.parameters if one.name == name)


def from_profile(name: str, value: float, unit: str, profile: Profile) -> FittedParameter:
    """Make a parameter with the interval of its profile."""
    low, high = profile.crossing(-1), profile.crossing(+1)
    least, most = profile.values[0], profile.values[-1]
    vague = f"These data do not identify the {name}: anything from"
    made = FittedParameter(name, value, unit, (low, high), "")
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


def from_deviation(name: str, value: float, unit: str, deviation: float) -> FittedParameter:
    """Make a parameter with the interval of its standard deviation."""
    if not np.isfinite(deviation):
        return FittedParameter(
            name, value, unit, (None, None), f"How well these data identify the {name} is not known."
        )
    reach = CHI_SQUARE**0.5 * deviation
    interval = value - reach, value + reach
    made = FittedParameter(name, value, unit, interval, f"The {name} is {value:.4g} +- {reach:.2g} {unit} (95 %).")
    if made.identified:
        return made
    vague = f"These data do not identify the {name}: {interval[0]:.2g} to {interval[1]:.2g} {unit} (95 %)."
    return replace(made, sentence=vague)
