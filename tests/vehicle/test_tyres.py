"""Tyres against closed forms, bristles integrated one by one, and themselves on a tape."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dual_numbers import Dual
from touchback.codegen import compile_program
from touchback.errors import ModelError
from touchback.symbolic.expression import Expr
from touchback.symbolic.program import lower
from touchback.symbolic.tape import Tape
from touchback.vehicle.tyres import (
    BUGGY_TYRE,
    BrushTyre,
    Contact,
    LinearTyre,
    MagicFormula,
    Tyre,
    parse_tir,
)
from touchback.vehicle.tyres.magic_formula_equations import load as loaded

MF = MagicFormula.read(BUGGY_TYRE)
SPUN = MagicFormula.read(BUGGY_TYRE, turn_slip=True)
NUMBERS = dict(MF.numbers)
OLD = MagicFormula({**NUMBERS, "PHY3": 0.02, "PTX1": 1.5, "PTY1": 2.0, "PTY2": 2.0}, "5.2")
NEW = MagicFormula({**NUMBERS, "Q_CAM1": 0.5, "Q_CAM2": 0.1, "Q_FCY2": 0.1, "Q_FYS1": 0.2}, "6.2")
BRUSH = BrushTyre(slip_stiffness=90000.0, cornering_stiffness=60000.0)
TYRES: dict[str, Tyre] = {
    "6.1": MF, "turn slip": SPUN, "5.2": OLD, "6.2": NEW, "brush": BRUSH, "linear": LinearTyre()
}  # fmt: skip


def test_slopes_at_no_slip_are_the_stiffness_that_the_tyre_tells() -> None:
    for name, tyre in TYRES.items():
        contact = Contact(2500.0)
        along, across = tyre.stiffness(contact)
        fx = tyre.grip(replace(contact, slip=Dual(0.0, 1.0))).fx
        fy = tyre.grip(replace(contact, slip_angle=Dual(0.0, 1.0))).fy
        assert_allclose([fx.tangent, -fy.tangent], [along, across], rtol=1e-6, err_msg=name)


def test_the_highest_forces_are_friction_times_load() -> None:
    slips = np.linspace(-1.0, 1.0, 20001)
    for tyre in (MF, OLD, NEW):
        c, share = tyre.known, 4000.0 / 2500.0 - 1.0
        fx = tyre.grip(Contact(4000.0, slip=slips)).fx
        fy = tyre.grip(Contact(4000.0, slip_angle=slips)).fy
        assert_allclose(fx.max(), (c.PDX1 + c.PDX2 * share) * 4000.0, rtol=1e-6)
        assert_allclose(fy.max(), (c.PDY1 + c.PDY2 * share) * 4000.0, rtol=1e-6)


def test_braking_takes_side_force_away_and_grip_scales_both() -> None:
    rolling = MF.grip(Contact(2500.0, slip_angle=-0.1))
    braking = MF.grip(Contact(2500.0, slip=-0.3, slip_angle=-0.1))
    assert 0.0 < braking.fy < 0.5 * rolling.fy and braking.fx < -1000.0
    slips = np.linspace(0.0, 1.0, 5001)
    wet, dry = (MF.grip(Contact(2500.0, slip=slips, grip=share)).fx for share in (0.4, 1.0))
    assert_allclose(wet.max() / dry.max(), 0.4, rtol=1e-6)  # the peak, at the same stiffness
    assert_allclose(wet[1] / dry[1], 1.0, rtol=1e-4)


def test_a_small_camber_is_the_same_as_spin_and_as_camber() -> None:
    """(4.89): with R₀ φ = (1 − ε_γ) sin γ, turn slip's equations give K_yγ0 γ and K_zγ0 γ back."""
    tyres = [
        MagicFormula(
            {**NUMBERS, "PHYP4": 0.0, "QBZ10": 0.0, "QDZ1": 0.0, "QDZ8": -0.1}, "6.1", spun
        )
        for spun in (False, True)
    ]
    gamma = 1e-6
    leaned, spun = (t.grip(Contact(2500.0, camber=gamma)) for t in tyres)
    # camber's own thrust: PKY6 F_z γ at the nominal load
    assert_allclose(leaned.fy, -0.9 * 2500.0 * gamma, rtol=1e-4)
    assert_allclose(spun.fy, leaned.fy, rtol=1e-4)
    assert_allclose(spun.mz, leaned.mz, rtol=1e-4)


def test_a_wheel_turned_on_the_spot_resists_with_the_parking_moment() -> None:
    """M_zφ∞ = q_Crφ1 μ R₀ F_z √(F_z/F_z0) (4.95) is where it tends to, against the turning."""
    tyre = MagicFormula({**NUMBERS, "QDZ8": -1.0, "QBZ10": 0.0, "QBZ9": 0.0}, "6.1", turn_slip=True)
    turned = [tyre.grip(Contact(2500.0, turn_slip=phi, speed=2.0, rolling=2.0)).mz
              for phi in (-1e4, 1e4)]  # fmt: skip
    c = tyre.known
    most = c.QCRP1 * c.PDY1 * c.UNLOADED_RADIUS * 2500.0
    assert_allclose(turned, [most, -most], rtol=5e-3)


def test_pressure_stiffens_the_carcass_and_bends_the_cornering_stiffness() -> None:
    contact = Contact(2500.0, pressure=1.2 * 180000.0)
    soft, hard = MF.carcass(Contact(2500.0), 0.0), MF.carcass(contact, 0.0)
    # eq. 5: 1 + 0.8 · 0.2, of which the load is a quadratic function
    assert hard.deflection < soft.deflection
    assert_allclose(MF.load(hard.deflection, 0.0, 0.0, 216000.0), 2500.0, rtol=1e-12)
    assert_allclose(hard.relaxation_x / soft.relaxation_x, (1 - 0.3 * 0.2) / (1 + 0.3 * 0.2))


@pytest.mark.parametrize("tyre", [MF, NEW], ids=["6.1", "6.2"])
def test_load_and_deflection_are_inverse_to_each_other(tyre: MagicFormula) -> None:
    for load, camber in ((500.0, 0.0), (2500.0, 0.08), (6000.0, -0.05)):
        contact = Contact(load, camber=camber)
        depth, grip = tyre.carcass(contact, 9.0).deflection, tyre.grip(contact)
        back = loaded(tyre.known, depth, 9.0, camber, 180000.0, grip.fx, grip.fy)
        assert_allclose(back, load, rtol=1e-9)
    assert tyre.load(-0.01, 0.0, 0.1, 180000.0) == 0.0  # off the road


def test_the_shoulder_of_a_cambered_6_2_tyre_is_pressed_deeper() -> None:
    """By (R_l/R_Ω)² b_t/8 |tan γ| with q_cam1 alone, b_t = (1.075 − 0.5 · aspect) · width."""
    tyre = MagicFormula({**NUMBERS, "Q_CAM1": 0.5}, "6.2")
    radius, depth, camber = tyre.free_radius(), 0.01, 0.05
    tread = (1.075 - 0.5 * 0.80) * 0.155
    deeper = ((radius - depth) / radius) ** 2 * tread / 8.0 * np.tan(camber)
    leaning = tyre.load(depth, 0.0, -camber, 180000.0)
    assert_allclose(leaning, tyre.load(depth + deeper, 0.0, 0.0, 180000.0), rtol=1e-12)
    assert deeper > 6e-4


def test_a_tyre_pressed_to_its_rim_becomes_as_stiff_as_the_rim() -> None:
    depth = 0.289 - 0.1651 - 0.02
    stiffness = (
        MF.load(depth + 1e-3, 0.0, 0.0, 180000.0) - MF.load(depth, 0.0, 0.0, 180000.0)
    ) * 1e3
    assert 1.5e6 < stiffness < 2.2e6  # BOTTOM_STIFF besides that of the tyre itself


@pytest.mark.parametrize("version", ["5.2", "6.1", "6.2"])
def test_nothing_is_singular_down_to_standstill(version: str) -> None:
    tyre = {"5.2": OLD, "6.1": SPUN, "6.2": NEW}[version]
    for speed in (1.0, 1e-3, 1e-9, 0.0, -0.5):
        for load in (2500.0, 50.0, 0.0):
            contact = Contact(load, 0.3, -0.2, 0.05, 0.1, speed, speed).slowed(tyre.slow())
            grip = tyre.grip(contact)
            found = [grip.fx, grip.fy, grip.mx, grip.my, grip.mz]
            assert np.isfinite(found).all(), (speed, load)
    rest = tyre.grip(Contact(2500.0, 0.3, -0.2, 0.0, 0.0, 0.0, 0.0).slowed(tyre.slow()))
    assert_allclose([rest.fx, rest.fy, rest.my, rest.mz], 0.0, atol=1e-9)  # no slip, no force


@pytest.mark.parametrize("name", TYRES)
def test_the_same_lines_run_as_machine_code(name: str) -> None:
    """What checks with floats is what runs in the tick."""
    tyre = TYRES[name]
    values = {"load": 2345.6, "slip": -0.07, "slip_angle": 0.11, "camber": 0.03, "turn_slip": 0.02,
              "speed": 13.0, "rolling": 12.5, "pressure": 190000.0, "grip": 0.9}  # fmt: skip
    tape = Tape()
    symbols = {key: tape.symbol(key) for key in values}
    written = tyre.grip(Contact(**{key: Expr(tape, node) for key, node in symbols.items()}))
    plain = tyre.grip(Contact(**values))
    outputs = [getattr(written, name) for name in ("fx", "fy", "mx", "my", "mz")]
    nodes = [each.id if isinstance(each, Expr) else tape.const(each) for each in outputs]
    places = {node: ("x", i) for i, node in enumerate(symbols.values())}
    program = lower(tape, nodes, places)
    found = compile_program(program).call(list(values.values()))
    # fused multiplications round once, Python's twice
    assert_allclose(found, [plain.fx, plain.fy, plain.mx, plain.my, plain.mz], rtol=1e-12)


def bristles(tyre: BrushTyre, load: float, slip: float, alpha: float) -> tuple[float, float, float]:
    """Forces and moment of a patch: each bristle sticks until its share of friction lets it go."""
    a, n = tyre.patch, 20000
    s = (np.arange(n) + 0.5) * 2 * a / n  # from the leading edge
    pressure = 0.75 * load / a * (1.0 - ((a - s) / a) ** 2)
    per_length = np.array([tyre.slip_stiffness, tyre.cornering_stiffness]) / (2 * a * a)
    per_length *= load / tyre.nominal_load
    slips = np.array([slip, -np.tan(alpha)]) / (1.0 + slip)
    stuck = per_length[:, None] * slips[:, None] * s
    limit = tyre.friction * pressure
    force = stuck * np.minimum(1.0, limit / np.maximum(np.hypot(*stuck), 1e-12))
    fx, fy = force.sum(axis=1) * 2 * a / n
    return fx, fy, float(((a - s) * force[1]).sum() * 2 * a / n)


@pytest.mark.parametrize("slip, alpha", [(0.0, 0.05), (0.02, 0.0), (-0.05, 0.08), (0.5, -0.6)])
def test_the_brush_is_the_sum_of_its_bristles(slip: float, alpha: float) -> None:
    grip = BRUSH.grip(Contact(3000.0, slip, alpha))
    assert_allclose(
        [grip.fx, grip.fy], bristles(BRUSH, 3000.0, slip, alpha)[:2], rtol=1e-5, atol=1e-6
    )
    if slip == 0.0:
        assert_allclose(grip.mz, bristles(BRUSH, 3000.0, slip, alpha)[2], rtol=1e-4)


@pytest.mark.parametrize("name", ["6.1", "brush", "linear"])
def test_rolling_backward_is_rolling_forward_seen_in_a_mirror(name: str) -> None:
    """One that stands across the car: what is ahead is behind, so the patch's leading edge, too.
    A standing tyre is pushed aside as a whole, without a trail."""
    forward = TYRES[name].grip(Contact(3000.0, -0.05, 0.03, speed=10.0, rolling=9.5))
    backward = TYRES[name].grip(Contact(3000.0, 0.05, 0.03, speed=-10.0, rolling=-9.5))
    mirrored = [-backward.fx, backward.fy, -backward.my, -backward.mz]
    assert_allclose(mirrored, [forward.fx, forward.fy, forward.my, forward.mz], rtol=1e-12)
    assert forward.mz > 0.0
    assert TYRES[name].grip(Contact(3000.0, 0.0, 0.03, speed=0.0, rolling=0.0)).mz == 0.0


def test_a_locked_wheel_slides_on_all_bristles_against_its_way() -> None:
    grip = BRUSH.grip(Contact(3000.0, slip=-1.0, slip_angle=0.4))
    assert_allclose(np.hypot(grip.fx, grip.fy), 3000.0, rtol=1e-9)
    falling = replace_friction(BRUSH, 0.7).grip(Contact(3000.0, slip=-1.0))
    assert_allclose(falling.fx, -2100.0, rtol=1e-9)


def replace_friction(tyre: BrushTyre, sliding: float) -> BrushTyre:
    return BrushTyre(
        slip_stiffness=tyre.slip_stiffness,
        cornering_stiffness=tyre.cornering_stiffness,
        sliding_friction=sliding,
    )


def test_impossible_tyres_are_refused_by_name() -> None:
    with pytest.raises(ModelError, match="PCX1 must be given"):
        MagicFormula({k: v for k, v in NUMBERS.items() if k != "PCX1"})
    with pytest.raises(ModelError, match="no 'PCXX1' is known; did you mean 'PCX1'"):
        MagicFormula({**NUMBERS, "PCXX1": 1.0})
    with pytest.raises(ModelError, match="turn slip needs PHYP1"):
        MagicFormula({k: v for k, v in NUMBERS.items() if k != "PHYP1"}, turn_slip=True)
    with pytest.raises(ModelError, match=r"BrushTyre: its friction: a number > 0.0 .* got -1"):
        BrushTyre(friction=-1.0)


def test_the_shipped_file_is_read_whole() -> None:
    file = parse_tir(BUGGY_TYRE.read_text())
    assert file.version == "6.1" and file.unknown == ()
