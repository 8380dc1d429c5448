"""`vinewright map --session DIR`: map an unknown environment with a real vine, one recorded deployment after another."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.output.text import plural
from vinewright.commands.sense_options import (
    ReadingsOption,
    RecordingArgument,
    RuleOption,
    check_readings,
    sense_recording,
)
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors

if TYPE_CHECKING:
    from planner.mapping.proposal import Proposal
    from planner.mapping.session import MappingSession

app = typer.Typer(rich_markup_mode=None)


@app.callback()
def session(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Option("--session", metavar="DIR", help="Folder of the session, which `new` or the first `add` makes."),
    ] = None,
) -> None:
    """Map an unknown environment with a real vine: add recorded deployments, and get the next one to make."""
    context.obj = folder


@app.command()
def new(
    context: typer.Context,
    base: Annotated[
        list[str],
        typer.Option(
            metavar="X,Y,DEG",
            help="A base from which tubes can be launched: position in mm, and heading in degrees; may be repeated.",
        ),
    ],
    radius: Annotated[float, typer.Option(metavar="MM", help="Radius of the tube in mm.")],
    length: Annotated[float, typer.Option(metavar="MM", help="Length of the tubes in mm.")],
    bounds: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,X,Y",
            help="Corners of the region to map, lower left and upper right, in mm. Default: all that tubes from the bases can reach.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Begin a session without a recording, for example with several bases."""
    folder, answer = _session_folder(context), Answer(as_json)
    for option, given in (("--radius", radius), ("--length", length)):
        if not 0 < given <= 100_000:
            raise BadInput(f"{option} {given:g} must be greater than 0 and at most 100000, in mm")
    if not radius <= min(length, 1000):
        raise BadInput(f"--radius {radius:g} must be at most the --length, {length:g} mm, and at most 1000 mm")
    with readable_errors():
        import numpy as np

        from planner.mapping.session import MappingSession
        from planner.mapping.session_file import SESSION, session_content, write_session
        from planner.output.claim import claim_to_resume

        bases = np.array([_parse_numbers("--base", text, 3) for text in base]) * [1e-3, 1e-3, math.pi / 180]
        region = None if bounds is None else 1e-3 * np.array(_parse_numbers("--bounds", bounds, 4))
        if region is not None and not (region[:2] < region[2:]).all():
            raise BadInput(f"--bounds {bounds} must be lower left X,Y and upper right X,Y")
        started = MappingSession.begin(1e-3 * radius, 1e-3 * length, bases, region)
        started.known("straight")  # checks the bases
        with claim_to_resume(folder):
            _check_folder(folder)
            if (folder / SESSION).exists():
                raise BadInput(f"{folder} contains a session; add to it, or give another --session")
            write_session(folder, started)
        answer.console.print(_region_text(started))
        answer.console.print(f"wrote {folder / SESSION}")
    return answer.end(session_content(started), [folder / SESSION])


@app.command()
def add(
    context: typer.Context,
    recording: RecordingArgument,
    readings: ReadingsOption = "centerlines",
    rule: RuleOption = "limit-analysis",
    as_json: JsonOption = False,
) -> int:
    """Add a recorded deployment to the session. The first one begins it: its launch is the base, its final length that of the tubes."""
    folder, answer = _session_folder(context), Answer(as_json)
    with readable_errors():
        from planner.mapping.session import MappingSession
        from planner.mapping.session_file import SESSION, read_session, session_content, write_session
        from planner.output.claim import claim_to_resume

        check_readings(readings, rule)
        with claim_to_resume(folder):
            _check_folder(folder)
            before = read_session(folder) if (folder / SESSION).exists() else None
            read, found = sense_recording(answer.console, recording, readings, rule)
            sha256 = hashlib.sha256(recording.read_bytes()).hexdigest()
            if before and any(deployment.sha256 == sha256 for deployment in before.added):
                raise BadInput(f"{recording} is already in the session {folder}")
            if before and abs(read.tube_radius - before.radius) > 0.1 * before.radius:
                raise BadInput(
                    f"{recording}: tube_radius_m = {read.tube_radius:g} differs from that of the session, {before.radius:g} m, by more "
                    "than 10 %; begin another session for another tube"
                )
            before = before or MappingSession.begin(read.tube_radius, found.length, found.start[None])
            after = before.with_deployment(found, read.name, sha256, readings)
            write_session(folder, after)
        last = after.added[-1]
        answer.console.print(
            f"{last.name}: {plural(last.walls, 'wall')} and {plural(last.corners, 'corner')}; "
            f"{last.hits} cells newly covered, {last.free} newly free"
        )
        answer.console.print(_region_text(after))
        answer.console.print(f"wrote {folder / SESSION}")
    return answer.end(session_content(after), [folder / SESSION])


@app.command(name="next")
def propose_next(
    context: typer.Context,
    actions: Annotated[
        str, typer.Option(help="Possible deployments: straight (tubes only), or turning (also tubes with one turn).")
    ] = "straight",
    policy: Annotated[
        str, typer.Option(help="How the deployment is chosen: monte-carlo, information-gain or random.")
    ] = "monte-carlo",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random generator.")] = 0,
    as_json: JsonOption = False,
) -> int:
    """Propose the next deployment, and what it is expected to find: means over environments sampled from what is known."""
    folder, answer = _session_folder(context), Answer(as_json)
    with readable_errors():
        import numpy as np

        from planner.mapping.actions import ANGLES
        from planner.mapping.proposal import POLICIES, propose
        from planner.mapping.session_file import read_session
        from surrogate.kernels.compiled import thread_count

        for name, given, known in (("--actions", actions, ANGLES), ("--policy", policy, POLICIES)):
            if given not in known:
                raise BadInput(f"{name} {given} must be one of {', '.join(known)}")
        now = read_session(folder)
        with answer.console.status("compiling kernels if necessary, and simulating all deployments"):
            chosen = propose(now.known(actions), now.belief, policy, np.random.default_rng(seed), thread_count())
        content = _proposal_content(chosen)
        x, y = content["base_mm"]
        turn = f", turn {content['turn_deg']:.0f} deg at {content['turn_at_mm']:.0f} mm" if content["turn_deg"] else ""
        answer.console.print(
            f"base ({round(x)}, {round(y)}) mm, heading {content['heading_deg']:.1f} deg, length {content['length_mm']:.0f} mm{turn}"
        )
        answer.console.print(
            f"expected: grows to {content['grows_to_mm']:.0f} mm, finds {content['new_free']:.1f} cells free and {content['new_hits']:.1f} "
            f"covered, {content['bits']:.1f} bits, score {content['score']:+.1f}"
        )
    return answer.end({"policy": policy, "actions": actions, "seed": seed} | content)


@app.command()
def show(context: typer.Context, as_json: JsonOption = False) -> int:
    """Print the state of the session and the map, and draw it to session.png in its folder."""
    folder, answer = _session_folder(context), Answer(as_json)
    with readable_errors():
        from planner.mapping.plots import save_marks
        from planner.mapping.session_file import PICTURE, read_session, session_content
        from planner.output.claim import claim_to_resume
        from planner.output.folder import replace_file

        now = read_session(folder)
        for line in session_lines(now):
            answer.console.print(line, markup=False, highlight=False)
        title = f"{folder.name}: after {plural(len(now.added), 'deployment')}"
        with claim_to_resume(folder):
            replace_file(folder, PICTURE, lambda path: save_marks(path, title, now.rows(), now.bounds))
        answer.console.print(f"wrote {folder / PICTURE}")
    return answer.end(session_content(now), [folder / PICTURE])


def _session_folder(context: typer.Context) -> Path:
    """Return the folder of the session, from the options before the subcommand."""
    if context.obj is None:
        raise BadInput("missing option --session DIR before the subcommand, the folder of the session")
    return Path(context.obj)


def _check_folder(folder: Path) -> None:
    """Check that a folder contains only the files of a session."""
    from planner.mapping.session_file import PICTURE, SESSION
    from planner.output.contents import names_in

    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; give a folder as --session")
    if others := sorted(names_in(folder) - {SESSION, PICTURE}):
        raise BadInput(f"{folder} contains {others[0]}, which is not part of a session; give another --session")


def _parse_numbers(option: str, text: str, count: int) -> list[float]:
    """Parse finite numbers separated by commas."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(abs(number) <= 1e6 for number in numbers):
        raise BadInput(f"{option} {text} must be {count} numbers separated by commas, from -1e6 to 1e6")
    return numbers


def session_lines(now: MappingSession) -> list[str]:
    """Return the region, the findings of each deployment, and the map, as lines of text."""
    added = [
        f"{number}. {tube.name}: from ({round(1e3 * tube.launch[0])}, {round(1e3 * tube.launch[1])}) mm at "
        f"{math.degrees(tube.launch[2]):.0f} deg to {1e3 * tube.length:.0f} mm, {plural(tube.walls, 'wall')}, "
        f"{plural(tube.corners, 'corner')}, {tube.hits} cells covered and {tube.free} free that were new"
        for number, tube in enumerate(now.added, start=1)
    ]
    return [_region_text(now), *added, *now.rows()]


def _region_text(now: MappingSession) -> str:
    """Return the region and the numbers of its known cells as text."""
    hits, free = int(now.belief.hits.sum()), int((now.belief.misses & ~now.belief.hits).sum())
    cells, grid = now.belief.hits.size, now.grid
    low_x, low_y, high_x, high_y = 1e3 * now.bounds
    return (
        f"region ({low_x:.0f}, {low_y:.0f}) to ({high_x:.0f}, {high_y:.0f}) mm, {cells} cells of {1e3 * grid.width:.0f} by "
        f"{1e3 * grid.height:.0f} mm: {hits} covered, {free} free, {cells - hits - free} not seen"
    )


def _proposal_content(chosen: Proposal) -> dict[str, Any]:
    """Return the content of a proposal for a JSON document, in mm and degrees."""
    x, y, heading, length, turn_at, turn = map(float, chosen.launch)
    return {
        "base_mm": [round(1e3 * x, 3), round(1e3 * y, 3)],
        "heading_deg": round(math.degrees(heading), 3),
        "length_mm": round(1e3 * length, 3),
        "turn_at_mm": round(1e3 * turn_at, 3),
        "turn_deg": round(math.degrees(turn), 3),
        "grows_to_mm": round(1e3 * chosen.length, 1),
        "new_free": round(chosen.free, 2),
        "new_hits": round(chosen.hits, 2),
        "bits": round(chosen.bits, 2),
        "score": round(chosen.score, 3),
    }
