"""Validation: propagators compared with published results, with each other, and with themselves at finer steps."""
