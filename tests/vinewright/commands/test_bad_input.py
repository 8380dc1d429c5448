"""Bad input on the command line."""

import os
from pathlib import Path

import pytest

from environments import load_environment
from environments.environment_file import environment_text
from vinewright.cli import main


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["plan", "nowhere"], ["nowhere", "maze", "plus"]),
        (["plan", "mase"], ["did you mean maze"]),
        (["plan", "maze", "--propagator", "magic"], ["magic", "quasistatic"]),
        (["plan", "maze", "--actuator", "balloon"], ["unknown actuator 'balloon'; known: spam, pouch, fpam, cpam"]),
        (["plan", "maze", "--propagator", "penalty", "--solver", "guess"], ["'guess'; known: newton, gradient"]),
        (["plan", "maze", "--propagator", "penalty", "--surrogate", "guess"], ["'guess'; known: table, network"]),
        (["plan", "maze", "--propagator", "penalty", "--device", "tpu"], ["'tpu'; known: auto, cpu, cuda"]),
        (["plan", "maze", "--solver", "newton"], ["--solver newton is for --propagator penalty"]),
        (["plan", "maze", "--propagator", "impulse", "--device", "cuda"], ["--device cuda: impulse computes on cpu"]),
        (
            ["plan", "maze", "--propagator", "penalty", "--surrogate", "network", "--actuator", "pouch"],
            ["trained for Spam"],
        ),
        (["plan", "maze", "--propagator", "euler-lagrange"], ["sections=False", "simulate"]),
        (["plan", "maze", "--verify", "magic"], ["--verify magic", "known: quasistatic, penalty, impulse"]),
        (["plan", "maze", "--verify", "quasistatic"], ["--verify quasistatic is the propagator that plans"]),
        (["plan", "maze", "--verify", "euler-lagrange"], ["--verify euler-lagrange", "sections=False"]),
        (["bench", "rollouts", "maze", "--propagator", "euler-lagrange"], ["sections=False"]),
        (["reproduce", "tip-steering", "--propagator", "euler-lagrange"], ["sections=False"]),
        (["plan", "maze", "--batch", "0"], ["--batch", "1"]),
        (["plan", "maze", "--time-budget", "-3"], ["--time-budget", "-3", "greater than 0"]),
        (["plan", "maze", "--time-budget", "nan"], ["--time-budget", "nan"]),
        (["plan", "maze", "--solutions", "0"], ["--solutions"]),
        (["plan", "maze", "--out", "file.txt"], ["file.txt is a file"]),
        (["plan", "maze", "--out", "file.txt/run"], ["cannot be written", "--out"]),
        (["plan", "maze", "--out", "."], ["file.txt", "not part of a run"]),
        (["plan"], ["ENV", "--resume DIR"]),
        (["plan", "--resume", "nowhere"], ["nowhere/checkpoint.npz: cannot be read", "plan ENV"]),
        (["plan", "--resume", "file.txt"], ["file.txt/checkpoint.npz: cannot be read"]),
        (["plan", "maze", "--resume", "run"], ["ENV cannot be given with --resume", "--iterations"]),
        (["plan", "--resume", "run", "--seed", "0"], ["--seed cannot be given with --resume"]),
        (["plan", "--resume", "run", "--no-heuristic"], ["--heuristic cannot be given with --resume"]),
        (["plan", "--resume", "run", "--time-budget", "0"], ["--time-budget 0 must be greater than 0"]),
        (["paln", "maze"], ["paln"]),
        (["simulate", "maze", "missing.json"], ["missing.json", "cannot be read"]),
        (["simulate", "maze", "file.txt"], ["file.txt", "not JSON"]),
        (["environments", "show", "mase"], ["did you mean maze"]),
        (["environments", "new", "clutter.toml", "--density", "2"], ["density"]),
        (["environments", "new", "clutter.json"], ["clutter.json", ".toml"]),
        (["environments", "new", "x.toml", "--hall", "room"], ["room", "corridors, racks, caves, tracks"]),
        (["environments", "new", "x.toml", "--hall", "caves", "--corners", "0"], ["corners = 0", "500 to 20000"]),
        (["environments", "new", "x.toml", "--hall", "caves", "--density", "0.1"], ["--density", "--hall"]),
        (["environments", "new", "x.toml", "--corners", "900"], ["--corners", "--hall"]),
        (["bench", "rollouts", "maze", "--batch", "0"], ["--batch"]),
        (["bench", "plan", "--env", "mase"], ["did you mean maze"]),
        (["reproduce", "tip-steering", "--out", "file.txt"], ["file.txt", "--out"]),
        (["reproduce", "tip-steering", "--propagator", "magic"], ["magic", "quasistatic"]),
        (["reproduce", "table2", "--env", "mase"], ["did you mean maze"]),
        (["reproduce", "table2", "--out", "file.txt"], ["file.txt/", "cannot be written", "--out"]),
        (["reproduce", "table2", "--runs", "0"], ["--runs", "1"]),
        (["reproduce", "ablations", "--env", "mase"], ["did you mean maze"]),
        (["reproduce", "ablations", "--time-budget", "0"], ["--time-budget", "0.1"]),
        (["robustness", "divider", "missing.json"], ["missing.json", "cannot be read"]),
        (["robustness", "divider", "missing.json", "--trials", "0"], ["--trials", "1"]),
        (["robustness", "divider", "missing.json", "--levels", "0,101"], ["--levels 0,101", "from 0 to 100"]),
        (["robustness", "divider", "missing.json", "--levels", "few"], ["--levels few", "numbers separated by commas"]),
        (["robustness", "divider", "missing.json", "--levels", "nan"], ["--levels nan", "from 0 to 100"]),
        (["export", "missing.json", "--out", "pack"], ["missing.json", "cannot be read"]),
        (["export", "missing.json", "--out", "pack", "--formats", "dxf,dwg"], ["'dwg'", "json, csv, dxf"]),
        (["export", "missing.json"], ["--out"]),
        (["fit", "missing.json"], ["missing.json cannot be read"]),
        (["fit", "file.txt"], ["file.txt is not JSON"]),
        (["fit", "missing.h5"], ["missing.h5 cannot be read"]),
        (["fit", "missing.json", "--bodies", "7"], ["--bodies 7 must be even"]),
        (["fit", "missing.json", "--bodies", "0"], ["--bodies", "2"]),
        (["fit", "missing.json", "--mass-per-length", "0"], ["--mass-per-length 0 must be greater than 0"]),
        (["fit", "missing.json", "--frames-per-second", "nan"], ["--frames-per-second nan", "greater than 0"]),
        (["reproduce", "fitting", "--wall-growth", "missing.h5"], ["missing.h5 cannot be read"]),
        (["reproduce", "fitting", "--out", "file.txt"], ["file.txt/", "cannot be written", "--out"]),
        (["reproduce", "kinematics", "--out", "file.txt"], ["file.txt/", "cannot be written", "--out"]),
        (["reproduce", "euler-lagrange", "--out", "file.txt"], ["file.txt/", "cannot be written", "--out"]),
        (["map", "mase"], ["did you mean maze"]),
        (["map", "maze", "--actions", "curved"], ["--actions curved must be one of straight, turning"]),
        (["map", "maze", "--policy", "guess"], ["--policy guess", "monte-carlo, ideal, random, information-gain"]),
        (["map", "maze", "--deployments", "0"], ["--deployments", "1"]),
        (["map", "maze", "--deployments", "51"], ["--deployments 51", "only 50 different deployments are possible"]),
        (["map", "maze", "--radius", "nan"], ["--radius nan", "greater than 0", "mm"]),
        (["map", "maze", "--length", "-5"], ["--length -5", "greater than 0", "mm"]),
        (["map", "maze", "--out", "file.txt"], ["file.txt is a file"]),
        (["reproduce", "mapping", "--out", "file.txt"], ["file.txt/", "cannot be written", "--out"]),
        (["reproduce", "mapping", "--places", "1"], ["--places", "2"]),
        (["surrogate", "train", "--out", "file.txt"], ["file.txt is a file", "--out"]),
        (["surrogate", "train", "--out", "file.txt/deep"], ["cannot be written", "--out"]),
        (["surrogate", "train", "--seed", "-1"], ["--seed", "0"]),
        (
            ["surrogate", "train", "--actuator", "balloon"],
            ["unknown actuator 'balloon'; known: spam, pouch, fpam, cpam"],
        ),
        (["surrogate", "evaluate", "--out", "file.txt"], ["file.txt/", "cannot be written", "--out"]),
        (["surrogate", "evaluate", "--weights", "none.json"], ["none.json cannot be read"]),
        (["surrogate", "evaluate", "--weights", "file.txt"], ["file.txt is not JSON", "vinewright surrogate train"]),
        (["surrogate", "evaluate", "--largest-batch", "0"], ["--largest-batch"]),
        (["track", "missing.mp4", "--scale", "1"], ["missing.mp4", "no such file"]),
        (["track", "file.txt", "--scale", "1"], ["file.txt is not a video", ".mp4"]),
        (["track", "file.txt"], ["--scale"]),
        (["track", "file.txt", "--scale", "0"], ["--scale 0", "greater than 0"]),
        (["track", "file.txt", "--scale", "nan"], ["--scale nan", "greater than 0"]),
        (["track", "file.txt", "--scale", "1", "--radius", "-2"], ["--radius -2", "greater than 0"]),
        (["track", "file.txt", "--scale", "1", "--color", "red"], ["--color red", "'#rrggbb'"]),
        (["track", "file.txt", "--scale", "1", "--base", "12"], ["--base 12", "120,340"]),
        (["track", "file.txt", "--scale", "1", "--every", "0"], ["--every", "1"]),
        (
            ["track", "file.txt", "--scale", "1", "--color", "#ff0000", "--background", "first"],
            ["--color and --background", "one of them"],
        ),
        (["plan", "maze", "--friction", "-0.1"], ["--friction -0.1", "from 0 to 10"]),
        (
            ["plan", "maze", "--friction", "0.3", "--propagator", "impulse"],
            ["--friction 0.3", "quasistatic or geometric"],
        ),
        (["plan", "maze", "--friction", "nan"], ["--friction nan", "finite"]),
        (["validate", "--recordings", "none"], ["none contains no recordings", "not a folder"]),
        (["validate", "--recordings", "1" * 300], ["cannot be read: File name too long"]),
        (["validate", "--propagator", "beam"], ["unknown propagator 'beam'", "quasistatic"]),
        (["validate", "--propagator", "quasistatic", "--out", "file.txt"], ["file.txt/", "cannot be written", "--out"]),
        (["bench", "rollouts", "maze", "--out", "out"], ["--out", "--propagator penalty"]),
        (["reproduce", "uncertainty", "--errors", ""], ["--errors: uncertainty '' must be one of workshop, "]),
        (["reproduce", "uncertainty", "--errors", "magic"], ["'magic' must be one of workshop, "]),
        (["studio", "none.toml"], ["none.toml: not found"]),
        (["studio", "file.txt"], ["file.txt: is not TOML"]),
        (["studio", "--port", "0"], ["--port"]),
        (["studio", "--host", "nowhere.invalid"], ["--host nowhere.invalid is no address of this machine"]),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: list[str],
) -> None:
    """One clear line on the error stream, nothing on the other, nothing written."""
    (tmp_path / "file.txt").write_text("hello")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["vinewright", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("error: ")
    for word in words:
        assert word in printed.err
    assert os.listdir(tmp_path) == ["file.txt"]


@pytest.mark.parametrize(
    ("walls", "tube", "words"),
    [
        ("", "friction = 0.3\nstatic_friction = 0.2", "static_friction = 0.2 must be at least friction = 0.3"),
        ("", "static_friction = -1", "static_friction = -1.0 must be greater than or equal to 0"),
        ("friction = -0.2", "", "obstacles.friction = -0.2 must be greater than or equal to 0"),
        ("friction = inf", "", "obstacles.friction = inf must be a finite number"),
        ("friction = 0.5", "static_friction = 0.2", "must be at least the friction of the environment, 0.5"),
    ],
)
def test_impossible_friction_is_one_line_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    walls: str,
    tube: str,
    words: str,
) -> None:
    """Tube, environment, or both together are checked before anything is planned."""
    monkeypatch.chdir(tmp_path)
    text = environment_text(load_environment("divider"))
    Path("rough.toml").write_text(text.replace("[obstacles]\n", f"[obstacles]\n{walls}\n"))
    Path("tube.toml").write_text(f"schema = 1\n{tube}\n")
    monkeypatch.setattr("sys.argv", ["vinewright", "plan", "rough.toml", "--tube", "tube.toml", "--iterations", "1"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert words in printed.err


def test_ctrl_c_is_one_word_and_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is nothing to keep yet."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("environments.load_environment", interrupted)
    monkeypatch.setattr("sys.argv", ["vinewright", "environments", "show", "maze"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
