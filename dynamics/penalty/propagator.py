"""Growth by minimising penalties, in kernels on a CPU or batched in PyTorch (paper 002, Algorithm 1)."""

from __future__ import annotations

from copy import copy
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from dynamics.cross_section import cross_section
from dynamics.moment import joint_moments
from dynamics.penalty.joints import Restoring
from dynamics.penalty.kernel_model import has_kernels, kernel_model
from dynamics.penalty.objective import PenaltyWeights
from dynamics.penalty.pull import Cells, check_surrogate, pull_of
from dynamics.penalty.relaxation import Relaxation
from dynamics.penalty.rollout import grow
from dynamics.penalty.rollout_on_cpu import grow_each
from dynamics.penalty.shifted_solids import Owners
from dynamics.penalty.solids import TensorSolids
from dynamics.penalty.solver_choice import SOLVERS, make_solver
from dynamics.penalty.step import MOST_MOTION
from dynamics.penalty.vines import PenaltyModel, TensorRecords, Vines, pivots_at_joints, rest_curvature
from dynamics.propagator import CannotRun, Capabilities, OutOfMemory, checked_lengths
from dynamics.quasistatic.propagator import rest_criterion
from dynamics.scene import TABLE, scene_of
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Array, Integers, Rollout, Status, VineState, pivots_of
from environments.environment import Environment
from surrogate.kernels.compiled import Floats, thread_count
from surrogate.network import one_thread

ALLOWANCE = 2.8
"""Maximum steps of a vine, those at constant length included, divided by those of free growth: of 350 random vines that reached 1 m
in `divider` and `plus`, half needed 1.6 times as many, 90 % 2.1 and 99 % 2.6."""
SPARE_STEPS = 56
"""Additional steps of every vine, independent of its length; in the last of them it comes to rest, see `LAST_STEPS`."""
HELD_STEPS = 120
"""Maximum steps of a held vine: nearly all that come to rest in contact do so within half as many."""


class Penalty:
    """Algorithm 1 with the steps, weights and contacts of the exact propagator, so that the two can be compared.

    Every step minimises Eq. 4 over the bends and the growth: the potential of all bends, the drive to grow, and
    contact as a stiff penalty. Between them a vine bends without growing until it is at rest, where that of the exact propagator
    does (`relaxation`). The maximum number of steps of a vine depends only on its length: a vine that has not reached it by then counts
    as stalled, as unresolved if it is too deep, or as not at rest. On a device nothing is copied to the host before the last step, and
    the recorded angles and forces stay there.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        contact=True,
        sections=True,
        inertia=False,
        friction=False,
        devices=("cpu", "cuda"),
        dents=True,
        tail=True,
        thickness=True,
    )

    def __init__(
        self,
        environment: Environment,
        params: VineParams,
        device: str = "auto",
        solver: str = "newton",
        step: float | None = None,
        dtype: torch.dtype = torch.float64,
        surrogate: str = "table",
        inner_steps: int | None = None,
    ) -> None:
        """Copy the environment and the tube to a device.

        Args:
            device: "cpu", "cuda", or "auto": CUDA where available.
            solver: "newton", or "gradient": conjugate gradients, with the published number of steps.
            step: Growth per step [m]. Default: a sixth of a segment.
            dtype: torch.float64 or torch.float32.
            surrogate: Model of the actuator's force: "table", or "network", the neural network (sPAMs only;
                free-space curvatures are off by up to 2 %).
            inner_steps: Solver iterations per step. Default: 10 Newton or 50 gradient steps.
        Raises:
            CannotRun: The device, solver or surrogate is unknown, the device is not available, or the network was not
                trained for the actuator.
        """
        self.device = check_choices(params, device, solver, surrogate)
        self.environment, self.params, self.dtype = environment, params, dtype
        self.solver, self.surrogate = solver, surrogate
        self.inner_steps = inner_steps
        self.scene, margin = scene_of(environment, params)
        self.model = PenaltyModel(
            params,
            cross_section(params),
            TensorSolids.of(self.scene, self.device, dtype),
            Restoring.of(joint_moments(params), self.device, dtype),
            pull_of(params, surrogate, self.device, dtype),
            make_solver(solver, inner_steps, self.device.type),
            PenaltyWeights(),
            self._tensor(environment.start),
            self._tensor(self.scene.bounds[:4]),
            float(self.scene.bounds[TABLE]),
            step or params.segment_length / 6,
            margin,
            rest_criterion(params, step or params.segment_length / 6),
        )

    @property
    def device_name(self) -> str:
        """See `Propagator`."""
        if self.device.type != "cpu":
            return torch.cuda.get_device_name(self.device)
        threads = thread_count() if has_kernels(self.model) else 1
        return "cpu, 1 thread" if threads == 1 else f"cpu, {threads} threads"

    @property
    def resumes(self) -> bool:
        """See `Propagator`."""
        return False

    def refined(self, parts: int = 2) -> Penalty:
        """See `Propagator`."""
        return Penalty(
            self.environment,
            self.params,
            self.device.type,
            self.solver,
            self.model.step / parts,
            self.dtype,
            self.surrogate,
            self.inner_steps,
        )

    def start(self, batch: int, max_segments: int) -> VineState:
        """See `Propagator`."""
        angles = self._to_output(torch.zeros(batch, max_segments, dtype=self.dtype, device=self.device))
        return VineState(angles, np.ones(batch, np.int64), np.zeros(batch))

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """See `Propagator`.

        Raises:
            CannotRun: The actuator's force is not known for a cell length.
            OutOfMemory: The device runs out of memory.
        """
        lengths = self._check(state, actuation, length, record_every)
        if has_kernels(self.model):
            steps = self._steps(state, lengths, record_every)
            model, threads = kernel_model(self.model, self.scene), thread_count()
            return grow_each(model, state, actuation, lengths, record_every, steps, threads)
        try:
            with torch.no_grad(), one_thread():
                pressure, l_0 = self._tensor(actuation.pressure), self._tensor(actuation.l_0)
                preformed = None if actuation.rest is None else self._tensor(actuation.rest)
                cells = self._cells(pressure, l_0, actuation.kind)
                records, _ = self._grow(state, pressure, cells, lengths, record_every, preformed)
        except RuntimeError as error:
            if not isinstance(error, torch.OutOfMemoryError) and "can't allocate memory" not in str(error):
                raise
            batch = len(lengths)
            raise OutOfMemory(
                f"{self.device} ran out of memory growing {batch} vines at once; try --batch {max(batch // 2, 1)}"
            ) from None
        on_host = {
            name: getattr(records, name).numpy(force=True)
            for name in ("segments", "last_length", "tips", "records", "status", "steps", "broken", "relaxations")
        }
        return Rollout(
            angles=self._to_output(records.angles),
            contact_force=self._to_output(records.contact_force),
            pivots=pivots_of(actuation.sides, self.params.pivot),
            **on_host,
        )

    def tips(
        self, state: VineState, pressure: Tensor, l_0: Tensor, length: ArrayLike, shifts: Tensor | None = None
    ) -> Tensor:
        """Grow vines and return their tips, differentiable in the actuation and in the positions of obstacles.

        Args:
            pressure: Actuator pressures [Pa], signed by side, shape (batch, segments), on the propagator's device.
            l_0: Cell lengths [m], same shape.
            length: Length to grow [m], a scalar or one per vine.
            shifts: Displacement of each obstacle along x and y [m], in the order of `Obstacles.shapes`, shape (obstacles, 2), less
                than the margin of the contacts; None for none.
        Returns:
            Tip x [m], y [m] and heading [rad], shape (batch, 3), differentiable in `pressure`, `l_0` and `shifts`.

        Raises:
            CannotRun: The actuator's force is not known for a cell length.
        """
        actuation = Actuation(pressure.numpy(force=True), l_0.numpy(force=True))
        segment = self.params.segment_length
        lengths = self._check(state, actuation, length, segment)
        if shifts is not None:
            moved, solids = copy(self), self.model.solids
            solids = Owners.of(self.environment.obstacles, solids).shift(solids, shifts)
            moved.model = self.model._replace(solids=solids)
            return moved.tips(state, pressure, l_0, lengths)
        with one_thread():
            return self._grow(state, pressure, self._cells(pressure, l_0), lengths, segment)[1]

    def _cells(self, pressure: Tensor, l_0: Tensor, kind: Integers | None = None) -> Cells:
        # Without pressure l_0 has no effect: use any valid cell length.
        longest = self._tensor(self.model.pull.lengths[0 if kind is None else kind, 1])
        number = None if kind is None else torch.as_tensor(kind, device=self.device)
        return Cells.of(self.params, torch.where(pressure == 0, longest, l_0), number)

    def _grow(
        self,
        state: VineState,
        pressure: Tensor,
        cells: Cells,
        lengths: Floats,
        record_every: float,
        preformed: Tensor | None = None,
    ) -> tuple[TensorRecords, Tensor]:
        batch, room = state.angles.shape
        angles, last_length, length = map(self._tensor, (state.angles, state.last_length, lengths))
        segments = torch.as_tensor(state.segments, dtype=torch.int64, device=self.device)
        most = int(np.ceil(lengths.max(initial=0.0) / record_every - 1e-9)) + 1
        records = TensorRecords(
            angles.new_zeros(batch, most, room),
            torch.ones_like(segments)[:, None].repeat(1, most),
            angles.new_zeros(batch, most),
            angles.new_zeros(batch, most, 3),
            angles.new_zeros(batch, most, room),
            torch.zeros_like(segments),
            torch.full_like(segments, int(Status.STALLED)),
            torch.zeros_like(segments),
            torch.full_like(segments, -1),
            torch.zeros_like(segments),
        )
        steps, rest = self._steps(state, lengths, record_every), rest_curvature(self.model, pressure, cells)
        vines = Vines(
            angles,
            segments,
            last_length,
            pressure,
            cells,
            rest if preformed is None else rest + preformed,
            length,
            before=(segments - 1).to(self.dtype) * self.params.segment_length + last_length,
            forces=torch.zeros_like(angles),
            motion=torch.zeros_like(length),
            idle=torch.zeros_like(segments),
            alive=torch.ones_like(length, dtype=torch.bool),
            allowed=torch.as_tensor(steps, device=self.device),
            keys=torch.zeros_like(segments)[:, None][:, :0],
            carried=angles[:, :0],
            relaxation=Relaxation.begin(angles, self.model.rest.time),
            pivots=pivots_at_joints(self.params, pressure, preformed),
            preformed=preformed,
        )
        longest = int(state.segments.max(initial=1))
        return records, grow(self.model, vines, record_every, records, int(steps.max(initial=0)), longest)

    def _check(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Floats:
        lengths = checked_lengths(state, actuation, length, record_every, self.params)
        used = actuation.pressure != 0
        shortest, longest = self.model.pull.lengths[actuation.kinds[used]].T
        l_0 = actuation.l_0[used]
        if not np.all((l_0 >= shortest - 1e-9) & (l_0 <= longest + 1e-9)):
            shortest, longest = shortest.min(), longest.max()
            raise CannotRun(
                f"actuation.l_0: cells must be {shortest * 1e3:g} to {longest * 1e3:g} mm long, for which the actuator's force is known"
            )
        return lengths

    def _steps(self, state: VineState, lengths: Floats, record_every: float) -> Integers:
        """Maximum number of steps of each vine, shape (batch,), independent of the other vines of the batch."""
        # A longer step is cut: it may move the tip no farther than that.
        full, step = self.params.segment_length, min(self.model.step, MOST_MOTION * self.model.margin)
        steps = np.full(len(lengths), HELD_STEPS)
        for vine, (last_length, length) in enumerate(zip(state.last_length, lengths, strict=True)):
            if length > 0 and np.isfinite(last_length):
                records, segments = np.arange(0, length, record_every), np.arange(full - last_length, length, full)
                stops = np.unique(np.concatenate([records, segments, [length]]).round(9))
                free = np.ceil(np.diff(stops) / step - 1e-6).sum()
                steps[vine] = np.ceil(ALLOWANCE * free) + SPARE_STEPS
        return steps

    def _tensor(self, array: Array) -> Tensor:
        return torch.as_tensor(array, dtype=self.dtype, device=self.device)

    def _to_output(self, tensor: Tensor) -> Array:
        """Convert a tensor for the result: on the CPU, to a numpy array of the same memory."""
        return tensor.numpy() if self.device.type == "cpu" else tensor


def check_choices(params: VineParams, device: str, solver: str, surrogate: str) -> torch.device:
    """Check that the options of a `Penalty` are available; return the device.

    Raises:
        CannotRun: One of them is not; the message gives those that are.
    """
    if solver not in SOLVERS:
        raise CannotRun(f"unknown solver {solver!r}; known: {', '.join(SOLVERS)}")
    check_surrogate(surrogate, params)
    return find_device(device)


def find_device(name: str) -> torch.device:
    """Return the device with a name: "cpu", "cuda", or "auto".

    Raises:
        CannotRun: The name is unknown, or CUDA is not available.
    """
    if name not in ("auto", "cpu", "cuda"):
        raise CannotRun(f"unknown device {name!r}; known: auto, cpu, cuda")
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise CannotRun("device cuda: PyTorch finds no CUDA device here; use --device cpu or auto")
    return torch.device("cuda" if available and name != "cpu" else "cpu")
