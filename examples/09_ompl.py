"""Plan with OMPL: one of its planners with your own settings, and a planner of your own."""

import random

from ompl import control, util

import vinewright as vw


def main() -> None:
    """Search with OMPL's RRT, then with a planner in ten lines, and grow what they find again."""
    util.setLogLevel(util.LOG_NONE)
    env, tube = vw.load_environment("divider"), vw.load_tube("prototype")
    setup = vw.ompl.space(env, tube)
    rrt = control.RRT(setup.getSpaceInformation())
    rrt.setGoalBias(0.2)
    setup.setPlanner(rrt)
    setup.solve(10.0)
    print("RRT:", setup.best())

    # A planner of your own: extend a random vine by a random control until a tip is in the goal.
    space = setup.getSpaceInformation()
    sampler, steer = space.allocControlSampler(), space.allocControl()
    states, rng = [setup.start()], random.Random(1)
    while not setup.getGoal().isSatisfied(states[-1]):
        before, after = rng.choice(states), space.allocState()
        sampler.sample(steer)
        if space.propagateWhileValid(before, steer, 1, after):
            states.append(after)
    own = setup.design(states[-1])
    print(f"own: {own} after {len(states)} vines")

    for design in (setup.best(), own):
        print("grown again by the impulse propagator:", vw.simulate(design, env, propagator="impulse").reached)


if __name__ == "__main__":
    main()
