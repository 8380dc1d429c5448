"""The requests of the page: what it sends and what it gets, with the real files, kernels and pictures."""

import io
import json
import shutil
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

import vinewright as vw
from dynamics.tube import VineParams
from dynamics.tube_file import tube_content
from environments import Environment, Obstacles
from environments.environment_file import parse_environment
from environments.uncertainty import KEYS, PRESETS
from planner.design.design_file import load_design
from planner.design.tube_figures import TubeFigures
from planner.plan.options import BY_NAME
from planner.uncertainty.survey import Survey
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam
from vinewright.studio.checking import key_of
from vinewright.studio.jobs import look_job, pack_job, trials_job, weakest_view
from vinewright.studio.session import OpenedFile, StudioSession
from vinewright.studio.stop import Stop

Drawing = Callable[..., dict[str, Any]]
Event = dict[str, Any]


def test_page_gets_what_it_offers(client: TestClient) -> None:
    """All shipped environments and tubes, the keys of both kinds of files, presets and propagators."""
    known = client.get("/api/state").json()["known"]
    assert [one["name"] for one in known["environments"]] == vw.known_environments()
    assert [one["name"] for one in known["tubes"]] == vw.known_tubes()
    assert known["propagators"] == list(vw.propagators())
    assert [*known["planOptions"]] == [name for name, option in BY_NAME.items() if not option.is_path]
    assert {one["name"] for one in known["errorKeys"]} == {key.name for key in KEYS.values()}
    assert [one["name"] for one in known["errors"]] == [*PRESETS]
    for one in known["environments"]:
        made = parse_environment(one["text"].encode(), "x")
        assert made.sha256 == vw.load_environment(one["name"]).sha256


def test_units_of_tube_keys_are_those_of_their_names(client: TestClient) -> None:
    """Every key of a tube file that has a unit in its name shows it."""
    for key in client.get("/api/state").json()["known"]["tubeKeys"]:
        if key["unit"]:
            spelt = key["unit"].lower().replace("µ", "u").replace("²", "2").replace("/", "_per_").replace(" ", "_")
            assert key["name"].endswith(spelt), key
        else:
            assert not key["name"].endswith(("_mm", "_kpa", "_n", "_s", "_mpa", "_um", "_m", "_m2")), key


@pytest.mark.parametrize("name", ["divider", "maze", "building"])
def test_unchanged_drawing_is_the_file(client: TestClient, drawing: Drawing, name: str) -> None:
    """A drawing in which nothing changed is the file, byte for byte, without a problem."""
    body = drawing(name)
    answer = client.post("/api/check", json=body).json()
    assert answer["text"] == body["text"]
    assert (answer["problem"], answer["hints"]) == (None, [])


def test_problem_names_what_is_wrong(client: TestClient, drawing: Drawing) -> None:
    """The check gives the message of the file format, and the key that it is about."""
    start = {"position": [-50, 100], "heading_deg": 0, "mount": "free"}
    answer = client.post("/api/check", json=drawing(start=start)).json()
    assert answer["problem"]["key"] == "start.position"
    assert "must lie within the bounds" in answer["problem"]["message"]
    body = drawing()
    body["content"]["obstacles"]["polygons"].append([[0, 0], [100, 100], [100, 0], [0, 100]])
    body["origins"]["polygons"].append(None)
    problem = client.post("/api/check", json=body).json()["problem"]
    count = len(body["content"]["obstacles"]["polygons"])
    assert problem["key"] == f"obstacles.polygons[{count - 1}]"
    assert "crosses itself" in problem["message"]


@pytest.mark.parametrize(
    ("message", "key"),
    [
        ("obstacles.walls[2] = [0, 0] must", "obstacles.walls[2]"),
        ("unknown key start.heading; allowed: x", "start.heading"),
        ("missing key goal.radius", "goal.radius"),
        ("goal at 1, 2 mm lies wholly inside box 1", "goal"),
        ("bounds is empty: max", "bounds"),
        ("is not TOML: x", "is"),
    ],
)
def test_key_of_a_message(message: str, key: str) -> None:
    """The key is what the message begins with."""
    assert key_of(message) == key


def test_narrow_passages(client: TestClient, drawing: Drawing) -> None:
    """A gap of 60 mm between two boxes is narrow for a tube of 66.7 mm, and wide enough for one of 50 mm; a closed gap is told."""
    obstacles = {"boxes": [[700, 0, 800, 470], [700, 530, 800, 1000]], "polygons": [], "circles": [], "walls": []}
    content = {
        "obstacles": {**obstacles, "ends": "flat", "friction": None},
        "bounds": {"min": [0, 0], "max": [1500, 1000], "edge": "wall", "stacked": False},
        "start": {"position": [100, 500], "heading_deg": 0, "mount": "free"},
        "goal": {"position": [1400, 500], "radius": 50},
    }
    body = drawing(**content)
    body["origins"] = {kind: [None] * len(rows) for kind, rows in obstacles.items()}
    for radius, narrow in ((33.35, True), (25.0, False)):
        tube = client.post("/api/tube", json={"content": {"radius_mm": radius}}).json()
        answer = client.post("/api/check", json={**body, "tube": tube["content"]}).json()
        assert answer["problem"] is None, answer
        first = answer["passages"][0]
        assert (first["width"], first["narrow"]) == (60, narrow)
        assert {round(y) for _, y in first["ends"]} == {470, 530}
        assert bool(answer["hints"]) == narrow


def test_broken_file_is_one_line(client: TestClient) -> None:
    """A file that cannot be opened is told as by the commands."""
    for text, words in (("a = ", "is not TOML"), ("schema = 2\n", "missing key"), ("\x00", "is not TOML")):
        answer = client.post("/api/open", json={"text": text, "name": "bench.toml"})
        assert answer.status_code == 422
        assert words in answer.json()["error"]
        assert "\n" not in answer.json()["error"]


def test_tube_with_figures(client: TestClient) -> None:
    """The figures are those of `vinewright tube show`; a bad number is refused with its range."""
    answer = client.post("/api/tube", json={"content": {"radius_mm": 25.0}}).json()
    assert answer["radius"] == 25
    figures = {row["label"]: row["value"] for row in answer["figures"]}
    pressure = answer["content"]["growth_pressure_kpa"]
    assert figures["greatest moment"] == f"{np.pi * pressure * 1e3 * 0.025**3:.4g} N m"
    highest = float(figures["reachable curvatures"].split()[2])
    assert float(figures["least turning radius"].split()[0]) == pytest.approx(1e3 / highest, rel=5e-3)
    bad = client.post("/api/tube", json={"content": {"radius_mm": -1.0}})
    assert bad.status_code == 422
    assert "radius_mm = -1" in bad.json()["error"]


def test_a_tube_keeps_its_other_actuators(client: TestClient) -> None:
    """Also after a change of a number; there is a range of curvatures for each type."""
    mixed = tube_content(VineParams(others=(PouchMotor(width=0.05), Fpam())))
    answer = client.post("/api/tube", json={"content": mixed}).json()
    assert answer["content"] == mixed
    changed = client.post("/api/tube", json={"content": {**answer["content"], "radius_mm": 30.0}}).json()
    assert changed["content"] == {**mixed, "radius_mm": 30.0}
    found = {row["label"]: row["value"] for row in answer["figures"]}
    for actuator in (Spam(), PouchMotor(width=0.05), Fpam()):
        low, high = TubeFigures.of(VineParams(actuator=actuator)).curvatures
        assert found[f"reachable curvatures, {actuator.kind}"] == f"{low:.3g} to {high:.3g} 1/m"
    assert "reachable curvatures" not in found


def test_reload_shows_the_last_drawing(
    client: TestClient, session: StudioSession, drawing: Drawing, tmp_path: Path
) -> None:
    """A page that is opened again gets the drawing as it was, also if it was wrong; Save stays bound to its own file."""
    text = client.get("/api/state").json()["known"]["environments"][0]["text"]
    file = tmp_path / "bench.toml"
    file.write_text(text)
    session.file = OpenedFile(file)
    assert client.get("/api/state").json()["document"]["file"] == "bench.toml"
    moved = {"position": [700, 500], "radius": 44}
    body = {**drawing(goal=moved), "saved": "before", "file": "bench.toml", "name": "mine"}
    body["content"]["obstacles"]["polygons"].append([[0, 0], [100, 100], [100, 0], [0, 100]])
    body["origins"]["polygons"].append(None)
    assert "crosses itself" in client.post("/api/check", json=body).json()["problem"]["message"]
    document = client.get("/api/state").json()["document"]
    assert {key: document[key] for key in body} == body
    client.post("/api/check", json={**body, "file": "other.toml"})
    assert client.get("/api/state").json()["document"]["file"] is None


# ---- runs ----


def test_run_of_the_command_line_opens(client: TestClient, session: StudioSession, planned: Path) -> None:
    """A run that was made elsewhere is shown with its designs, front and trials."""
    session.folders.given = planned
    name = session.folders.name_of(planned)
    (row,) = client.get("/api/runs").json()
    view = client.get(f"/api/runs/{name}").json()
    design = load_design(planned)
    assert (row["name"], view["name"], row["actuators"]) == (name, name, design.actuators)
    best = view["designs"][0]
    np.testing.assert_allclose(best["line"], 1e3 * design.centerline, atol=0.06)
    written = json.loads((planned / "design.json").read_text())
    keys = "start_mm", "end_mm", "side", "l0_mm", "pressure_kpa"
    assert [[part[key] for key in keys] for part in best["sections"]] == [
        [part[key] for key in keys] for part in written["sections"]
    ]
    success = best["success"]
    assert (success["reached"], success["trials"]) == (written["trials"]["reached"], written["trials"]["trials"])
    assert [success["low"], success["high"]] == pytest.approx(written["trials"]["interval_95"], abs=1e-4)
    assert len(best["film"]) == len(best["line"])
    assert best["film"][-1] == pytest.approx(1e3 * design.length, abs=1.0)
    solutions = json.loads((planned / "solutions.json").read_text())["solutions"]
    assert [one["id"] for one in view["designs"][1:]] == [str(number) for number in range(1, len(solutions) + 1)]
    trials = json.loads((planned / "run.json").read_text())["trials"]
    assert [point["actuators"] for point in view["front"]] == [one["actuators"] for one in trials["front"]]
    assert sum(point["chosen"] for point in view["front"]) == 1
    assert len(view["trials"]["lines"]) == len(view["trials"]["reached"])
    assert view["text"].encode() == (planned / "environment.toml").read_bytes()


def test_damaged_run_is_told(client: TestClient, session: StudioSession) -> None:
    """A damaged run is left out of the list and refused in one line."""
    session.root.mkdir()
    for name, content in (("broken", "{"), ("empty", "{}"), ("list", "[]")):
        (session.root / name).mkdir()
        (session.root / name / "run.json").write_text(content)
        (session.root / name / "environment.toml").write_text("")
        answer = client.get(f"/api/runs/{name}")
        assert answer.status_code == 422
        assert "\n" not in answer.json()["error"]
    assert client.get("/api/runs").json() == []


def test_a_run_from_elsewhere_hides_none(client: TestClient, session: StudioSession, planned: Path) -> None:
    """A run in `runs` is found by its name also if the studio was started with another one of that name."""
    session.folders.given = planned
    shutil.copytree(planned, session.root / "small")
    (session.root / "small" / "environment.toml").write_text(
        (planned / "environment.toml").read_text() + "# another one\n"
    )
    names = {row["name"] for row in client.get("/api/runs").json()}
    assert names == {"small", f"small ({planned.parent.name})"}
    assert client.get("/api/runs/small").json()["text"].endswith("# another one\n")
    assert not client.get(f"/api/runs/small ({planned.parent.name})").json()["text"].endswith("# another one\n")
    session.folders.given = session.root / "small"
    assert [row["name"] for row in client.get("/api/runs").json()] == ["small"]


def test_pictures_and_folder(client: TestClient, session: StudioSession, planned: Path) -> None:
    """Pictures of the design and of a solution as PNG and SVG, and the folder as a zip file."""
    shutil.copytree(planned, session.root / "small")
    for key in ("best", "1"):
        image = Image.open(io.BytesIO(client.get(f"/api/runs/small/{key}/picture.png").content))
        assert min(image.size) > 300
        root = ElementTree.fromstring(client.get(f"/api/runs/small/{key}/picture.svg").text)
        assert root.tag.endswith("svg")
    assert client.get("/api/runs/small/999/picture.png").status_code == 422
    assert client.get("/api/runs/small/best/picture.pdf").status_code == 422
    files = zipfile.ZipFile(io.BytesIO(client.get("/api/runs/small/folder.zip").content))
    assert {Path(name).name for name in files.namelist()} == {path.name for path in planned.iterdir()}
    assert files.read("small/design.json") == (planned / "design.json").read_bytes()


# ---- jobs ----


def events_of(job: Callable[..., None], planned: Path, stop: Stop | None = None, **given: Any) -> list[Any]:
    """The events of a job about the design of a run."""
    events: list[dict[str, Any]] = []
    job({"run": "small", "folder": str(planned), "design": "best", **given}, events.append, stop or Stop())
    return events


@pytest.mark.parametrize("propagator", ["quasistatic", "geometric"])
def test_growth_is_that_of_simulate(planned: Path, propagator: str) -> None:
    """The film shows what `vinewright simulate` computes, in millimetres."""
    ((event,),) = [events_of(look_job, planned, propagator=propagator)]
    growth, environment = event["growth"], vw.load_environment(planned / "environment.toml")
    expected = vw.simulate(load_design(planned), environment, propagator)
    assert growth["reached"] == expected.reached
    np.testing.assert_allclose(growth["lengths"], 1e3 * expected.lengths, atol=0.06)
    last = expected.joints[-1]
    np.testing.assert_allclose(growth["joints"][-1], 1e3 * last[~np.isnan(last[:, 0])], atol=0.06)
    force = np.nan_to_num(expected.contact_force[-1])[: len(growth["forces"][-1])]
    np.testing.assert_allclose(growth["forces"][-1], force, atol=0.006)


def test_trials_are_those_of_robustness(planned: Path) -> None:
    """Trials arrive in parts, add up to the rate of `vinewright robustness`, and have a line each."""
    numbers = {"obstacle_position_mm": 12.0, "start_heading_deg": 4.0}
    events = events_of(trials_job, planned, preset="none", numbers=numbers, trials=50, seed=3)
    assert events[0]["first"]
    assert sum(len(event["lines"]) for event in events) == 50
    last = events[-1]
    design, environment = load_design(planned), vw.load_environment(planned / "environment.toml")
    asked = vw.Uncertainty(obstacle_position=12e-3, start_heading=np.radians(4.0))
    survey = Survey.of(design, environment, asked, 50, 3, alone=False)
    list(survey.run())
    estimate = survey.estimate_all()
    assert last["weakest"]["text"] == last["success"]["weakest"] == estimate.weakest
    assert last["influences"] == [one.content() for one in estimate.influences or ()]
    assert last["success"]["reached"] == survey.counts["all errors together"]["reached"]
    assert 0 < last["success"]["reached"] < 50
    assert (last["busy"], len(last["reached"])) == (False, 50)
    assert last["success"]["low"] < last["success"]["reached"] / 50 < last["success"]["high"]


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "none"])
def test_a_preset_as_numbers_has_its_name(planned: Path, preset: str) -> None:
    """The sliders of the page send all numbers of a preset; that is the preset."""
    numbers = {key.name: 0.0 for key in KEYS.values() if key.name != "friction"} | PRESETS[preset].content()
    (*_, last) = events_of(trials_job, planned, preset=preset, numbers=numbers, trials=1, seed=0)
    assert last["success"]["errors"] == preset


def test_stopped_trials_end(planned: Path) -> None:
    """Trials that are replaced by others end after the batch under way."""
    stop, events = Stop(), list[dict[str, Any]]()

    def take(event: dict[str, Any]) -> None:
        events.append(event)
        if len(events) == 2:
            stop.request(False)

    given = {"run": "small", "folder": str(planned), "design": "best", "preset": "workshop", "numbers": {}}
    trials_job({**given, "trials": 500, "seed": 0}, take, stop)
    assert [event["busy"] for event in events] == [True, True, False]
    assert events[-1]["success"]["trials"] == len(events[1]["lines"])


def test_trials_have_the_errors_that_are_shown(planned: Path) -> None:
    """Numbers of the page take precedence over those of the environment's file; the name says that they are not the preset's."""
    text = (planned / "environment.toml").read_text().replace("schema = 1", "schema = 2")
    folder = planned.parent / "uncertain"
    shutil.copytree(planned, folder, dirs_exist_ok=True)
    (folder / "environment.toml").write_text(text + "\n[uncertainty]\nstart_position_mm = 900.0\n")
    exact = {"start_position_mm": 0.0, "obstacle_position_mm": 0.0}
    (*_, last) = events_of(trials_job, folder, preset="none", numbers=exact, trials=20, seed=0)
    assert last["success"]["reached"] == 20
    assert last["success"]["errors"] == "none"
    moved = {**exact, "start_position_mm": 30.0}
    (*_, last) = events_of(trials_job, folder, preset="none", numbers=moved, trials=20, seed=0)
    assert last["success"]["errors"] == "adapted none"


def test_weakest_error_names_what_to_mark() -> None:
    """All obstacles of the object that the weakest error is about, by their names, or the number of the section."""
    boxes = [(0.1 * k, 0, 0.1 * k + 0.1, 0.1) for k in range(4)]
    solids = Obstacles(boxes=boxes, circles=[(0.2 * k + 0.1, 0.7, 0.05) for k in range(1, 12)])
    room = Environment("room", "", (0, 0, 3, 1), (0.1, 0.3, 0), (1.8, 0.4, 0.1), solids)
    for text, names in (
        ("box 1 and 3 more, 3 mm to the left", ["box 1", "box 2", "box 3", "box 4"]),
        *((f"circle {number}, 3 mm to the left", [f"circle {number}"]) for number in (1, 11)),
    ):
        assert weakest_view(text, room) == {"text": text, "obstacles": names, "section": None}
    assert (weakest_view("section 2: cells, 1 mm longer", room) or {})["section"] == 2
    assert weakest_view(None, room) is None


Limited = tuple[Path, Path, Event]


@pytest.fixture(scope="module")
def limited(planned: Path, tmp_path_factory: pytest.TempPathFactory) -> Limited:
    """A run whose pressures are at their limit, the zip file of its pack, made all the same, and what is told about that."""
    place = tmp_path_factory.mktemp("limited")
    folder, target = place / "small", place / "packs" / "1.zip"
    shutil.copytree(planned, folder)
    target.parent.mkdir()
    content = json.loads((folder / "design.json").read_text())
    most = 1e-3 * load_design(planned).params.actuator.limits.most_pressure
    for section in (one for one in content["sections"] if one["side"] != "none"):
        section["pressure_kpa"] = most
    (folder / "design.json").write_text(json.dumps(content))
    (event,) = events_of(pack_job, folder, zip=str(target), allow_limit=True)
    return folder, target, event


def test_a_pressure_without_head_room_is_refused_unless_allowed(limited: Limited, tmp_path: Path) -> None:
    """A design with a pressure at its limit makes no pack, and the reason is told."""
    folder, _, event = limited
    most = 1e-3 * load_design(folder).params.actuator.limits.most_pressure
    with pytest.raises(vw.InvalidDesign, match=f"{most:g} kPa"):
        events_of(pack_job, folder, zip=str(tmp_path / "1.zip"), allow_limit=False)
    assert not (tmp_path / "1.zip").exists()
    assert any("limit" in warning for warning in event["pack"]["warnings"])


def test_pack_is_that_of_export(limited: Limited) -> None:
    """The zip file has the files of `vinewright export`, and its DXF the sections of the design it lists."""
    import ezdxf

    _, target, event = limited
    pack = event["pack"]
    archive = zipfile.ZipFile(target)
    assert sorted(Path(name).name for name in archive.namelist() if not name.endswith("/")) == sorted(pack["files"])
    assert {"pattern.dxf", "vessel.stl", "template-a4.pdf", "cut-list.csv"} <= set(pack["files"])
    drawn = ezdxf.read(io.StringIO(archive.read("small-pack/pattern.dxf").decode()))
    assert len(drawn.modelspace()) > 0
    assert pack["cuts"][0][0]
    assert pack["pattern"].lstrip().startswith("<")
    assert [path.name for path in target.parent.iterdir()] == ["1.zip"]
