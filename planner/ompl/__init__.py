"""OMPL's control planners for vines: the space, the planners that can be constructed, and a search by one of them.

Everything here needs the package `ompl`; `planner.planners` imports it only if one of OMPL's planners is chosen.
"""
