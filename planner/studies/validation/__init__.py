"""Propagators held against what papers show, against each other, and against themselves with finer steps."""
