"""A regulation with which a key that is pressed once sounds once, however it is pressed.

51 numbers moved together from `Specification()`: each was *chosen* or is given as a span in
parameters.py and is still in it, but for two that a source gives as one number, the lever's height
over the jack and the jack's length. They were found by evolution of a covariance matrix (CMA-ES)
over 76 of them and then by a sequence of linear programs, with a cost of three parts: how near to
the string the hammer of each of some 600 presses comes again after its strike; how far each
measured figure (regulation, weights, timing of both touches, repetition, held force, check) is out
of its span; how far the two models of the action are apart. It isn't the default: docs/presses.md
says why.
"""

from dataclasses import replace

from touchback.gallery.piano.parameters import Felts, Specification
from touchback.gallery.piano.touch import Pressed, Struck

# Chosen anew for the travel times:
PRESSED, STRUCK = Pressed(lag=0.0241, give=0.158e-3), Struck(lag=0.0141, give=4.7e-3)
# Parameters of the model with modes. Rigid contacts stand otherwise than cloth (with_modes.py): two
# screws [m] bring its blow and let-off to those of the full-contact model. The felt of this
# string gives 0.52 of a hammer's speed back at 0.7 m/s and 0.32 at 3.5 m/s.
WITH_MODES = {
    "capstan height": 0.025e-3, "let-off button height": 0.065e-3, "string restitution": 0.42,
}  # fmt: skip


def one_strike() -> Specification:
    """The regulation: a lighter hammer in tighter centres, a softer spring, an earlier let-off, a
    lever less high over its jack, felts that lose more where the hammer lands."""
    ours = Specification()
    c = ours.centres
    return replace(
        ours,
        dimensions=replace(
            ours.dimensions, key_capstan=0.124, whippen_arm=0.0605, knuckle_x=0.0177,
            knuckle_z=0.00583, knuckle_radius=0.004, jack_length=0.0533, jack_tilt=0.35,
            jack_back=0.00109, toe_x=-0.0178, toe_z=0.0029, lever_x=-0.0454, lever_z=0.0208,
            lever_tilt=0.326, lever_over_jack=0.111e-3, lever_stop=0.0164, drop_screw=0.00868,
        ),
        regulation=replace(
            ours.regulation, blow=42.6e-3, let_off=1.99e-3, drop=1.61e-3, check=13.6e-3,
            capstan_sag=0.279e-3, button_sag=0.231e-3,
        ),
        masses=replace(
            ours.masses, head=0.00511, leads=0.0388, lead_distance=0.131, whippen=0.020,
            jack=0.006, lever=0.009,
        ),
        felts=_felts(ours.felts),
        centres=replace(
            c, key=(5.31e-3, c.key[1]), whippen=(1.74e-3, c.whippen[1]),
            hammer=(2.2e-3, c.hammer[1]),
        ),
        springs=replace(ours.springs, lever=0.0276, lever_rate=0.154, jack=0.00707,
                        jack_rate=0.0369),
    )  # fmt: skip


def _felts(f: Felts) -> Felts:
    return replace(
        f,
        capstan=replace(f.capstan, force=13.8, hysteresis=8e-3, friction=0.196),
        jack=replace(f.jack, force=54.0, hysteresis=6e-3, friction=0.148),
        button=replace(f.button, force=14.4, hysteresis=1.72e-3),
        jack_stop=replace(f.jack_stop, hysteresis=1.03e-3),
        lever=replace(f.lever, force=30.3, hysteresis=6e-3, friction=0.148),
        drop_screw=replace(f.drop_screw, force=87.1),
        check=replace(f.check, force=18.6),
        string=replace(f.string, force=20.3, hysteresis=3.01e-4),
    )
