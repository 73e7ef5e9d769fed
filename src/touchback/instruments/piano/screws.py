"""Everything that can be turned, bent or exchanged on an action, as live parameters."""

from dataclasses import dataclass

from touchback import Expr, Model
from touchback.instruments.piano.parameters import Specification


@dataclass(frozen=True)
class Screws:
    """Shifts of placements [m], where not said otherwise; positive is up or out of the material."""

    dip: Expr  # of the key front until the front-rail punching [m]
    blow: Expr  # crown to string [m]
    capstan: Expr
    button: Expr
    drop_screw: Expr
    lever_height: Expr
    jack_position: Expr  # to the front
    check_distance: Expr  # to the front
    check_angle: Expr  # [rad]
    spring: Expr  # torque on the repetition lever at rest [N m]
    jack_spring: Expr  # [N m]
    hammer_mass: Expr  # [kg]
    lead_mass: Expr  # [kg]
    lead_distance: Expr  # in front of the balance point [m]
    knuckle_friction: Expr
    capstan_friction: Expr
    check_friction: Expr
    centres: Expr  # factor on the friction of all hinges
    pedal: Expr  # height of the tray under the damper's head [m]
    una_corda: Expr  # how far the hammer is shifted, 0 to 1
    string: Expr  # factor on the stiffness of felt and string
    string_hysteresis: Expr  # [s]
    damper_mass: Expr  # [kg]


def add_screws(m: Model, spec: Specification) -> Screws:
    """The live parameters of an action."""
    r, masses, felts = spec.regulation, spec.masses, spec.felts

    def shift(name: str, most: float = 3e-3) -> Expr:
        return m.parameter(name, 0.0, unit="m", min=-most, max=most)

    return Screws(
        dip=m.parameter("key dip", r.dip, unit="m", min=6e-3, max=13e-3),
        blow=m.parameter("blow distance", r.blow, unit="m", min=35e-3, max=55e-3),
        capstan=shift("capstan height"),
        button=shift("let-off button height"),
        drop_screw=shift("drop screw height"),
        lever_height=shift("repetition lever height"),
        jack_position=shift("jack position"),
        check_distance=shift("backcheck distance", 10e-3),
        check_angle=m.parameter("backcheck angle", 0.0, unit="rad", min=-0.2, max=0.2),
        spring=m.parameter("repetition spring", spec.springs.lever, unit="N m", min=0.0, max=0.2),
        jack_spring=m.parameter("jack spring", spec.springs.jack, unit="N m", min=0.0, max=0.05),
        hammer_mass=m.parameter("hammer mass", masses.head, unit="kg", min=1e-3, max=0.03),
        lead_mass=m.parameter("key lead mass", masses.leads, unit="kg", min=0.0, max=0.1),
        lead_distance=m.parameter(
            "key lead distance", masses.lead_distance, unit="m", min=-0.2, max=0.25
        ),
        knuckle_friction=m.parameter("knuckle friction", felts.jack.friction, min=0.0, max=1.0),
        capstan_friction=m.parameter("capstan friction", felts.capstan.friction, min=0.0, max=1.0),
        check_friction=m.parameter("backcheck friction", felts.check.friction, min=0.0, max=2.0),
        centres=m.parameter("centre friction", 1.0, min=0.0, max=10.0),
        pedal=m.parameter("pedal lift", 0.0, unit="m", min=0.0, max=0.012),
        una_corda=m.parameter("una corda", 0.0, min=0.0, max=1.0),
        string=m.parameter("string stiffness", 1.0, min=0.02, max=50.0),
        string_hysteresis=m.parameter(
            "string hysteresis", felts.string.hysteresis, unit="s", min=0.0, max=2e-3
        ),
        damper_mass=m.parameter("damper mass", masses.damper, unit="kg", min=1e-3, max=0.1),
    )  # fmt: skip
