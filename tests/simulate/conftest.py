"""The hand-made systems that runs are tested on."""

import pytest

from hand_made_systems import HandMadeSystem, make_first_order, make_pendulum


@pytest.fixture
def pendulum() -> HandMadeSystem:
    return make_pendulum()


@pytest.fixture
def blow_up() -> HandMadeSystem:
    """ż = z²: z = 1/(1 − t) has no value beyond t = 1."""
    return make_first_order("blow-up", lambda tape, z: tape.mul(z, z))


@pytest.fixture
def draining() -> HandMadeSystem:
    """ż = −1 − √z: once the level passes zero its rate is the root of a negative number."""
    return make_first_order("draining", lambda tape, z: -tape.add(1, tape.sqrt(z)))
