"""The steering column against two masses on a spring."""

import numpy as np
from numpy.testing import assert_allclose

import touchback as tb
from touchback.vehicle.steering import Steering, add_steering

STEERING = Steering(
    friction=0.0, damping=0.0, column_friction=0.0, torsion_damping=0.0, torsion=115.0,
    assist_torque=(0.0, 1.0), assist_force=(0.0, 0.0),
)  # fmt: skip


def test_the_torsion_bar_stores_what_twists_it_and_swings_at_its_frequency() -> None:
    """U = k φ²/2 of the twist φ = θ − y/r; ω² = k (1/J + 1/(m r²)); without friction the energy is
    kept, also after the bar was made stiffer."""
    model = tb.Model("column", gravity=(0.0, 0.0, 0.0))
    chassis = model.body("chassis")
    model.joint("chassis", tb.Fixed(), model.ground, chassis)
    add_steering(model, STEERING, chassis, hands="torque")
    model.sensor("energy", tb.Energy())
    system, r = model.compile(), STEERING.pinion
    inverse = 1.0 / STEERING.wheel_inertia + 1.0 / (STEERING.rack_mass * r * r)
    for stiffness in (STEERING.torsion, 40.0):
        system["torsion bar"] = stiffness
        state = system.assemble({"rack": 0.002, "steering wheel": -0.3})
        twist = -0.3 - 0.002 / r
        stored = 0.5 * stiffness * twist**2
        assert_allclose(system.stored_energy(state), stored, rtol=1e-12)
        omega = np.sqrt(stiffness * inverse)
        run = tb.simulate(system, state, duration=2.5 * 2 * np.pi / omega, rtol=1e-10,
                          atol=1e-12, progress=False)  # fmt: skip
        assert_allclose(run["energy"], stored, rtol=1e-8)
        swing = run["steering wheel"] - run["rack"] / r
        assert_allclose(swing, twist * np.cos(omega * run.time), atol=1e-6 * abs(twist))
