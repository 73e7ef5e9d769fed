"""Mechanisms as FMUs, each built once: a build takes longer than what is asked of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import touchback as tb
from touchback.interop.targets import generate

fmpy = pytest.importorskip("fmpy", reason="needs the extra fmi: FMPy")


@dataclass(frozen=True)
class Written:
    """A system, and the file that it was written to."""

    system: tb.System
    path: Path
    version: int


def arm_on_a_cart() -> tb.Model:
    """A tree: a cart on a spring, an arm on it, a top on a ball joint (a quaternion), and a felt."""
    m = tb.Model("arm on a cart")
    length = m.parameter("arm length", 0.4, unit="m", min=0.1, max=1.0)
    cart = m.body("cart", mass=1.0)
    arm = m.body("arm", mass=0.5, com=(0, 0, -length), inertia=(1e-3, 2e-3, 1e-3))
    top = m.body("top", mass=0.3, com=(0.02, 0.01, 0.05), inertia=(1e-3, 2e-3, 1.5e-3))
    m.joint("cart", tb.Prismatic("x"), m.ground, cart)
    m.joint("arm", tb.Revolute("y"), cart, arm, position=0.7)
    m.joint("top", tb.Spherical(), arm.at(0, 0, -length), top)
    m.force("push", tb.JointEffort("cart", m.input("push", unit="N", min=-50, max=50)))
    spring = tb.SpringDamper(m.ground.at(-1, 0, 0), cart, stiffness=30, damping=1, length=0.5)
    m.force("spring", spring)
    felt = tb.contact.Felt(4e5, exponent=2.2, memory=0.3, memory_time=5e-3)
    bob, floor = (
        tb.contact.Circle(arm.at(0, 0, -length), 0.02),
        tb.contact.Line(m.ground.at(0, 0, -0.4)),
    )
    m.force("pad", tb.contact.ProfileContact(bob, floor, felt))
    m.sensor("bob", tb.Position(arm.at(0, 0, -length)))
    m.sensor("bob acceleration", tb.Acceleration(arm))
    return m


MAKERS: dict[str, Callable[[], tb.Model]] = {"tree": arm_on_a_cart}


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Written]:
    known: dict[tuple[str, int], Written] = {}
    folder = tmp_path_factory.mktemp("fmus")

    def write(name: str, version: int) -> Written:
        if (name, version) not in known:
            model = MAKERS[name]()
            [path] = generate(model, "fmu", folder / f"{name}{version}.fmu", version=version)
            known[name, version] = Written(model.compile(), path, version)
        return known[name, version]

    return write
