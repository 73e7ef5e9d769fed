"""Faulty joints and trees, and what is said about them."""

import touchback as tb
from faults import arm, fault
from touchback.system.model_checks import check_model


@fault(
    "body that no joint carries",
    "Joints and the tree",
    "Body 'stone' is not connected: no joint carries it. Join it to the ground or "
    "to another body, e.g. model.joint('stone', tb.Free(), model.ground, 'stone'), in a file "
    "a `kind: free` in `joints`.",
)
def _() -> None:
    m = arm()
    m.body("stone", mass=1.0)
    check_model(m)


@fault(
    "body that two joints carry",
    "Joints and the tree",
    "Joint 'second': body 'rod' is already carried by joint 'shoulder'. A body has "
    "one carrying joint; close the loop with a closure instead.",
)
def _() -> None:
    m = arm()
    m.joint("second", tb.Revolute("y"), m.ground.at(1, 0, 0), "rod")
    check_model(m)


@fault(
    "joints in a circle",
    "Joints and the tree",
    "Joints 'first', 'second' carry each other in a circle and never reach the "
    "ground; join one of their bodies to the ground.",
)
def _() -> None:
    m = tb.Model("ring")
    a, b = m.body("a", mass=1.0), m.body("b", mass=1.0)
    m.joint("first", tb.Revolute("y"), a, b)
    m.joint("second", tb.Revolute("y"), b, a)
    check_model(m)


@fault(
    "ground as a child",
    "Joints and the tree",
    "Joint 'wrong way': the ground can't be a child; swap parent and child.",
)
def _() -> None:
    m = arm()
    m.joint("wrong way", tb.Revolute("y"), "rod", m.ground)
    check_model(m)


@fault(
    "joint to an unknown body",
    "Joints and the tree",
    "Joint 'elbow': there is no body 'forearm'; known: 'ground', 'rod'.",
)
def _() -> None:
    m = arm()
    m.joint("elbow", tb.Revolute("y"), "rod", "forearm")
    check_model(m)


@fault(
    "axis that is none",
    "Joints and the tree",
    "Revolute: its axis must be 'x', 'y', 'z', '-x', '-y', '-z' or three numbers "
    "that aren't all zero, got 'w'.",
)
def _() -> None:
    tb.Revolute("w")


@fault(
    "axis of length zero",
    "Joints and the tree",
    "Prismatic: its axis must be 'x', 'y', 'z', '-x', '-y', '-z' or three numbers "
    "that aren't all zero, got (0.0, 0.0, 0.0).",
)
def _() -> None:
    tb.Prismatic((0.0, 0.0, 0.0))


@fault(
    "kind instead of a joint of that kind",
    "Joints and the tree",
    "Joint 'elbow': a joint kind such as tb.Revolute('z') is expected, got 'revolute'.",
)
def _() -> None:
    m = arm()
    m.joint("elbow", "revolute", m.ground, "rod")


@fault(
    "frame that is none",
    "Joints and the tree",
    "Joint 'elbow': parent: a body or a frame (`body.at(x, y, z)`) is expected, got"
    " (0.0, 0.0, 1.0).",
)
def _() -> None:
    m = arm()
    m.joint("elbow", tb.Revolute("y"), (0.0, 0.0, 1.0), "rod")


@fault(
    "turn without an axis",
    "Joints and the tree",
    "frame of 'ground': a turn is an axis 'x', 'y' or 'z' and an angle in radians, got 0.1.",
)
def _() -> None:
    m = arm()
    m.ground.at(0, 0, 0, turn=(0.1, 0.2, 0.3))


@fault(
    "unknown option",
    "Joints and the tree",
    "Joint 'elbow': there is no option 'dampin'; did you mean 'damping'?",
)
def _() -> None:
    m = arm()
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", dampin=0.1)


@fault(
    "negative damping",
    "Joints and the tree",
    "Joint 'elbow': damping is -0.1; it must not be negative.",
)
def _() -> None:
    m = arm()
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", damping=-0.1)


@fault(
    "two values for one coordinate",
    "Joints and the tree",
    "Joint 'elbow': damping: 1 value(s) are expected, one a coordinate, got 2.",
)
def _() -> None:
    m = arm()
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", damping=(0.1, 0.2))


@fault(
    "limits that are swapped",
    "Joints and the tree",
    "Joint 'elbow': limits: the lower one, 2.0, is above the upper one, 0.0; swap them.",
)
def _() -> None:
    m = arm()
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", limits=(2.0, 0.0))


@fault(
    "limits whose name is taken",
    "Joints and the tree",
    "Joint 'elbow': its limits become parameters. Parameter 'elbow high': there is a sensor of "
    "this name already; parameters, inputs, states and sensors share their names. Rename that "
    "one, or give the limits as expressions of parameters of your own.",
)
def _() -> None:
    m = arm()
    m.body("hand", mass=0.1)
    m.sensor("elbow high", tb.Signal(m.coordinate("shoulder")))
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", limits=(0.0, 2.0))


@fault(
    "limits that cross at the default parameters",
    "Joints and the tree",
    "Limits of 'elbow': the lower one would be 0.5, above the upper one, 0.25; move the other one "
    "first, or this one less. These are numbers at the default parameters.",
)
def _() -> None:
    m = arm()
    m.body("hand", mass=0.1)
    low = m.parameter("low", 0.5)
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", limits=(low, low / 2))
    check_model(m)


@fault(
    "limits that move by themselves",
    "Joints and the tree",
    "Limits of 'elbow': they may be numbers and expressions of parameters, but 'time' is no "
    "parameter; a stop doesn't move by itself.",
)
def _() -> None:
    m = arm()
    m.body("hand", mass=0.1)
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", limits=(0.0, m.time))
    check_model(m)


@fault(
    "stop without limits",
    "Joints and the tree",
    "Joint 'elbow': a stop needs limits; give `limits=(lower, upper)` too.",
)
def _() -> None:
    m = arm()
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", stop=(1000.0, 1.0))


@fault(
    "friction without a speed",
    "Joints and the tree",
    "Joint 'elbow': friction_speed is 0.0; it must be positive: below it, friction "
    "grows in proportion to the speed.",
)
def _() -> None:
    m = arm()
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", friction=1.0, friction_speed=0.0)


@fault(
    "spring on a quaternion",
    "Joints and the tree",
    "Joint 'wrist': `spring` needs plain coordinates, but Spherical has a "
    "quaternion; use tb.Bushing between its frames.",
)
def _() -> None:
    m = arm()
    m.joint("wrist", tb.Spherical(), "rod", "hand", spring=10.0)


@fault(
    "quaternion of length zero",
    "Joints and the tree",
    "Joint 'wrist': the quaternion in its position is zero, which is no rotation; "
    "no rotation is (1, 0, 0, 0).",
)
def _() -> None:
    m = arm()
    m.joint("wrist", tb.Spherical(), "rod", "hand", position=(0.0, 0.0, 0.0, 0.0))


@fault(
    "initial position that is an expression",
    "Joints and the tree",
    "Joint 'elbow': position: a plain number is expected here, got the expression bend.",
)
def _() -> None:
    m = arm()
    bend = m.parameter("bend", 0.3)
    m.joint("elbow", tb.Revolute("y"), "rod", "hand", position=bend)


@fault(
    "moving leaf without mass",
    "Joints and the tree",
    "Joint 'wrist': nothing resists its motion, because body 'hand' and what it "
    "carries have no inertia there; its acceleration would be undefined. Give the "
    "body a mass or an inertia, or the joint an `armature`, or use tb.Fixed.",
)
def _() -> None:
    m = arm()
    m.body("hand")
    m.joint("wrist", tb.Prismatic("x"), m.ground, "hand")
    check_model(m)


@fault(
    "rod that turns about its own axis without inertia",
    "Joints and the tree",
    "Joint 'shoulder': nothing resists its motion, because body 'rod' and what it "
    "carries have no inertia there; its acceleration would be undefined. Give the "
    "body a mass or an inertia, or the joint an `armature`, or use tb.Fixed.",
)
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=1.0, com=(0.5, 0.0, 0.0), inertia=(0.0, 0.1, 0.1))
    m.joint("shoulder", tb.Revolute("x"), m.ground, "rod")
    check_model(m)
