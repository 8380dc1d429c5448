"""The robot of paper 004 from Python: a growing tube with a mass at its tip and three actuators, in three dimensions.

Lengths are in metres, angles in radians, forces in newtons, pressures in pascals. `q` is (s, u, v): the length, and the bend theta
in the plane phi as u = theta cos phi and v = theta sin phi.

>>> import vinewright as vw
>>> robot, controller = vw.euler_lagrange.load_robot("el-hussieny")
>>> motion = vw.euler_lagrange.simulate(robot, vw.euler_lagrange.InputTable.constant(core=5.0), start=(1.0, 0.0, 0.0), seconds=2.0)
>>> bool(motion.polar[-1, 0] > 1.0)
True
"""

from dynamics.euler_lagrange.control import Controller, Saturation, SaturationEvent, Tracking, track
from dynamics.euler_lagrange.errors import InvalidTimeTable
from dynamics.euler_lagrange.input_table import InputTable, simulate
from dynamics.euler_lagrange.model import LinearActuator, Robot
from dynamics.euler_lagrange.motion import NotIntegrable, RobotMotion
from dynamics.euler_lagrange.reference_table import ReferenceTable
from dynamics.euler_lagrange.robot_file import ControlledRobot, InvalidRobot, known_robots, load_robot
from dynamics.euler_lagrange.time_table import read_inputs, read_reference
from vinewright.euler_lagrange.sweep import InvalidSweep, SweepCase, SweptMotion, sweep

__all__ = [
    "ControlledRobot",
    "Controller",
    "InputTable",
    "InvalidRobot",
    "InvalidSweep",
    "InvalidTimeTable",
    "LinearActuator",
    "NotIntegrable",
    "ReferenceTable",
    "Robot",
    "RobotMotion",
    "Saturation",
    "SaturationEvent",
    "SweepCase",
    "SweptMotion",
    "Tracking",
    "known_robots",
    "load_robot",
    "read_inputs",
    "read_reference",
    "simulate",
    "sweep",
    "track",
]
