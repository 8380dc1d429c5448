"""Design vine robots: `import vinewright as vw`.

Lengths are in metres, angles in radians, pressures in pascals. Each name imports what it needs when it is first used.

>>> import vinewright as vw
>>> env = vw.load_environment("divider")
>>> result = vw.plan(env, seed=1, iterations=10, fast=True)
>>> vw.simulate(result.best, env).reached
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynamics.impulse.inputs import GrowthInputs
    from dynamics.propagator import CannotRun
    from dynamics.registry import propagators
    from dynamics.tube import Inertia, InvalidTube, VineParams
    from dynamics.tube_file import known_tubes, load_tube
    from environments import (
        Environment,
        InvalidEnvironment,
        Obstacles,
        check_environment,
        environment_hints,
        generate_environment,
        known_environments,
        load_environment,
        write_environment,
    )
    from environments.importing.choose import import_environment
    from environments.reach import WalledIn
    from environments.uncertainty import Uncertainty
    from planner.design.design import Design, InvalidDesign, Section
    from planner.design.design_file import load_design
    from planner.design.estimate import Estimate
    from planner.design.replay import Simulation
    from planner.output.claim import UnwritableFolder
    from planner.plan.options import PlanOptions
    from planner.plan.plan import Result
    from planner.plan.run.arrays import InvalidCheckpoint
    from planner.search.ompl import setup as ompl
    from surrogate.pouch import PouchMotor
    from surrogate.spam import Spam
    from vinewright import euler_lagrange, torch
    from vinewright.api import export, plan, plot, resume, robustness, simulate
    from vinewright.sweeps.api import sweep

__all__ = [
    "CannotRun",
    "Design",
    "Environment",
    "Estimate",
    "GrowthInputs",
    "Inertia",
    "InvalidCheckpoint",
    "InvalidDesign",
    "InvalidEnvironment",
    "InvalidTube",
    "Obstacles",
    "PlanOptions",
    "PouchMotor",
    "Result",
    "Section",
    "Simulation",
    "Spam",
    "Uncertainty",
    "UnwritableFolder",
    "VineParams",
    "WalledIn",
    "check_environment",
    "environment_hints",
    "euler_lagrange",
    "export",
    "generate_environment",
    "import_environment",
    "known_environments",
    "known_tubes",
    "load_design",
    "load_environment",
    "load_tube",
    "plan",
    "plot",
    "propagators",
    "resume",
    "robustness",
    "simulate",
    "sweep",
    "write_environment",
]

if TYPE_CHECKING:  # public too, but `from vinewright import *` must not need OMPL or PyTorch
    __all__ += ["ompl", "torch"]
_HOMES = {
    "vinewright.api": ("export", "plan", "plot", "resume", "robustness", "simulate"),
    "dynamics.impulse.inputs": ("GrowthInputs",),
    "dynamics.propagator": ("CannotRun",),
    "dynamics.registry": ("propagators",),
    "dynamics.tube": ("Inertia", "VineParams"),
    "dynamics.tube_file": ("InvalidTube", "known_tubes", "load_tube"),
    "environments.importing.choose": ("import_environment",),
    "environments.reach": ("WalledIn",),
    "environments.uncertainty": ("Uncertainty",),
    "environments": (
        *("Environment", "InvalidEnvironment", "Obstacles", "check_environment", "generate_environment"),
        *("environment_hints", "known_environments", "load_environment", "write_environment"),
    ),
    "planner.design.design": ("Design", "Section"),
    "planner.design.design_file": ("InvalidDesign", "load_design"),
    "planner.search.ompl.setup": ("ompl",),
    "vinewright.euler_lagrange": ("euler_lagrange",),
    "planner.plan.plan": ("Result",),
    "planner.design.replay": ("Simulation",),
    "planner.design.estimate": ("Estimate",),
    "planner.plan.run.checkpoint": ("InvalidCheckpoint",),
    "planner.output.claim": ("UnwritableFolder",),
    "planner.plan.options": ("PlanOptions",),
    "vinewright.sweeps.api": ("sweep",),
    "vinewright.torch": ("torch",),
    "surrogate.pouch": ("PouchMotor",),
    "surrogate.spam": ("Spam",),
}
"""Public names by the modules that define them."""
_LIBRARIES = "ompl", "torch"
"""Public modules that need the library of their name."""
_MODULES = ("euler_lagrange", *_LIBRARIES)
"""Public names that are modules."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            if name in _LIBRARIES:
                from vinewright.console.errors import missing, need_text

                if missing(name):
                    raise AttributeError(need_text(name).replace("this", f"vinewright.{name}", 1))
            module = importlib.import_module(home)
            return globals().setdefault(name, module if name in _MODULES else getattr(module, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
