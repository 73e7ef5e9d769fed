"""Faulty models, and what is said about them."""

import touchback as tb
from faults import arm, fault
from touchback.system.model_checks import check_model

# ---- bodies --------------------------------------------------------------------------------------


@fault("negative mass", "Bodies", "Body 'rod': its mass is -1.0 kg; it must not be negative.")
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=-1.0)


@fault(
    "mass that is no number",
    "Bodies",
    "Body 'rod': mass: a number or an expression is expected, got '1 kg'.",
)
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass="1 kg")


@fault("NaN as a mass", "Bodies", "Body 'rod': mass: nan is not a finite number.")
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=float("nan"))


@fault(
    "centre of mass with two components",
    "Bodies",
    "Body 'rod': com: three components are expected, got (0.5, 0.0).",
)
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=1.0, com=(0.5, 0.0))


@fault("infinite coordinate", "Bodies", "Body 'rod': com[1]: inf is not a finite number.")
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=1.0, com=(0.0, float("inf"), 0.0))


@fault(
    "moments that no body can have",
    "Bodies",
    "Body 'rod': its principal moments 0.1, 0.1 and 0.5 kg m² break the triangle "
    "inequality; no distribution of mass has them. Check the units, and that "
    "inertia is about the centre of mass.",
)
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.5))


@fault(
    "negative principal moment",
    "Bodies",
    "Body 'rod': its inertia has a negative principal moment, -0.4 kg m². Check the"
    " signs; inertia is about the centre of mass.",
)
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1, 0.5, 0.0, 0.0))


@fault(
    "tensor that is not symmetric",
    "Bodies",
    "Body 'rod': inertia: the tensor is not symmetric: [1][0] is -0.2 but [0][1] is"
    " 0.2. Check the signs and the order of the entries.",
)
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=1.0, inertia=[[1.0, 0.2, 0.0], [-0.2, 1.0, 0.0], [0.0, 0.0, 1.0]])


@fault(
    "inertia of four numbers",
    "Bodies",
    "Body 'rod': inertia: 3 principal moments, 6 components (xx, yy, zz, xy, xz, "
    "yz) or a 3×3 tensor are expected, got (1.0, 1.0, 1.0, 0.0).",
)
def _() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=1.0, inertia=(1.0, 1.0, 1.0, 0.0))


@fault(
    "a mass that an expression makes negative",
    "Bodies",
    "Body 'rod': its mass is -0.3 kg; it must not be negative. These are numbers at"
    " the default parameters.",
)
def _() -> None:
    m = tb.Model("arm")
    length = m.parameter("length", 0.2)
    rod = m.body("rod", mass=length - 0.5)
    m.joint("shoulder", tb.Revolute("y"), m.ground, rod)
    check_model(m)


# ---- names ---------------------------------------------------------------------------------------


@fault("name used twice", "Names", "Body 'rod': there is a body of this name already.")
def _() -> None:
    m = tb.Model("arm")
    m.body("rod")
    m.body("rod")


@fault(
    "parameter named like an input",
    "Names",
    "Parameter 'torque': there is an input of this name already; parameters, "
    "inputs, states and sensors share their names.",
)
def _() -> None:
    m = tb.Model("arm")
    m.input("torque")
    m.parameter("torque", 1.0)


@fault(
    "sign that a name can't have",
    "Names",
    "Body 'left/rod': a name must not contain '/'; use letters, digits, spaces, '.', '-' and '_'.",
)
def _() -> None:
    m = tb.Model("arm")
    m.body("left/rod")


@fault(
    "empty name",
    "Names",
    "Model: a name is expected, without spaces at its ends and not empty, got ''.",
)
def _() -> None:
    tb.Model("")


@fault("body called ground", "Names", "Body 'ground': this name is taken; use `model.ground`.")
def _() -> None:
    m = tb.Model("arm")
    m.body("ground")


@fault(
    "parameter called time",
    "Names",
    "Parameter 'time': this name is taken by the clock; choose another.",
)
def _() -> None:
    m = tb.Model("arm")
    m.parameter("time", 1.0)


@fault(
    "unknown signal",
    "Names",
    "There is no signal 'q:sholder'; did you mean 'q:shoulder' or 'v:shoulder'?",
)
def _() -> None:
    m = arm()
    m.signal("q:sholder")


@fault(
    "force on an unknown body",
    "Names",
    "Force 'wind': there is no body 'rood'; did you mean 'rod' or 'ground'?",
)
def _() -> None:
    m = arm()
    m.force("wind", tb.Wrench("rood", force=(1.0, 0.0, 0.0)))
    check_model(m)


@fault(
    "force on an unknown joint",
    "Names",
    "Force 'motor': there is no joint 'elbow'; known: 'shoulder'.",
)
def _() -> None:
    m = arm()
    m.force("motor", tb.JointEffort("elbow", 1.0))
    check_model(m)


@fault(
    "coordinate that a joint doesn't have",
    "Names",
    "Force 'motor': joint 'shoulder' has 1 coordinate(s), numbered from 0; there is"
    " none numbered 1.",
)
def _() -> None:
    m = arm()
    m.force("motor", tb.JointEffort("shoulder", 1.0, index=1))
    check_model(m)


# ---- signals and laws ----------------------------------------------------------------------------


@fault(
    "default out of range",
    "Signals and laws",
    "Parameter 'length': its default 2.0 lies outside its range, 0.1 to 1.0; change one of them.",
)
def _() -> None:
    m = tb.Model("arm")
    m.parameter("length", 2.0, min=0.1, max=1.0)


@fault(
    "range without inside",
    "Signals and laws",
    "Parameter 'length': its min 1.0 is above its max 0.1; swap them.",
)
def _() -> None:
    m = tb.Model("arm")
    m.parameter("length", 0.5, min=1.0, max=0.1)


@fault(
    "controller of another number of signals",
    "Signals and laws",
    "Control 'pd': its law takes 1 argument (q), and is given 2 arguments: q:shoulder, v:shoulder; "
    "write it as a function of just these.",
)
def _() -> None:
    m = arm()
    m.input("torque")
    m.control("pd", lambda q: -10 * q, of=["q:shoulder", "v:shoulder"], to="torque")


@fault(
    "force of another number of signals",
    "Signals and laws",
    "Force 'spring': its law takes 0 arguments, and is given 2 arguments: the coordinate, its "
    "rate; write it as a function of just these.",
)
def _() -> None:
    m = arm()
    m.force("spring", tb.JointEffort("shoulder", lambda: -10.0))


@fault(
    "rate of another number of states",
    "Signals and laws",
    "State 'lag': its rate takes 1 to 2 arguments (z, u), and 'gain' by name, and is given 1 "
    "argument: lag; write it as a function of just these.",
)
def _() -> None:
    m = arm()
    m.state("lag", rate=lambda z, u=0.0, *, gain: gain * (u - z))


@fault(
    "controller with too many outputs",
    "Signals and laws",
    "Control 'pd': its law returned 2 value(s) for 1 input(s); return one for each input in `to`.",
)
def _() -> None:
    m = arm()
    m.input("torque")
    m.control("pd", lambda q, v: (-10 * q, -v), of=["q:shoulder", "v:shoulder"], to="torque")


@fault(
    "controller of an unknown input",
    "Signals and laws",
    "Control 'pd': there is no input 'torqe'; did you mean 'torque'?",
)
def _() -> None:
    m = arm()
    m.input("torque")
    m.control("pd", lambda q: -10 * q, of=["q:shoulder"], to="torqe")


@fault(
    "input that is driven twice",
    "Signals and laws",
    "Control 'damper': input 'torque' is already driven by control 'spring'; add "
    "the two laws in one control.",
)
def _() -> None:
    m = arm()
    m.input("torque")
    m.control("spring", lambda q: -10 * q, of=["q:shoulder"], to="torque")
    m.control("damper", lambda v: -v, of=["v:shoulder"], to="torque")


@fault(
    "signals in a circle",
    "Signals and laws",
    "Force 'motor': Signals depend on each other in a circle: torque → measured → "
    "torque. Break it with a state.",
)
def _() -> None:
    m = arm()
    u = m.input("torque")
    m.sensor("measured", tb.Signal(2 * u))
    m.control("feedback", lambda y: -y, of=["measured"], to="torque")
    m.force("motor", tb.JointEffort("shoulder", u))
    check_model(m)


@fault(
    "matrix for a law that an inertia follows",
    "Signals and laws",
    "Force 'motor': Signals depend on each other in a circle: torque → M → torque. "
    "Break it with a state.",
)
def _() -> None:
    m = arm()
    u = m.input("torque")
    m.joint("elbow", tb.Revolute("y"), "rod", m.body("hand", 1.0), armature=u)
    M = m.sensor("M", tb.MassMatrix())
    m.control("law", lambda v: -v * M[0, 0], of=["v:shoulder"], to="torque")
    m.force("motor", tb.JointEffort("shoulder", u))
    check_model(m)


@fault(
    "mass that depends on where bodies are",
    "Signals and laws",
    "Sensor 'tip' measures bodies, so neither their inertias and places nor the ground's motion "
    "may depend on it. Filter it through an extra state.",
)
def _() -> None:
    m = arm()
    x, *_ = m.sensor("tip", tb.Position("rod"))
    m.joint("elbow", tb.Revolute("y"), "rod", m.body("hand", mass=1 + x * x))
    check_model(m)


@fault(
    "matrix of an unknown joint",
    "Signals and laws",
    "Sensor 'M': there is no velocity coordinate 'sholder'; did you mean 'shoulder'?",
)
def _() -> None:
    m = arm()
    m.sensor("M", tb.MassMatrix(joints=["sholder"]))
    check_model(m)


@fault(
    "law of an acceleration",
    "Signals and laws",
    "Force 'motor': Sensor 'shake' measures what forces cause, so no law or "
    "controller may use it directly. Filter it through an extra state.",
)
def _() -> None:
    m = arm()
    *_, az = m.sensor("shake", tb.Acceleration("rod"))
    m.force("motor", tb.JointEffort("shoulder", -az))
    check_model(m)


@fault(
    "expression of another model",
    "Signals and laws",
    "Body 'rod': it uses the expression 2 * length of another model; use parameters"
    " and signals of 'arm' (in parts: `bind` and `share`).",
)
def _() -> None:
    other = tb.Model("other")
    length = other.parameter("length", 1.0)
    m = tb.Model("arm")
    m.body("rod", mass=2.0 * length)


@fault(
    "frame of another model",
    "Signals and laws",
    "Sensor 'tip': 'rod' belongs to another model, 'other'; give a body or frame of 'arm' (of a "
    'part: tb.Frame("part/body")).',
)
def _() -> None:
    other = tb.Model("other")
    rod = other.body("rod", mass=1.0)
    m = arm()
    m.sensor("tip", tb.Position(rod.at(0, 0, -1)))


@fault(
    "two models in one expression",
    "Signals and laws",
    "length and width belong to different models: an expression can only use "
    "parameters, inputs and coordinates of one model.",
)
def _() -> None:
    a, b = tb.Model("a"), tb.Model("b")
    a.parameter("length", 1.0) + b.parameter("width", 1.0)


@fault(
    "expression in an if",
    "Signals and laws",
    "0 < 'q:shoulder' has no truth value: it is only known when the model runs. Use"
    " tb.select(condition, yes, no), `&`, `|`, `~`, tb.minimum, tb.maximum and tb.clip instead of "
    "`if`, `and`, `or`, `not`, `min` and `max`, also on arrays of expressions.",
)
def _() -> None:
    m = arm()
    m.force("stop", tb.JointEffort("shoulder", lambda q, v: -100 * q if q > 0 else 0.0))


@fault(
    "table that doesn't increase",
    "Signals and laws",
    "Table 'curve': x must increase strictly, but 1.0 follows 2.0.",
)
def _() -> None:
    m = arm()
    m.table("curve", x=(0.0, 2.0, 1.0), values=(0.0, 1.0, 2.0))


@fault(
    "table with too few values",
    "Signals and laws",
    "Table 'curve': 3 values expected for its breakpoints, got 2.",
)
def _() -> None:
    m = arm()
    m.table("curve", x=(0.0, 1.0, 2.0), values=(0.0, 1.0))


@fault(
    "force with two components",
    "Signals and laws",
    "Force 'wind': force: three components are expected, got (1.0, 0.0).",
)
def _() -> None:
    m = arm()
    m.force("wind", tb.Wrench("rod", force=(1.0, 0.0)))


@fault(
    "wrong option of a force",
    "Signals and laws",
    "Wrench: its axes must be 'world' or 'body', got 'local'.",
)
def _() -> None:
    tb.Wrench("rod", force=(1.0, 0.0, 0.0), axes="local")


@fault(
    "force that is none",
    "Signals and laws",
    "Force 'wind': a force such as tb.Wrench(…) is expected, got (1.0, 0.0, 0.0).",
)
def _() -> None:
    m = arm()
    m.force("wind", (1.0, 0.0, 0.0))


@fault(
    "sensor that is none",
    "Signals and laws",
    "Sensor 'tip': a sensor such as tb.Position(body) is expected, got 'rod'.",
)
def _() -> None:
    m = arm()
    m.sensor("tip", "rod")


@fault(
    "unknown motion of the base",
    "Signals and laws",
    "Moving base: there is no option 'velocity'; give the motion itself, `position` and `turn` as "
    "functions of time. Velocities and accelerations follow from it. (A motion known by its "
    "acceleration is a state whose rate is a state.)",
)
def _() -> None:
    m = arm()
    m.move_base(velocity=(0.0, 0.0, 1.0))


@fault(
    "motion of the base that nobody can differentiate",
    "Signals and laws",
    "Moving base: its motion uses 'platform', whose rate isn't known; it is a function of time, "
    "parameters and states, twice differentiable. (A motion known by its acceleration is a state "
    "whose rate is a state.)",
)
def _() -> None:
    m = arm()
    m.move_base(position=(m.input("platform"), 0.0, 0.0))
    m.compile()


@fault(
    "shared parameter that a part doesn't have",
    "Signals and laws",
    "Part 'left': there is no parameter 'lenght'; did you mean 'length'?",
)
def _() -> None:
    leg = tb.Model("leg")
    leg.parameter("length", 1.0)
    m = tb.Model("walker")
    m.add(leg, name="left", share=["lenght"])


@fault(
    "model that is its own part",
    "Signals and laws",
    "Part 'left': a model can't be a part of itself.",
)
def _() -> None:
    m = tb.Model("leg")
    m.add(m, name="left")


# ---- units ---------------------------------------------------------------------------------------


@fault(
    "torque in millimetres",
    "Units",
    "Force 'motor': its effort is the input 'torque', in mm; N m is needed there. Give 'torque' a "
    "unit such as N m, or use another input there.",
)
def _() -> None:
    m = arm()
    torque = m.input("torque", unit="mm")
    m.force("motor", tb.JointEffort("shoulder", torque))
    m.compile()


@fault(
    "expression of another dimension",
    "Units",
    "Body 'bob': its mass is density * edge * edge, with 'edge' in mm, 'density' in kg/m³: a "
    "quantity in kg/m; kg is needed there. Correct the unit of one of them, or the expression.",
)
def _() -> None:
    m = arm()
    density, edge = m.parameter("density", 7800.0, "kg/m³"), m.parameter("edge", 20.0, "mm")
    m.body("bob", mass=density * edge * edge)
    m.compile()


@fault(
    "length added to an angle",
    "Units",
    "Force 'spring': in its length, a quantity in m ('reach') and an angle ('angle') are "
    "added; correct a unit, or the expression.",
)
def _() -> None:
    m = arm()
    reach, angle = m.parameter("reach", 0.2, "m"), m.parameter("angle", 30.0, "deg")
    m.force("spring", tb.SpringDamper(m.ground, "rod", 100.0, length=reach + angle))
    m.compile()


@fault(
    "turns a second for radians a second",
    "Units",
    "Drive 'shoulder': its velocity is the parameter 'speed', in Hz; rad/s is needed there, and a "
    "turn has 2π rad: multiply it by 2π, or give it in rad/s or rpm.",
)
def _() -> None:
    m = arm()
    speed = m.parameter("speed", 2.0, "Hz")
    m.drive("shoulder", 2 * 3.141592653589793 * speed * m.time, velocity=speed)
    m.compile()
