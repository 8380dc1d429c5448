"""Settings of a fit."""

from __future__ import annotations

from dataclasses import dataclass

from dynamics.recording import Recording
from planner.recordings.identification.matrices import Joints
from planner.recordings.identification.model import LinkModel
from planner.recordings.identification.observed import observe
from planner.recordings.identification.unknowns import Unknowns


@dataclass(frozen=True, slots=True)
class Settings:
    """Recording and settings of a fit."""

    recording: Recording
    bodies: int
    mass_per_length: float
    """[kg/m]"""
    assumed: bool
    """Whether the mass per length is a default."""
    start: tuple[float, float] | None
    """K [N m/rad] and C [N m s/rad] of the only start."""
    profiles: bool
    refine: int | None
    joints: Joints = "equal"
    """Form of the stiffness and damping matrices that are fitted after equal joints."""

    def unknowns(self, refine: int, joints: Joints = "equal") -> Unknowns:
        """Return the unknowns with every step divided by `refine`, for joints of a form."""
        observed = observe(self.recording, refine)
        model = LinkModel(
            self.bodies // 2,
            self.recording.tube_radius,
            self.mass_per_length,
            self.recording.base,
            float(observed.times[-1]),
            joints,
        )
        return Unknowns(model, observed)
