"""Plan with OMPL: SST*, one of OMPL's planners with your own settings, and a planner of your own.

`vinewright plan divider --planner examples/09_ompl.py:RandomTree` plans with the last one.
"""

from ompl import base, control, util

import vinewright as vw


class RandomTree(base.Planner):
    """Extends a vine drawn at random by a random control, until a tip is in the goal."""

    def __init__(self, information):
        """Start with an empty tree."""
        super().__init__(information, "random tree")
        self.states, self.rng = [], util.RNG()

    def solve(self, until):
        """Grow the tree until a termination condition is met; go on where the last call stopped."""
        space, goal = self.getSpaceInformation(), self.getProblemDefinition().getGoal()
        sampler, steer = space.allocControlSampler(), space.allocControl()
        if not self.states:
            self.states.append(space.cloneState(self.getPlannerInputStates().nextStart()))
        while not until():
            before, after = self.states[self.rng.uniformInt(0, len(self.states) - 1)], space.allocState()
            sampler.sample(steer)
            if space.propagateWhileValid(before, steer, 1, after):
                self.states.append(after)
                if goal.isSatisfied(after):
                    return base.PlannerStatus(True, False)
        return base.PlannerStatus(False, False)

    def clear(self):
        """Forget the tree."""
        super().clear()
        self.states = []


def main() -> None:
    """Search with SST*, OMPL's RRT and the planner above, and grow what they find again."""
    util.setLogLevel(util.LOG_NONE)
    env, tube = vw.load_environment("divider"), vw.load_tube("prototype")
    setup, found = vw.ompl.space(env, tube), {}
    information = setup.getSpaceInformation()
    sst, rrt, own = vw.ompl.sst_star(setup, seed=1), control.RRT(information), RandomTree(information)
    rrt.setGoalBias(0.2)
    for planner in (sst, rrt):
        setup.clear()
        setup.setPlanner(planner)
        setup.solve(5.0)
        found[planner.getName()] = setup.best()
    setup.clear()
    setup.setPlanner(own)
    if setup.solve(5.0):
        found[own.getName()] = setup.design(own.states[-1])

    for name, design in found.items():
        again = design and vw.simulate(design, env, propagator="impulse").reached
        print(f"{name}: {design}; grown again by the impulse propagator it reaches the goal: {again}")


if __name__ == "__main__":
    main()
