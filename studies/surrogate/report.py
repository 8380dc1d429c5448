"""The report about the actuator network and the force table: tables of errors and speeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import torch

from planner.output.markdown import markdown_table
from studies.surrogate.study import BINS, NETWORK, STEP, TABLE, Evaluation
from surrogate.weights_file import ModelErrors
from vinewright.console.study import Report

ERRORS = (
    *("", "normalised MSE", "median", "90th percentile", "99th", "largest", "largest, strain 0 to 0.02"),
    "largest, 0 to 90 %",
)


def report(evaluation: Evaluation) -> Report:
    """Tables in Markdown, and their data."""
    graphics = f"The GPU is {torch.cuda.get_device_name()}. " if torch.cuda.is_available() else ""
    lines = [
        graphics + verdict(evaluation),
        "",
        "## Error",
        "",
        f"Errors relative to the analytic model, on {evaluation.samples:,} samples that were not used in training, uniform",
        "in m (the parameter of the cell's shape in paper 002, Eq. 1) and in the cell length l_0. The normalised MSE is",
        "that of m and the angle phi, each divided by its standard deviation; paper 002 reports 0.003. The form of",
        "network in the paper was trained here too; its m is limited to 0.001 to 0.5. The table contains only the force,",
        "so it has no m and phi.",
        "",
        "The other columns are relative errors of the force. The largest error is also given for strains of 0 to 0.02,",
        "where bending starts, and up to 90 % of full contraction; beyond that, the force approaches zero and a relative",
        f"error is not meaningful. Below zero strain ({_percent(evaluation.taut)} of the samples) the film is taut.",
        "",
        *markdown_table(ERRORS, [_error_row(name, errors) for name, errors in evaluation.errors.items()]),
        "",
        "## Speed",
        "",
        "Forces per second in the fastest call, with the ratio to the analytic solver in brackets. On the CPU all use one",
        "thread. The network uses single precision. The table also computes the slope of the force.",
        "",
        *markdown_table(
            [
                "forces a call",
                "analytic solver",
                "force table",
                *(f"network, {device}" for device in evaluation.devices),
            ],
            _speed_rows(evaluation),
        ),
        "",
        "![Errors and speeds](surrogate.png)",
    ]
    content = {
        "weights_sha256": evaluation.weights.sha256(),
        "seed": evaluation.weights.seed,
        "samples": evaluation.samples,
        "errors": {name: asdict(errors) for name, errors in evaluation.errors.items()},
        "histogram": {"edges": BINS.tolist(), **{name: s.tolist() for name, s in evaluation.histograms.items()}},
        "speeds": [{**asdict(speed), "rate": speed.rate} for speed in evaluation.speeds],
    }
    return Report("The actuator: network and force table", lines, content)


def verdict(evaluation: Evaluation) -> str:
    """Return the model that the planner uses, and the reason according to the measurements."""
    network, tabulated = evaluation.errors[NETWORK], evaluation.errors[TABLE]
    batches = [speed.batch for speed in evaluation.speeds if speed.batch <= STEP]
    batch = max(batches)
    device = max(evaluation.devices, key=lambda name: evaluation.rate("network", name, batch))
    faster = evaluation.rate("table", "cpu", batch) / evaluation.rate("network", device, batch)
    closer = tabulated.p90 < network.p90
    speed = f"in calls for {batch:,} forces it is {_times(faster)} as fast as the network on {device}"
    error = f"its force is off by {_percent(tabulated.p90)} at the 90th percentile, the network's by {_percent(network.p90)}"
    if closer and faster >= 1:
        reason = f"The planner's default propagator uses the force table: {speed}, and {error}."
    else:
        reason = (
            f"The planner's default propagator uses the force table because its compiled loop asks for one joint at a time, "
            f"which a network cannot answer without leaving the loop. In figures: {speed}, and {error}."
        )
    return f"{reason} The network is for propagators in PyTorch: it is differentiable, and runs on a GPU."


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 10 else f"{ratio:,.0f} times"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 1 else f"{100 * share:,.0f} %"


def _error_row(name: str, errors: ModelErrors) -> list[str]:
    mse = "-" if errors.normalised_mse is None else f"{errors.normalised_mse:.1e}"
    shares = (errors.median, errors.p90, errors.p99, errors.largest, errors.largest_near_zero, errors.largest_working)
    return [name, mse, *map(_percent, shares)]


def _speed_rows(evaluation: Evaluation) -> Iterator[list[str]]:
    models = [("table", "cpu"), *(("network", device) for device in evaluation.devices)]
    for batch in dict.fromkeys(speed.batch for speed in evaluation.speeds):
        analytic = evaluation.rate("analytic", "cpu", batch)
        cells = [f"{batch:,}", _rate(analytic)]
        for model, device in models:
            rate = evaluation.rate(model, device, batch)
            cells.append(f"{_rate(rate)} ({rate / analytic:,.0f})")
        yield cells


def _rate(rate: float) -> str:
    return f"{float(f'{rate:.2g}'):,.0f}"
