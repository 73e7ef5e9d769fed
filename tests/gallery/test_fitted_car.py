"""The simple car follows the whole one, also where it wasn't fitted, and says what it lacks."""

import numpy as np

import touchback as tb
from touchback.gallery import fitted_car

FITTED = 350  # samples, 7 s: up to 1 Hz


def test_what_is_found_of_slow_swerves_foretells_faster_ones() -> None:
    system, logged = fitted_car.make().compile(), fitted_car.log()
    slow = tb.Run(
        logged.time[:FITTED], {name: logged[name][:FITTED] for name in logged}, logged.units
    )
    found = fitted_car.fit(system, slow)
    assert any("isn't white noise" in said for said in found.cautions)
    for name in ("front stiffness", "rear stiffness"):
        assert 0.5 < found[name] / fitted_car.FOUND[name] < 1.5
    run = tb.simulate(
        system, duration=logged.duration, parameters=found.parameters, output_step=0.02,
        inputs={name: (logged.time, logged[name]) for name in ("steering wheel", "speed")},
        progress=False,
    )  # fmt: skip
    for name, noise in (("yaw rate", fitted_car.GYROSCOPE),
                        ("lateral acceleration", fitted_car.ACCELEROMETER)):  # fmt: skip
        left = (logged[name] - run[name])[FITTED:]
        assert np.sqrt(np.mean(left**2)) < 2.0 * noise
        assert np.sqrt(np.mean(left**2)) < 0.1 * np.abs(logged[name]).max()
