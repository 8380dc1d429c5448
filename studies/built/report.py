"""The tables of the study."""

from __future__ import annotations

from collections.abc import Sequence

from planner.output.markdown import markdown_table
from studies.built.bench import BIAS, FINER, FREEDOM, FRICTION, WIDER
from studies.built.study import FAILS, KNOWN, TRIALS, WORKS, BenchResult, coverage, log_score, rescued
from vinewright.console.study import Report


def report(results: Sequence[BenchResult]) -> Report:
    """Return the tables in Markdown, and the data."""
    rows = []
    for growths in (0, *TRIALS):
        within, count = coverage(results, growths)
        width = sum(one.high - one.low for result in results for one in result.predictions if one.growths == growths)
        simulated = sum(one.simulated for result in results for one in result.predictions if one.growths == growths)
        rows.append(
            [
                str(growths),
                f"{100 * within:.0f}",
                f"{100 * width / count:.0f}",
                f"{log_score(results, growths):.2f}",
                f"{simulated / count:.0f}",
            ]
        )
    lines = [
        f"{len(results)} benches, each a tube with hidden errors: t-distributed with {FREEDOM:g} degrees of freedom and",
        f"{WIDER:g} times as large as the errors that are expected (`workshop`), all bends shifted together by {BIAS:g} standard",
        f"deviations, friction from {FRICTION[0]:g} to {FRICTION[1]:g}. The tube of every other bench has segments shorter by a",
        f"factor of {FINER}, and so is another model. Of each growth it is measured whether it reaches the goal, and where the tip",
        f"ends; of each actuator, once, how far it bends the tube in free space. *Within*: benches whose true success, over {KNOWN}",
        "further growths, lies in the predicted interval, which should be 90 %. *Width* of that interval. *Log score*: mean",
        "logarithm of the probability given to the results of the further growths, 0 at best. *Simulated*: growths simulated to learn.",
        "",
        *markdown_table(("growths", "within %", "width %", "log score", "simulated"), rows),
        "",
        "![Predicted and true success](calibration.png)",
        "",
    ]
    if changes := rescued(results):
        failed = changes[0][2]
        seconds = max(sum(one.seconds for one in result.rescues) for result in results)
        lines += [
            f"Tubes that reach the goal in less than {100 * FAILS:.0f} % of their growths: {failed}. Each change is searched for the",
            f"errors that the trials leave possible; *works*: tubes that then truly reach it in {100 * WORKS:.0f} % or more. All changes",
            f"together are searched for {seconds:.0f} s on one core, at most.",
            "",
            *markdown_table(
                ("change", "works", "%"),
                [[name, str(count), f"{100 * count / failed:.0f}"] for name, count, _ in changes],
            ),
        ]
    return Report("Built tubes", lines, {"benches": [one.content() for one in results]})
