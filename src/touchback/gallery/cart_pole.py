"""A pole on a cart: balanced by state feedback, whose gains are live parameters; and one that
hangs, swung up along a plan and held there.

The plan is the one of least effort from hanging to standing (`tb.planning.collocate`). Alone it
would raise only a pole that hangs just as it was planned; along it a linear-quadratic regulator
pushes back what differs, with gains that change on the way (Riccati's equation backwards along the
plan: Bryson and Ho 1975, chapter 5).
"""

import math
from functools import cache

import numpy as np

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment
from touchback.model import Value

# The linear-quadratic regulator of the upright cart-pole for the weights 1 (position), 0.1 (speed),
# 10 (angle), 0.1 (angular speed) and 0.1 (force squared).
GAINS = {"position": -3.162, "speed": -4.692, "angle": -44.364, "angular speed": -10.913}
LENGTH, MASS = 1.0, 0.2  # m, kg: of the pole


def cart_with_pole(m: tb.Model) -> None:
    """The cart slides along x; the pole stands upright at zero angle and falls towards +x."""
    cart, moment = m.body("cart", mass=1.0), MASS * LENGTH**2 / 12
    pole = m.body("pole", mass=MASS, com=(0, 0, LENGTH / 2), inertia=(moment, moment, 0))
    m.joint("cart", tb.Prismatic("x"), m.ground, cart)
    m.joint("pole", tb.Revolute("y"), cart, pole)
    m.sensor("pole tip", tb.Position(pole.at(0, 0, LENGTH)))


def make_cart_pole() -> tb.Model:
    """Held upright by four gains."""
    m = tb.Model("cart-pole")
    cart_with_pole(m)
    push = m.input("push", unit="N")
    m.force("motor", tb.JointEffort("cart", push))
    gains = [m.parameter(f"{name} gain", value) for name, value in GAINS.items()]

    def feedback(*state: Value) -> Value:
        return -sum(gain * signal for gain, signal in zip(gains, state, strict=True))

    m.control("balance", feedback, of=["q:cart", "v:cart", "q:pole", "v:pole"], to="push")
    m.sensor("push on the cart", tb.Signal(push, "N"))
    return m


CART_POLE = Entry(
    "cart-pole",
    "a pole balanced on a cart by state feedback; the gains are live",
    make_cart_pole,
    Experiment(8.0, positions={"pole": 0.4}, signals=("cart", "pole", "push on the cart")),
    sentences=(
        "A cart balances a pole by pushing itself to and fro, as its law reads angle and position.",
        "The law is four gains times four states; whether the pole stands is decided by their "
        "signs and sizes.",
        "Pull the pole aside, then turn a gain down until it falls.",
    ),
)
DURATION, KNOTS = 2.0, 21  # s; of the plan
MOST = 15.0  # N
# What `plan()` finds: pushes [N] at the knots.
PUSHES = (
    7.87, 8.34, 6.61, 3.03, -0.73, -3.72, -6.72, -10.83, -14.77, -10.89, -1.26,
    4.26, 5.95, 6.03, 5.55, 4.85, 3.91, 2.52, 0.43, -2.71, -7.54,
)  # fmt: skip
STATES = {"cart": "m", "pole": "rad", "cart rate": "m/s", "pole rate": "rad/s"}
_WEIGHTS, _EFFORT = (1.0, 10.0, 0.1, 0.1), 0.1  # of the states' squares, and of the push's
_SAMPLE = 0.05  # s, of the tables


def cart_with_push_input() -> tb.System:
    """Cart and pole with a free hand: the input "push" [N]."""
    m = tb.Model("cart with a pole")
    cart_with_pole(m)
    m.force("motor", tb.JointEffort("cart", m.input("push", unit="N", min=-MOST, max=MOST)))
    return m.compile()


def plan() -> tb.planning.Plan:
    """The least effort from hanging to standing, by collocation (needs casadi)."""
    system = cart_with_push_input()
    return tb.planning.collocate(
        system, system.assemble(pole=math.pi), DURATION, lambda at: at["push"] ** 2,
        end=dict.fromkeys(STATES, 0.0), knots=KNOTS,
    )  # fmt: skip


@cache
def tracking_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, planned pushes and states, and gains of each state, a row for each time."""
    from scipy.linalg import expm, solve_discrete_are

    system, along = cart_with_push_input(), np.array([np.linspace(0.0, DURATION, KNOTS), PUSHES])
    run = tb.simulate(
        system, system.assemble(pole=math.pi), DURATION, inputs={"push": along},
        output_step=_SAMPLE, progress=False,
    )  # fmt: skip
    x = np.stack([run[name] for name in STATES], axis=1)
    Q, R = np.diag(_WEIGHTS) * _SAMPLE, _EFFORT * _SAMPLE
    gains, P = np.empty_like(x), np.zeros((4, 4))
    for k in range(len(x) - 1, -1, -1):
        at = tb.linearise(system, x[k] if k < len(x) - 1 else np.zeros(4), u=[run["push"][k]])
        step = expm(np.vstack([np.hstack([at.A, at.B]), np.zeros((1, 5))]) * _SAMPLE)
        A, B = step[:4, :4], step[:4, 4:]
        if k == len(x) - 1:
            P = solve_discrete_are(A, B, Q, [[R]])
        gains[k] = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)[0]
        P = Q + A.T @ P @ (A - B @ gains[k : k + 1])
    x[-1], push = 0.0, run["push"].copy()
    push[-1] = 0.0  # what stands needs none
    return run.time, push, x, gains


def make_swing_up() -> tb.Model:
    """Tables of the plan and of the gains; the input "nudge" [N] is yours."""
    m = tb.Model("swing-up")
    cart_with_pole(m)
    times, pushes, states, gains = tracking_tables()
    scale = m.parameter("tracking", 1.0, min=0.0, max=2.0)
    push = tb.lookup(m.table("planned push", times, pushes), m.time)
    for i, name in enumerate(STATES):
        wanted = tb.lookup(m.table(f"planned {name}", times, states[:, i]), m.time)
        gain = tb.lookup(m.table(f"gain of {name}", times, gains[:, i]), m.time)
        joint, _, rate = name.partition(" ")
        now = m.rate(joint) if rate else m.coordinate(joint)
        push = push + scale * gain * (wanted - now)
        if name == "pole":
            m.sensor("planned pole", tb.Signal(wanted, "rad"))
    held = tb.maximum(tb.minimum(push, MOST), -MOST)
    m.force("motor", tb.JointEffort("cart", held + m.input("nudge", unit="N", min=-20.0, max=20.0)))
    m.sensor("push on the cart", tb.Signal(held, "N"))
    m.shape("rail", m.ground.at(0, 0, -0.06), tb.Box((2.4, 0.1, 0.02)))
    m.shape("goal", m.ground.at(0, 0, LENGTH), tb.Sphere(0.04))  # where the tip shall be
    return m


SWING_UP = Entry(
    "swing-up",
    "a pole that hangs from a cart, swung up along a plan of least effort and held there",
    make_swing_up,
    Experiment(
        5.0, positions={"pole": 2.9}, signals=("pole", "planned pole", "cart", "push on the cart")
    ),
    sentences=(
        "A cart swings the pole that hangs from it up, along pushes that were planned beforehand.",
        "The plan takes the least effort; gains that change on the way push back what differs "
        "from it, as the pole hangs 14° aside here.",
        'Give the cart a "nudge" while the pole stands, or set "tracking" to 0, start again and '
        "see the plan alone miss.",
    ),
)
