"""Each kind of batch has one back end, which says of others why it can't run them."""

import numpy as np
import pytest

import touchback as tb
from tests.featured_models import compiled
from touchback.batch.batch import BACKENDS, backend_for
from touchback.batch.batch_inputs import read_batch_inputs
from touchback.batch.batch_spec import BatchSpec
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.solver_choice import formulation_for, solver_for
from touchback.simulate.solvers import Capability


def asked(system: tb.System, method: str, on: str = "cpu", real: str = "double") -> BatchSpec:
    formulation = formulation_for(method, None)
    solver = solver_for(system, method, formulation, Capability(0), {})
    run = RunSpec.read(system, 0.01, constraints=formulation)
    return BatchSpec(run, solver, read_batch_inputs(system, 2, None, None, None), 1, on, real)


@pytest.fixture(scope="module")
def systems() -> dict[str, tb.System]:
    return {name: compiled(name) for name in ("", "closures", "modes", "rigid contacts")}


@pytest.mark.parametrize(
    ("feature", "method", "backend"),
    [
        ("", "rk4", "SimdBatch"),
        ("", "euler", "SimdBatch"),
        ("", "dopri5", "ThreadedSimulate"),
        ("", "implicit-euler", "ThreadedSimulate"),
        ("closures", "rk4", "ConstrainedBatch"),
        ("closures", "linear-implicit", "ConstrainedBatch"),
        ("closures", "dopri5", "ThreadedSimulate"),
        ("modes", "euler", "ConstrainedBatch"),
        ("rigid contacts", "moreau-jean", "ContactBatch"),
        ("rigid contacts", "event-driven", "ThreadedSimulate"),
    ],
)
def test_the_first_that_can_runs_a_batch(systems, feature: str, method: str, backend: str) -> None:
    assert type(backend_for(asked(systems[feature], method))).__name__ == backend


@pytest.mark.parametrize(
    ("feature", "method"),
    [
        ("", "rk4"), ("", "dopri5"), ("closures", "rk4"), ("closures", "dopri5"),
        ("modes", "euler"), ("rigid contacts", "moreau-jean"),
    ],
)  # fmt: skip
def test_what_any_back_end_gives_has_the_name_and_the_states_of_its_system(
    systems, feature: str, method: str
) -> None:
    system, option = systems[feature], "output_step" if method == "dopri5" else "step"
    ran = system.batch(2).run(None, 0.01, method=method, **{option: 1e-3})
    assert ran.name == system.name and str(ran).startswith(f"2 × {system.name}: 11 instants")
    assert ran.state_names == tuple(system.state_names)
    for place, name in enumerate(system.state_names):
        assert np.array_equal(ran.last(name), ran.x[:, place])
        assert np.array_equal(ran.last(name), ran[name][:, -1])


def test_every_other_back_end_says_why_it_can_not(systems) -> None:
    spec = asked(systems["closures"], "rk4")
    reasons = {type(each).__name__: each.can(spec) for each in BACKENDS}
    assert reasons["ConstrainedBatch"] is None and reasons["ThreadedSimulate"] is None
    assert reasons["GpuBatch"] == "no card is asked for"
    assert "has constraints" in reasons["SimdBatch"]
    assert reasons["ContactBatch"] == "method 'rk4' isn't time stepping"


def test_the_processor_leaves_a_batch_for_the_card_alone(systems) -> None:
    spec = asked(systems[""], "rk4", on="gpu")
    assert [each.can(spec) for each in BACKENDS[1:]] == ["the processor isn't asked"] * 4
