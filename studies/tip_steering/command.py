"""`vinewright reproduce tip-steering`."""

from __future__ import annotations

from vinewright.console.device import DeviceOption
from vinewright.console.errors import readable_errors
from vinewright.console.options import (
    ForceOption,
    PhysicsOption,
    PropagatorOption,
    SolverOption,
    SurrogateOption,
    TubeOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def tip_steering(
    out: FolderOption = None,
    force: ForceOption = False,
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
) -> int:
    """Steer the tip of a vine that is held in a narrow passage. Exit code 3 if a movement is not completed."""
    with readable_errors():
        from dynamics.registry import choose_propagator
        from dynamics.tube_choice import choose_tube
        from studies.tip_steering.plots import save_picture
        from studies.tip_steering.report import missed_text, report
        from studies.tip_steering.study import MOVES, make_passage, steer

        params = choose_tube(tube, physics=physics)
        make = choose_propagator(params, propagator, device, solver, surrogate)
        environment = make_passage(params)
        study = Study(
            "tip-steering",
            MOVES,
            lambda moves: steer(moves, make(environment, params), environment, params),
            lambda stages: report(stages, propagator),
            {"tip-steering.png": lambda path, stages: save_picture(path, environment, params, stages)},
            "pressures",
            chained=True,
            module=__name__,
        )
        chosen = {"propagator": propagator if propagator != "quasistatic" else None, "solver": solver}
        command = command_line("reproduce tip-steering", **chosen, surrogate=surrogate, tube=tube, physics=physics)
        return measure_study(study, command, out, force, missed_text)
