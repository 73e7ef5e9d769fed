"""Batches on a graphics card: what the processor computes, by the kernels' own text. Without a card
that text is compiled as C++ (`host_card`); with one, every test here runs on it too."""

import itertools
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import touchback as tb
from featured_models import FEATURES, compiled
from tests.batch.host_card import HostCard, HostCupy
from touchback.batch.gpu import gpu_executor, kernels
from touchback.batch.gpu.gpu_executor import find_device
from touchback.codegen.printers import cuda

COUNT = 131  # a block and a bit
NOT_THERE = ("rigid contacts",)
pytestmark = pytest.mark.usefixtures("card")


def arm(joints: int = 3) -> tb.System:
    """Links on hinges about x, y, z in turn, a live mass, a torque and a sensor."""
    m = tb.Model("arm")
    mass, torque = m.parameter("mass", 1.0, min=0.1, max=9.0), m.input("torque", unit="N m")
    brake = m.input("brake", unit="N m")
    link = m.ground
    for k in range(joints):
        before, link = link, m.body(f"link {k}", mass=mass, com=(0.1, 0, -0.2), inertia=(1, 2, 2.5))
        m.joint(
            f"hinge {k}", tb.Revolute("xyz"[k % 3]), before.at(0, 0, -0.4) if k else before, link
        )
    m.force("motor", tb.JointEffort("hinge 0", torque - brake))
    m.sensor("tip", tb.Position(link.at(0, 0, -0.4)))
    return m.compile()


@pytest.fixture(scope="module")
def system() -> tb.System:
    return arm()


def starts(system: tb.System, count: int = COUNT) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(count, len(system.state_names)))


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_a_card_computes_the_bits_of_the_processor(system, method) -> None:
    draw = np.random.default_rng(4)
    given = {
        "parameters": {"mass": draw.uniform(0.5, 2.0, COUNT)},
        "inputs": {"torque": draw.normal(size=(COUNT, 9)), "brake": [[0.5, 0.0, 1.0]]},
        "method": method, "step": 1e-3, "output_step": 4e-3,
    }  # fmt: skip
    x = starts(system)
    ran, usual = (system.batch(COUNT).run(x, 0.08, on=on, **given) for on in ("gpu", "cpu"))
    assert ran.card and not usual.card and ran.card in str(ran)
    assert ran.whole.all() and np.array_equal(ran.time, usual.time)
    # samples are found by their number instead of a search: rounding of the place in a cell
    assert np.abs(ran.record - usual.record).max() < 1e-13
    given["inputs"] = {"torque": draw.normal(size=COUNT)}
    ran, usual = (system.batch(COUNT).run(x, 0.08, on=on, **given) for on in ("gpu", "cpu"))
    assert np.array_equal(ran.record, usual.record) and np.array_equal(ran.x, usual.x)


@pytest.mark.parametrize("feature", [each for each in ("", *FEATURES) if each not in NOT_THERE])
def test_every_feature_counts_on_the_card(feature) -> None:
    """exp, log and their like may differ in the last bit."""
    model = compiled(feature)
    grid = {"step": 2e-3, **({"rate": 100.0} if feature == "memories" else {})}
    given = {"inputs": {"push": np.linspace(-2.0, 2.0, 5)}, **grid}
    given["parameters"] = {"stiffness": np.linspace(20.0, 80.0, 5)}
    ran, usual = (model.batch(5).run(None, 0.1, on=on, **given) for on in ("gpu", "cpu"))
    assert np.allclose(ran.record, usual.record, rtol=1e-11, atol=1e-13)


def test_quaternions_turn_on_the_card() -> None:
    m = tb.Model("top")
    top = m.body("top", mass=1.0, com=(0, 0, 0.3), inertia=(0.1, 0.1, 0.02))
    m.joint("ball", tb.Spherical(), m.ground, top)
    tail = m.body("tail", mass=0.2, com=(0, 0.1, -0.2), inertia=(0.03, 0.02, 0.02))
    m.joint("hook", tb.Spherical(), top.at(0, 0, 0.5), tail)  # whose rotation has 1 − 2 (y² + z²)
    spinning = m.compile()
    x = np.tile(spinning.initial_state().x, (5, 1))
    x[:, 8:] = np.random.default_rng(1).normal(size=(5, 6)) * 3
    for method in ("rk4", "euler"):
        ran, usual = (
            spinning.batch(5).run(x, 0.1, step=1e-3, method=method, on=on) for on in ("gpu", "cpu")
        )
        assert np.array_equal(ran.x, usual.x)
    coarse = spinning.batch(5).run(
        x, 0.1, step=1e-3, method=method, on="gpu", precision="single"
    )  # fmt: skip
    assert np.abs(coarse.x - usual.x).max() < 1e-4  # a hundred roundings of 6e-8, of speeds of 10


def test_single_precision_is_as_good_as_its_numbers(system) -> None:
    """Steps of 1 ms for 0.1 s: a hundred roundings of 6e-8, and of sines of 1e-7."""
    x = starts(system)
    ran = system.batch(COUNT).run(x, 0.1, step=1e-3, on="gpu", precision="single", record=["tip.x"])
    usual = system.batch(COUNT).run(x, 0.1, step=1e-3, record=["tip.x"])
    assert ran.record.dtype == np.float32
    assert np.abs(ran.x - usual.x).max() < 1e-4
    assert 1e-9 < np.abs(ran.record - usual.record).max() < 1e-4


def test_sines_of_single_precision_are_good_to_three_halves_of_a_ten_millionth() -> None:
    """At angles that floats hold, also far from zero: numbers near 1 are 6e-8 or 1.2e-7 apart."""
    m = tb.Model("wheel")
    rim = m.body("rim", mass=1.0, inertia=(1, 1, 1))
    m.joint("spin", tb.Revolute("z"), m.ground, rim)
    m.sensor("mark", tb.Position(rim.at(1, 0, 0)))
    draw = np.random.default_rng(2)
    angle = np.concatenate([draw.uniform(-top, top, 3000) for top in (4.0, 1e3, 1e6)])
    x = np.stack([angle.astype(np.float32).astype(float), 0 * angle], axis=1)
    mark = m.compile().batch(len(x)).run(
        x, 1e-3, step=1e-3, on="gpu", precision="single", record=["mark.x", "mark.y"]
    )  # fmt: skip
    wanted = np.stack([np.cos(x[:, 0]), np.sin(x[:, 0])], axis=1)
    assert np.abs(mark.record[:, 0] - wanted).max() < 1.5e-7


@pytest.mark.parametrize("count", [2, 131, 600])
def test_functions_in_single_precision_too_alone_and_in_pairs(count, system) -> None:
    """An even number of instances goes by two a thread: a last block that isn't full, and one more
    than a block. Sums of some thirty numbers, rounded to 6e-8 each."""
    x, tau = starts(system, count), np.random.default_rng(6).normal(size=(count, 3))
    wanted = system.forward_dynamics(x[:, :3], x[:, 3:], tau)
    many = system.batch(count)
    found = many.evaluate("forward dynamics", x, further=tau, on="gpu", precision="single")
    assert found.dtype == np.float32
    assert np.abs(found - wanted).max() < 3e-6 * np.abs(wanted).max()
    M = many.evaluate("mass matrix", x, on="gpu", precision="single")
    assert np.abs(M - system.mass_matrix(x[:, :3])).max() < 3e-6 * np.abs(M).max()


def test_numbers_that_stay_the_same_go_to_the_card_once(card) -> None:
    few, many = np.arange(5.0), np.arange(5000.0)
    assert card.upload(few) is card.upload(few.copy())
    assert card.upload(few) is not card.upload(few + 1)
    assert card.upload(few) is not card.upload(few.astype(np.float32))
    assert card.upload(many) is not card.upload(many.copy())
    turned = np.arange(6.0).reshape(2, 3).T
    assert np.array_equal(card.cupy.asnumpy(card.upload(turned)), turned)


def forget_kernels() -> None:
    for each in (kernels.rollout_kernel, kernels.evaluation, kernels.evaluation_of_pairs):
        each.cache_clear()


@pytest.fixture
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(kernels, "LONG", 10)
    monkeypatch.setattr(kernels, "_HELD", {"double": 4, "float": 4})
    monkeypatch.setattr(cuda, "RELOAD_AFTER", 5)
    forget_kernels()
    yield
    forget_kernels()


def test_long_programs_keep_states_in_the_memory_of_their_block(everything_is_long, system) -> None:
    x = starts(system)
    for method in ("rk4", "euler"):
        ran, usual = (
            system.batch(COUNT).run(x, 0.02, step=1e-3, method=method, on=on)
            for on in ("gpu", "cpu")
        )
        assert np.array_equal(ran.record, usual.record)


@pytest.mark.parametrize("feature", ["joint laws", "felts", "controls", "balls"])
def test_long_programs_of_other_kinds_compute_the_same(everything_is_long, feature) -> None:
    """Angles, constants and arguments lie elsewhere then."""
    model = compiled(feature)
    given = {"inputs": {"push": np.linspace(-2.0, 2.0, 5)}, "step": 2e-3}
    ran, usual = (model.batch(5).run(None, 0.05, on=on, **given) for on in ("gpu", "cpu"))
    assert np.allclose(ran.record, usual.record, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("length", ["short", "long"])
def test_sines_of_sines_and_bare_sines_are_found_on_the_card(length, request) -> None:
    """Those whose angle needs another one can't be computed first; an output may be one itself."""
    if length == "long":
        request.getfixturevalue("everything_is_long")
    m = tb.Model("wound")
    disc = m.body("disc", mass=2.0, inertia=(1, 1, 0.5))
    m.joint("spin", tb.Revolute("z"), m.ground, disc)
    angle, push = m.coordinate("spin"), m.input("push")
    m.force("odd", tb.JointEffort("spin", -tb.sin(angle + tb.sin(push))))
    m.sensor("rim", tb.Position(disc.at(1, 0, 0)))
    model = m.compile()
    x, push_of = np.random.default_rng(8).normal(size=(5, 2)), np.linspace(-2.0, 2.0, 5)
    ran, usual = (
        model.batch(5).run(x, 0.05, step=1e-3, inputs={"push": push_of}, on=on)
        for on in ("gpu", "cpu")
    )
    assert np.array_equal(ran.record, usual.record)


def test_one_that_becomes_no_number_stops_on_the_card_too(system) -> None:
    x = starts(system)
    x[5, 3] = 1e200
    ran, usual = (
        system.batch(COUNT).run(x, 0.05, step=1e-3, output_step=2e-3, on=on)
        for on in ("gpu", "cpu")
    )
    assert list(ran.failed) == [5] == list(usual.failed) and ran.ended[5] == usual.ended[5]
    assert np.array_equal(ran.record, usual.record, equal_nan=True)
    assert np.array_equal(ran.x, usual.x)


@pytest.mark.parametrize("length", ["short", "long"])
def test_functions_are_evaluated_at_the_states_of_all_instances(length, system, request) -> None:
    if length == "long":
        request.getfixturevalue("everything_is_long")
    x, tau = starts(system), np.random.default_rng(6).normal(size=(COUNT, 3))
    wanted = system.forward_dynamics(x[:, :3], x[:, 3:], tau)
    for on in ("gpu", "cpu"):
        found = system.batch(COUNT).evaluate("forward dynamics", x, further=tau, on=on)
        assert np.array_equal(found, wanted)
        M = system.batch(COUNT).evaluate("mass matrix", x, on=on)
        assert np.array_equal(M, system.mass_matrix(x[:, :3]))
    with pytest.raises(tb.InputError, match=r"x: an array of shape \(131, 6\) is expected"):
        system.batch(COUNT).evaluate("bias", x[:4])
    with pytest.raises(tb.InputError, match="its further argument, 3 numbers, is needed"):
        system.batch(COUNT).evaluate("forward dynamics", x)
    with pytest.raises(tb.InputError, match=r"further: an array of shape \(131, 3\) is expected"):
        system.batch(COUNT).evaluate("forward dynamics", x, further=tau[:5])


def test_functions_of_more_than_one_piece_give_each_instance_its_own_results(
    system, everything_is_long, monkeypatch
) -> None:
    """Compilers take the longest programs in pieces, which write where all of them do."""
    monkeypatch.setattr(cuda, "CHUNK_LENGTH", 50)
    x, tau = starts(system), np.random.default_rng(6).normal(size=(COUNT, 3))
    found = system.batch(COUNT).evaluate("forward dynamics", x, further=tau, on="gpu")
    assert np.array_equal(found, system.forward_dynamics(x[:, :3], x[:, 3:], tau))


def test_states_that_lie_on_a_card_stay_there(card, system) -> None:
    if isinstance(card, HostCard):
        pytest.skip("needs a card's memory")
    cupy = card.cupy
    x = cupy.asarray(starts(system))
    ran = system.batch(COUNT).run(x, 0.02, step=1e-3, on="gpu", record=["tip.x"])
    assert isinstance(ran.x, cupy.ndarray) and isinstance(ran["tip.x"], cupy.ndarray)
    again = system.batch(COUNT).run(ran.x, 0.02, step=1e-3, on="gpu", record=[])
    usual = system.batch(COUNT).run(x.get(), 0.04, step=1e-3, record=[])
    assert np.array_equal(again.x.get(), usual.x)
    with pytest.raises(tb.InputError, match="x0 lies on a graphics card: give on='gpu'"):
        system.batch(COUNT).run(x, 0.02)
    with pytest.raises(tb.InputError, match=r"of shape \(131, 6\) is expected"):
        system.batch(COUNT).run(x[:3], 0.02, on="gpu")
    torch = pytest.importorskip("torch")
    own = torch.from_dlpack(ran.x)
    assert own.is_cuda and system.batch(COUNT).run(own, 0.02, on="gpu").whole.all()


def test_instances_that_end_midway_are_recorded_until_then_on_the_card_too() -> None:
    """ẍ = √(patience − t) is no number after its patience; x = ẋ₀ t + … until there. Rows are two
    steps apart."""
    m = tb.Model("runner")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("runner", mass=1.0))
    m.force("drive", tb.JointEffort("x", tb.sqrt(m.parameter("patience", 1.0) - m.time)))
    system, patience = m.compile(), np.array([0.0105, 0.0205, 0.0305, 1.0])
    given = {"step": 1e-3, "output_step": 2e-3, "parameters": {"patience": patience}}
    ran, usual = (system.batch(4).run(None, 0.04, on=on, **given) for on in ("gpu", "cpu"))
    assert ran.card and list(ran.failed) == [0, 1, 2] == list(usual.failed)
    np.testing.assert_allclose(ran.ended, [0.010, 0.020, 0.030, 0.040], rtol=1e-12)
    assert np.array_equal(np.isfinite(ran["x"]), ran.time <= ran.ended[:, None] + 1e-9)
    assert np.array_equal(ran.record, usual.record, equal_nan=True)


def test_progress_is_told_of_steps_that_the_card_has_done(monkeypatch, system) -> None:
    """Launches return at once: each is waited for, or Ctrl-C would be heard after all of them."""
    card, seen = HostCard(), []
    stream = type(card.cupy.cuda.get_current_stream())
    launch, wait = HostCard.launch, stream.synchronize
    monkeypatch.setattr(gpu_executor, "find_device", lambda: card)
    monkeypatch.setattr(gpu_executor, "_A_PART", 0.0)  # s: launches of 16 steps
    monkeypatch.setattr(HostCard, "launch", lambda *a: seen.append("launched") or launch(*a))
    monkeypatch.setattr(stream, "synchronize", lambda self: seen.append("done") or wait(self))
    system.batch(2).run(None, 0.064, step=1e-3, on="gpu", progress=seen.append)
    shares = [each for each in seen if isinstance(each, float)]
    assert seen.count("launched") == 4 and shares[-1] == 1.0 and len(set(shares)) > 3
    for before, each in itertools.pairwise(seen):
        assert before != "launched" or each == "done"


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (None, "CuPy isn't installed, which the extra `gpu` brings"),
        (HostCupy(), r"no graphics card answers \(.*runtime"),
    ],
)
def test_why_no_card_is_found_is_told_by_a_batch_that_asks_for_one(
    there, why, monkeypatch, system
) -> None:
    """Without CuPy (`None` among modules makes its import fail), and with one that has no card."""
    monkeypatch.setitem(sys.modules, "cupy", there)
    monkeypatch.setattr(gpu_executor, "find_device", find_device.__wrapped__)
    with pytest.warns(RuntimeWarning, match=why):
        ran = system.batch(2).run(starts(system, 2), 0.01, step=1e-3, on="gpu")
    assert ran.whole.all() and not ran.card


def test_without_a_card_the_processor_runs_it_and_says_so(monkeypatch, system) -> None:
    monkeypatch.setattr(gpu_executor, "find_device", lambda: "CuPy isn't installed")
    with pytest.warns(RuntimeWarning, match="by the processor, in double .* CuPy isn't installed"):
        ran = system.batch(2).run(starts(system, 2), 0.01, step=1e-3, on="gpu")
    assert ran.whole.all() and not ran.card
    with pytest.warns(RuntimeWarning, match="only methods 'rk4' and 'euler' run there, not 'dop"):
        system.batch(2).run(None, 0.01, on="gpu", method="dopri5", output_step=1e-3)
    with pytest.warns(RuntimeWarning, match="in double precision: single precision needs on='gpu'"):
        system.batch(2).run(starts(system, 2), 0.01, step=1e-3, precision="single")
    with pytest.warns(RuntimeWarning, match="by partitioning, .* not by 'penalty'"):
        tied = compiled("closures").batch(2)
        tied.run(None, 0.01, on="gpu", step=1e-3, constraints="penalty")


def test_words_that_are_none_are_refused(system) -> None:
    with pytest.raises(tb.InputError, match="on: 'cpu' or 'gpu' is expected, got 'tpu'"):
        system.batch(1).run(None, 0.1, on="tpu")
    with pytest.raises(tb.InputError, match="precision: 'double' or 'single' is expected, got 'f1"):
        system.batch(1).run(None, 0.1, precision="f16")
