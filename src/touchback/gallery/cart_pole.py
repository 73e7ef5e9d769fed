"""A pole balanced on a cart by state feedback; the gains are live parameters."""

from touchback import JointEffort, Model, Position, Prismatic, Revolute, Signal
from touchback.gallery.entry import Entry, Experiment
from touchback.model.value import Value

# The linear-quadratic regulator of the upright cart-pole for the weights 1 (position), 0.1 (speed),
# 10 (angle), 0.1 (angular speed) and 0.1 (force squared).
GAINS = {"position": -3.162, "speed": -4.692, "angle": -44.364, "angular speed": -10.913}


LENGTH, MASS = 1.0, 0.2  # m, kg: of the pole


def cart_with_pole(m: Model) -> None:
    """The cart slides along x; the pole stands upright at zero angle and falls towards +x."""
    cart, moment = m.body("cart", mass=1.0), MASS * LENGTH**2 / 12
    pole = m.body("pole", mass=MASS, com=(0, 0, LENGTH / 2), inertia=(moment, moment, 0))
    m.joint("cart", Prismatic("x"), m.ground, cart)
    m.joint("pole", Revolute("y"), cart, pole)
    m.sensor("pole tip", Position(pole.at(0, 0, LENGTH)))


def make() -> Model:
    """Held upright by four gains."""
    m = Model("cart-pole")
    cart_with_pole(m)
    push = m.input("push", unit="N")
    m.force("motor", JointEffort("cart", push))
    gains = [m.parameter(f"{name} gain", value) for name, value in GAINS.items()]

    def feedback(*state: Value) -> Value:
        return -sum(gain * signal for gain, signal in zip(gains, state, strict=True))

    m.control("balance", feedback, of=["q:cart", "v:cart", "q:pole", "v:pole"], to="push")
    m.sensor("push on the cart", Signal(push, "N"))
    return m


ENTRY = Entry(
    "cart-pole",
    "a pole balanced on a cart by state feedback; the gains are live",
    make,
    Experiment(8.0, positions={"pole": 0.4}, signals=("cart", "pole", "push on the cart")),
    sentences=(
        "A cart balances a pole by pushing itself to and fro, as its law reads angle and position.",
        "The law is four gains times four states; whether the pole stands is decided by their "
        "signs and sizes.",
        "Pull the pole aside, then turn a gain down until it falls.",
    ),
)
