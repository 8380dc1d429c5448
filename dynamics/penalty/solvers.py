"""Two inner solvers for the same objective, in tensors: as many gradient steps as in Algorithm 1, and a semismooth Newton method."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dynamics.penalty.objective import Objective
from dynamics.penalty.solvers_on_cpu import LINE_STEPS, LONGEST_STEP

Step = Callable[[Objective, Tensor], Tensor]
Solver = Callable[[Objective, Tensor], Tensor]


def descend(objective: Objective, d: Tensor, steps: int) -> Tensor:
    """Gradient steps from d: conjugate gradients in place of the fixed rate of Algorithm 1.

    The rate of each unknown is the inverse of its stiffness, consecutive directions are conjugate (Polak and Ribiere),
    and a line search finds the length along them. With one rate for all unknowns, contacts of 2e5 N/m would leave bends
    of a few N m/rad practically unchanged.
    """
    diagonal = objective.curvature(d)
    direction, before, product = torch.zeros_like(d), torch.zeros_like(d), torch.ones_like(d[:, :1])
    for _ in range(steps):
        gradient = objective.gradient(d)
        scaled = gradient / diagonal
        turned = (scaled * (gradient - before)).sum(1, keepdim=True) / product
        direction = -scaled + turned.clamp(min=0) * direction
        # Restart from the gradient if the direction is not a descent direction.
        direction = torch.where((direction * gradient).sum(1, keepdim=True) < 0, direction, -scaled)
        before, product = gradient, (gradient * scaled).sum(1, keepdim=True).clamp(min=1e-30)
        d = d + search_line(objective, d, gradient, direction, 0.0) * direction
    return d


def newton(objective: Objective, d: Tensor, steps: int) -> Tensor:
    """Semismooth Newton from d: the Hessian is diagonal plus a rank-one term for each contact that is pressed."""
    for _ in range(steps):
        d = newton_step(objective, d)
    return d


def newton_step(objective: Objective, d: Tensor) -> Tensor:
    """One step of `newton`, shape (batch, unknowns)."""
    gradient, diagonal = objective.gradient(d), objective.curvature(d)
    direction = newton_direction(objective, diagonal, d, gradient)
    return d + search_line(objective, d, gradient, direction, 1.0) * direction


class CompiledNewton:
    """`newton` with its step compiled at the first use: on a CUDA device it takes longer to start its small kernels than to run them.

    One graph of ten steps takes five times as long to compile, and is no faster. Shapes are variables of the graph, so that it
    remains the same while vines grow. Where PyTorch cannot compile, one line says so, and the steps are those of `newton`.
    CUDA graphs are not used: PyTorch 2.11 loses track of their memory where a step leaves them for cuSOLVER, which cannot be recorded.
    """

    def __init__(self) -> None:
        """Compile nothing yet."""
        self._step: Step | None = None

    def __call__(self, objective: Objective, d: Tensor, steps: int) -> Tensor:
        """See `newton`."""
        # Imported here: this takes longer than the import of the rest of PyTorch, and most processes compile nothing.
        from torch._dynamo.exc import FailOnRecompileLimitHit, TorchDynamoException

        if self._step is None:
            self._step = torch.compile(newton_step, fullgraph=True)
        parts: dict[str, Any] = {
            name: _free_shape(part) for name, part in objective._asdict().items() if isinstance(part, Tensor)
        }
        objective, d = objective._replace(**parts), _free_shape(d)
        for _ in range(steps):
            try:
                d = self._step(objective, d)
            except (TorchDynamoException, FailOnRecompileLimitHit) as error:
                why = str(error).strip().partition("\n")[0]
                logging.getLogger(__name__).warning("PyTorch cannot compile here, so steps take longer: %s", why)
                self._step = newton_step
                d = newton_step(objective, d)
        return d

    def __reduce__(self) -> tuple[type[CompiledNewton], tuple[()]]:
        """Pickle without the compiled step: a copy in another process compiles again."""
        return CompiledNewton, ()


def _free_shape(tensor: Tensor) -> Tensor:
    """Return the tensor for a graph in which its shape is variable; detached, or the graph would be another one with derivatives."""
    from torch._dynamo import maybe_mark_dynamic

    tensor = tensor.detach()
    maybe_mark_dynamic(tensor, list(range(tensor.dim())))
    return tensor


def minimise(objective: Objective, start: Tensor, solver: Solver) -> Tensor:
    """Minimise the objective; if gradients are enabled, differentiable in all tensors of the objective.

    Its derivative is that of one Newton step from the minimum (implicit function theorem), independent of the solver.
    """
    with torch.no_grad():
        d = solver(objective, start)
    if not torch.is_grad_enabled():
        return d
    gradient = objective.gradient(d)
    fixed = objective._replace(gap=objective.gap.detach(), jacobian=objective.jacobian.detach())
    diagonal = fixed.curvature(d).detach()
    step = newton_direction(fixed, diagonal, d, gradient)
    return d + step - step.detach()


def newton_direction(objective: Objective, diagonal: Tensor, d: Tensor, gradient: Tensor) -> Tensor:
    """-H^-1 gradient by Woodbury's identity: H is the diagonal D plus k J^T J over the pressed contacts."""
    coupling = (objective.jacobian / diagonal[:, None, :]) @ objective.jacobian.mT
    pressed = (objective.gaps(d) < 0).to(d.dtype)
    scaled = gradient / diagonal
    # 1/k alone would be lost in the rounding of single precision; the next step corrects the effect of this addition.
    size = coupling.amax((1, 2), keepdim=True)  # found on the diagonal, since no direction has a negative coupling
    compliance = 1 / objective.contact_stiffness + 8 * torch.finfo(d.dtype).eps * size
    unit = torch.eye(coupling.shape[1], dtype=d.dtype, device=d.device)
    system = coupling * (pressed[:, :, None] * pressed[:, None, :]) + compliance * unit
    factor = torch.linalg.cholesky_ex(system).L
    push = pressed * (objective.jacobian @ scaled[..., None])[..., 0]
    force = torch.cholesky_solve(push[..., None], factor)[..., 0]
    direction = ((pressed * force)[:, None, :] @ objective.jacobian)[:, 0] / diagonal - scaled
    return torch.where(torch.isfinite(direction), direction, -scaled)


def search_line(objective: Objective, d: Tensor, gradient: Tensor, direction: Tensor, guess: float) -> Tensor:
    """Position of the lowest energy along a direction, shape (batch, 1).

    The slope of the energy increases piecewise smoothly along the line: Newton's method from a first guess that is the
    same for all vines, kept within a bracket that it narrows.
    """
    gaps, change = objective.gaps(d), (objective.jacobian @ direction[..., None])[..., 0]
    along = (gradient * direction).sum(1)
    bending = objective.bending_along(d, direction)
    pressing, stiffness = torch.relu(-gaps), objective.contact_stiffness
    low, high, at = torch.zeros_like(along), torch.full_like(along, LONGEST_STEP), torch.full_like(along, guess)
    for _ in range(LINE_STEPS):
        depth = torch.relu(-(gaps + at[:, None] * change))
        rise, curvature = bending(at)
        slope = along + rise + stiffness * ((pressing - depth) * change).sum(1)
        curvature = curvature + stiffness * torch.where(depth > 0, change**2, 0.0).sum(1)
        low, high = torch.where(slope < 0, at, low), torch.where(slope < 0, high, at)
        ahead = at - slope / curvature
        at = torch.where((ahead >= low) & (ahead <= high), ahead, 0.5 * (low + high))
    return torch.where(along < 0, at, 0.0)[:, None]
