"""Contacts given to a run have names like those of a model, whose signals are nobody else's."""

import pytest

import touchback as tb


def sled() -> tuple[tb.System, tb.contact.DescribedContact]:
    m = tb.Model("sled", gravity=(0, 0, -9.81))
    cart, load = m.body("cart"), m.body("load", 2.0)
    m.joint("x", tb.Prismatic("x"), m.ground, cart)
    m.joint("z", tb.Prismatic("z"), cart, load)
    for word in ("gap", "force", "impulse"):
        m.sensor(f"{word}s {word}", tb.Signal(m.coordinate("x")))
    return m.compile(), tb.contact.DescribedContact(m.coordinate("z"), m.rate("x"), friction=0.3)


@pytest.mark.parametrize("method", ["event-driven", "moreau-jean"])
@pytest.mark.parametrize("name", ["", " floor", "a/b", "time", "f\n", 3])
def test_names_that_a_model_would_refuse_are_refused(method: str, name: str) -> None:
    system, floor = sled()
    with pytest.raises(tb.ModelError, match="contact"):
        tb.simulate(system, duration=0.1, method=method, step=0.01, contacts={name: floor})


@pytest.mark.parametrize(
    ("method", "names", "signal"),
    [
        ("event-driven", ["gaps"], "gaps gap"),
        ("moreau-jean", ["gaps"], "gaps gap"),
        ("event-driven", ["forces"], "forces force"),
        ("moreau-jean", ["impulses"], "impulses impulse"),
        ("event-driven", ["a", "a friction"], "a friction force"),
    ],
)
def test_names_whose_signals_are_called_like_others_are_refused(
    method: str, names: list[str], signal: str
) -> None:
    system, floor = sled()
    with pytest.raises(tb.InputError, match=f"has a signal '{signal}', and another"):
        tb.simulate(
            system, duration=0.1, method=method, step=0.01, contacts=dict.fromkeys(names, floor)
        )


def test_other_names_are_taken() -> None:
    system, floor = sled()
    run = tb.simulate(system, duration=0.1, contacts={"forces 2": floor})
    assert {"forces 2 gap", "forces force"} <= set(run.signals)


@pytest.mark.parametrize("solver", [tb.EventDriven, tb.MoreauJean])
def test_solvers_with_contacts_of_their_own_can_be_hashed(solver: type[tb.EventDriven]) -> None:
    _, floor = sled()
    one, other = (solver(step=0.01, contacts={"floor": floor}) for _ in range(2))
    assert one == other
    assert len({one, other, solver(step=0.01)}) == 2
