"""Which contacts have equations."""

import pytest

import touchback as tb


def test_a_gap_of_velocities_or_of_nothing_and_a_bent_slip_are_refused() -> None:
    m = tb.Model("block")
    block = m.body("block", mass=1)
    m.joint("z", tb.Prismatic("z"), m.ground, block)
    system, z, rate = m.compile(), m.coordinate("z"), m.rate("z")
    for contact, message in (
        (tb.contact.DescribedContact(z + rate), "its gap depends on velocities"),
        (tb.contact.DescribedContact(m.time - 1), "its gap stays the same whatever moves"),
        (
            tb.contact.DescribedContact(z, rate**2, friction=0.3),
            "its slip speed must be linear in the",
        ),
    ):
        for method in ("moreau-jean", "event-driven"):
            with pytest.raises(tb.ModelError, match=f"Contact 'floor': {message}"):
                tb.simulate(system, method=method, contacts={"floor": contact}, duration=0.1)
    with pytest.raises(tb.ModelError, match="gap_between: a number or an expression is expected"):
        tb.contact.DescribedContact("z")  # type: ignore[arg-type]
