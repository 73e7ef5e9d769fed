"""Touchback: mechanisms that people can touch.

Describe a mechanism, derive its equations symbolically, run them as machine code, against a clock
or offline.
"""

from touchback.errors import CompileError, InputError, ModelError, SolveError, TouchbackError
from touchback.interop import read_mbs, read_urdf
from touchback.model import Body, Frame, Model
from touchback.model.closures import PointInPlane, PointOnLine, PointOnPlane, Rod
from touchback.model.couplings import Differential, Gear, Rack, ScrewCoupling
from touchback.model.forces import (
    Buoyancy,
    Bushing,
    Drag,
    ForceKind,
    JointEffort,
    LinkForce,
    SpringDamper,
    TorsionSpring,
    Wrench,
)
from touchback.model.joints import (
    Cylindrical,
    Fixed,
    Free,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from touchback.model.motions import Ramp, Sine, SmoothStep
from touchback.model.read import read
from touchback.model.sensors import (
    Acceleration,
    AngularVelocity,
    Direction,
    Distance,
    Effort,
    Energy,
    Multiplier,
    Position,
    Reaction,
    SensorKind,
    Signal,
    Velocity,
)
from touchback.recording import Run, compare
from touchback.recording import open_run as open
from touchback.simulate import simulate
from touchback.symbolic import Table
from touchback.symbolic.expression import Expr
from touchback.symbolic.functions import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    exp,
    floor,
    log,
    lookup,
    maximum,
    minimum,
    pow,
    select,
    sign,
    sin,
    sqrt,
    tan,
)
from touchback.system import State, System

__version__ = "0.1.0"

__all__ = [
    "Acceleration",
    "AngularVelocity",
    "Body",
    "Buoyancy",
    "Bushing",
    "CompileError",
    "Cylindrical",
    "Differential",
    "Direction",
    "Distance",
    "Drag",
    "Effort",
    "Energy",
    "Expr",
    "Fixed",
    "ForceKind",
    "Frame",
    "Free",
    "Gear",
    "InputError",
    "JointEffort",
    "JointKind",
    "LinkForce",
    "Model",
    "ModelError",
    "Multiplier",
    "Planar",
    "PointInPlane",
    "PointOnLine",
    "PointOnPlane",
    "Position",
    "Prismatic",
    "Rack",
    "Ramp",
    "Reaction",
    "Revolute",
    "Rod",
    "Run",
    "Screw",
    "ScrewCoupling",
    "SensorKind",
    "Signal",
    "Sine",
    "SmoothStep",
    "SolveError",
    "Spherical",
    "SpringDamper",
    "State",
    "System",
    "Table",
    "TorsionSpring",
    "TouchbackError",
    "Universal",
    "Velocity",
    "Wrench",
    "acos",
    "asin",
    "atan",
    "atan2",
    "compare",
    "cos",
    "exp",
    "floor",
    "log",
    "lookup",
    "maximum",
    "minimum",
    "open",
    "pow",
    "read",
    "read_mbs",
    "read_urdf",
    "select",
    "sign",
    "simulate",
    "sin",
    "sqrt",
    "tan",
]
