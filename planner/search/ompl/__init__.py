"""OMPL's control planners for vines: the space, the planners that can be constructed, and a search by one of them.

They need the package `ompl`, and are imported only if one of OMPL's planners is chosen, or `vinewright.ompl` is used.
"""
