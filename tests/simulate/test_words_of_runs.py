"""What runs say of themselves, and from which number on: diagnostics, failures, chattering."""

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.native import Status
from touchback.recording import EventRecord, TransitionRecord
from touchback.simulate import contact_stepper
from touchback.simulate.constraint_switching import _impact, _inputs_of, _label, _statistics
from touchback.simulate.contact_response import Gains, Outcome, decide_contact_states
from touchback.simulate.drive_jumps import (
    RateJump,
    _jumps,
    _seconds,
    jump_diagnostics,
    parting_refusal,
    warn_of_jumps,
)
from touchback.simulate.energy_meter import ContactRowEnergies, EnergyAccount
from touchback.simulate.event_driven_contact import ContactMonitor
from touchback.simulate.mode_stepper import (
    Chattering,
    _joined,
    crowding_time,
    describe_chattering,
    indicator_failure,
    mode_entry_failure,
)
from touchback.simulate.run_diagnostics import (
    _label as label_of,
    constraint_diagnostics,
    warn_when_astray,
    warn_when_open,
)
from touchback.simulate.run_failure import cut_where_not_finite, fastest, not_finite
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.run_stepper import _distinct
from touchback.simulate.solvers import METHODS
from touchback.simulate.time_span import Trajectory
from touchback.simulate.time_stepping_contact import MoreauJean, _stepping_failure
from touchback.system import DISSIPATED, WORK

FINE = {"largest_h": 1e-11, "singular": 0, "not_converged": 0, "paradoxes": 0}

# ---- constraints ---------------------------------------------------------------------------------


def said(formulation: str = "multipliers", **counts: float) -> list[str]:
    return constraint_diagnostics(formulation, FINE | counts)


def test_constraints_that_are_kept_give_no_word() -> None:
    assert said() == said(largest_h=1e-10) == []
    (drifted,) = said(largest_h=1.01e-10)
    assert drifted.startswith("'multipliers' left the constraints by up to 1.0e-10 m (or rad)")
    assert drifted.endswith("or constraints='partitioning' or 'projection'.")
    assert said("projection", largest_h=1.0)[0].endswith("or constraints='partitioning'.")
    assert len(said(largest_h=np.nan)) == 1
    assert said(singular=1)[0].startswith("Once the mechanism was at")
    assert said(not_converged=3)[0].startswith("3 times the position constraints could not")
    (paradox,) = constraint_diagnostics("multipliers", FINE | {"paradoxes": 2}, ["a", "a", "b"])
    assert paradox.startswith("2 times the friction of 'a', 'b' was so strong")
    (shared,) = constraint_diagnostics("multipliers", FINE, shared=["a", "a"])
    assert shared.startswith("The force of constraint 'a' rubs")
    assert len(constraint_diagnostics("multipliers", FINE, undetermined=["a", "b"])) == 1


@pytest.mark.parametrize(
    "counts, warned",
    [
        ({}, False), ({"largest_h": 1e-6}, False), ({"largest_h": 1.01e-6}, True),
        ({"largest_h": np.nan}, True), ({"not_converged": 1}, True), ({"paradoxes": 1}, True),
        ({"singular": 5}, False),
    ],
)  # fmt: skip
def test_runs_warn_where_they_are_astray(counts: dict[str, float], warned: bool) -> None:
    about = {"statistics": FINE | counts, "diagnostics": ["first.", "second."]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_when_astray("cart", about)
        warn_when_astray("cart", {"statistics": {"steps": 1.0}})
    assert [str(each.message) for each in caught] == ["cart: first. second."] * warned


def test_starts_warn_where_constraints_are_a_millimetre_open() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_when_open("cart", 1e-3)
        assert caught == []
        warn_when_open("cart", 1.1e-3)
    assert "breaks the constraints by up to 0.0011 m" in str(caught[0].message)


def test_signals_of_one_name_are_told_apart_by_their_kind() -> None:
    labels = [("state", "a", "m"), ("input", "a", "N"), ("output", "b", ""), ("output", "a", "")]
    assert list(_distinct(labels)) == ["a", "a (input)", "b", "a (output)"]
    run: Any = SimpleNamespace(names=["a", "a (input)", "b"])
    assert [label_of(run, name, "input") for name in "ab"] == ["a (input)", "b"]


# ---- failures ------------------------------------------------------------------------------------


class Posed:
    """A problem of a given rate."""

    def __init__(self, *rate: float) -> None:
        self._rate = np.array(rate)

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        return self._rate


def test_what_changes_fastest_for_its_size_is_named() -> None:
    posed: Any = Posed(10.0, -1.0, 5.0)
    x = np.array([100.0, 0.0, -0.5])
    # 10/100.001, 1/0.001 and 5/0.501
    assert fastest(posed, "abc", 0.0, x) == "'b' changes fastest (0)"
    x[1] = 1.0
    assert fastest(posed, "abc", 0.0, x) == "'c' changes fastest (-0.5)"
    broken: Any = Posed(1.0, np.nan, np.inf)
    assert fastest(broken, "abc", 0.0, x).startswith("'b'")
    assert not_finite(broken, "abc", 2.0, x, 2, "mend").what == "the rate of 'b' is nan"
    told = not_finite(posed, "abc", 2.0, x, 2, "mend")
    assert (told.time, told.what, told.mend) == (
        2.0, "'c' stops being a finite number after -0.5", "mend",
    )  # fmt: skip


def test_a_trajectory_ends_before_what_is_no_number() -> None:
    posed: Any = Posed(1.0, 1.0)
    states = np.array([[0.0, 1.0], [2.0, 3.0], [np.inf, 5.0], [6.0, np.nan]])
    found = Trajectory(np.arange(4.0), states.copy())
    cut_where_not_finite(posed, "ab", found, "mend")
    assert found.times.tolist() == [0.0, 1.0] and found.failure is not None
    assert found.failure.time == 1.0 and "'a' stops being a finite number after 2" in (
        found.failure.what
    )
    first = Trajectory(np.arange(2.0), np.array([[0.0, np.nan], [1.0, 1.0]]))
    cut_where_not_finite(posed, "ab", first, "mend")
    assert len(first.times) == 1 and first.failure is not None
    whole = Trajectory(np.arange(2.0), np.ones((2, 2)))
    cut_where_not_finite(posed, "ab", whole, "mend")
    assert whole.failure is None and len(whole.times) == 2


def test_steps_that_did_not_settle_are_counted() -> None:
    assert _stepping_failure(1.0, Status.REACHED, 0) is None
    told = _stepping_failure(1.0, Status.REACHED, 3)
    assert told is not None and told.whole and "the impulses of 3 steps" in told.what
    broken = _stepping_failure(1.0, Status.NOT_FINITE, 0)
    assert broken is not None and not broken.whole and broken.time == 1.0


def test_time_stepping_counts_whole_steps() -> None:
    solver = MoreauJean(step=0.1)
    assert [solver.count(duration) for duration in (0.1, 0.26, 1.0)] == [1, 3, 10]
    with pytest.raises(tb.InputError, match=r"step 0\.1 s is longer than the duration 0\.04 s"):
        solver.count(0.04)
    for theta in (0.0, 1.0):
        assert MoreauJean(theta=theta).theta == theta
    for theta in (-0.01, 1.01):
        with pytest.raises(tb.InputError, match="theta lies between 0 and 1"):
            MoreauJean(theta=theta)
    contacts: Any = {"a": None, "b": None}
    MoreauJean(step=1.0, contacts=contacts).refuse_excess(1e7, 4)
    with pytest.raises(tb.InputError, match="rows of 10 numbers"):
        MoreauJean(step=1.0, contacts=contacts).refuse_excess(1.00001e7, 4)


# ---- modes ---------------------------------------------------------------------------------------


def transition(time: float, source: str = "a", target: str = "b") -> TransitionRecord:
    return TransitionRecord(time, source, target, f"to {target}", 0.0)


def test_sixty_four_transitions_within_a_moment_are_a_crowd() -> None:
    assert [crowding_time(duration) for duration in (1.0, 10.0, 100.0)] == [1e-5, 1e-4, 1e-4]
    watch = Chattering(0.63)
    for k in range(63):
        watch.note(transition(0.01 * k))
        assert not watch.is_crowded
    watch.note(transition(0.63))
    assert watch.is_crowded  # the first and the last are as far apart as the moment is long
    watch.note(transition(0.65))
    assert not watch.is_crowded
    watch.clear()
    assert not watch.is_crowded
    two = [transition(0.0), transition(0.25, "b", "a"), transition(0.5)]
    assert describe_chattering(two) == (
        "modes 'a' and 'b' alternate 3 times within 0.5 s, by 'to b' and 'to a'"
    )
    one = [transition(1.0, "a", "a"), transition(1.125, "a", "a")]
    assert describe_chattering(one) == (
        "mode 'a' is left and entered again 2 times within 0.12 s, by 'to a'"
    )


def test_failures_of_modes_name_the_transition_and_both_modes() -> None:
    exits = [SimpleNamespace(name="leave", data=SimpleNamespace(target=1))]
    every: Any = [SimpleNamespace(name="free", exits=exits), SimpleNamespace(name="held", exits=[])]
    told = mode_entry_failure(every, 0.5, 0, 0, 0.0125)
    assert told.time == 0.5 and told.what == (
        "mode 'held' can't begin: its constraints are open by 0.0125 m (or rad) when transition "
        "'leave' leads to it"
    )
    assert "can't be met from there" in mode_entry_failure(every, 0.5, 0, 0, np.inf).what
    assert "`when` of transition 'leave' isn't a number in mode 'free'" in (
        indicator_failure(every, 0.5, 0, 0).what
    )


def test_parts_of_a_run_are_joined_with_their_counts() -> None:
    parts = [
        Trajectory(np.array([0.0, 1.0]), np.array([[1.0], [2.0]]), {"steps": 2, "a": 1}),
        Trajectory(np.array([1.0]), np.array([[3.0]]), {"steps": 3}),
    ]
    found = _joined(parts, None)
    assert found.times.tolist() == [0.0, 1.0, 1.0] and found.states.tolist() == [[1], [2], [3]]
    assert found.statistics == {"steps": 5, "a": 1}


# ---- switches and drives -------------------------------------------------------------------------


def test_statistics_of_parts_are_largest_or_summed() -> None:
    def run(**about: Any) -> Any:
        return SimpleNamespace(metadata=about)

    runs = [
        run(statistics={"steps": 2, "largest_h": 0.5, "step": 0.1}, knots=3),
        run(statistics={"steps": 3, "largest_h": 0.25, "events": 1}, knots=4),
    ]
    assert _statistics(runs) == {"steps": 5, "largest_h": 0.5, "step": 0.1, "events": 1}
    assert _inputs_of(runs) == {"knots": 7}
    impulses = {"push": {"given": 1.0, "seen": 2.0}}
    both = [run(input_impulses=impulses), run(), run(input_impulses=impulses)]
    assert _inputs_of(both) == {"input_impulses": {"push": {"given": 2.0, "seen": 4.0}}}
    switch = {"activate": ["a"], "deactivate": ["b", "c"]}
    assert _label(switch) == "switch +a -b -c"
    balance = _impact("x", 0.5)
    assert balance.stored == {"kinetic": -0.5} and balance.impacts == {"x": 0.5}
    for name in ("activate", "deactivate"):
        with pytest.raises(tb.InputError, match=rf"{name} takes several names; give \['a'\]"):
            tb.Switch(1.0, **{name: "a"})
    with pytest.raises(tb.InputError, match="at is a time"):
        tb.Switch(np.inf)


def test_jumps_beyond_rounding_are_told() -> None:
    first = np.array([0.0, 1.0, 1.0, 1000.0])
    then = np.array([0.9e-9, 1.0 + 1.9e-9, 1.0 - 2.1e-9, 1000.0 + 1e-5])
    assert (_jumps(first, then) > 0.0).tolist() == [False, False, True, True]
    assert _jumps(first, then)[3] == pytest.approx(1e-5)
    assert [_seconds(t) for t in (0.0, 5e-324, 1.2345678, 1e-9)] == ["0", "0", "1.23457", "1e-09"]
    jumps = [RateJump(0.5, 0.4, ("a", "b"), 1.5), RateJump(1.5, 1.4, ("c",), 2.5)]
    assert jump_diagnostics(jumps) == [
        "At t = 0.5 s the rate of 'a', 'b' jumps by 1.5 m/s (or rad/s): an impulse acts on the "
        "mechanism.",
        "At t = 1.5 s the rate of 'c' jumps by 2.5 m/s (or rad/s): an impulse acts on the "
        "mechanism.",
    ]
    with pytest.warns(
        RuntimeWarning, match=r"at 2 instants, that of 'c' by 2\.5 .* t = 1\.5 s, and why,"
    ):
        warn_of_jumps("cart", jumps, "why")
    m = tb.Model("free", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("b", 1.0))
    system = m.compile()
    assert parting_refusal(system, METHODS["rk4"], 200) == ""
    assert "200 instants at most" in parting_refusal(system, METHODS["rk4"], 201)
    assert "goes through them without a stop" in parting_refusal(system, METHODS["variational"], 1)


# ---- contacts ------------------------------------------------------------------------------------


def test_gains_are_told_by_the_contacts_that_were_hit() -> None:
    gains = Gains("poisson")
    gains.add(0.5, 0.25, ["a"])
    gains.add(0.75, 0.5, ["a"])
    gains.add(1.0, 0.125, ["a", "b"])
    assert gains.diagnostics() == [
        "At t = 0.5 s the impact of 'a' raised the energy by 0.25 J (1 more until t = 0.75 s: "
        "0.75 J in all): lower restitution or friction.",
        "At t = 1 s the impact of 'a', 'b' raised the energy by 0.125 J: lower restitution or "
        "friction.",
    ]
    smooth = Gains("newton")
    smooth.add(0.0, 1.0, ["a"], smooth=True)
    assert "take a shorter step" in smooth.diagnostics()[0]
    smooth.add(0.0, 1.0, ["a"])
    smooth.add(0.0, 1.0, ["a"], smooth=True)  # friction acted once: that is why
    assert "(Kane); take impacts='poisson'" in smooth.diagnostics()[0]
    layout = SimpleNamespace(bilateral=1)
    for gain, kept in ((1.0, True), (-1.0, False), (1e-10, False)):
        looked = Gains("newton")
        dynamics: Any = SimpleNamespace(layout=layout, u=np.array([5.0, -0.5]))
        jump: Any = SimpleNamespace(impulses=np.array([7.0, 2.0]), u=np.array([3.0, 0.5 + gain]))
        looked.look_at(0.25, dynamics, jump, ["a"])
        found = [each for gains in looked._found.values() for each in gains]
        assert found == ([(0.25, pytest.approx(gain))] if kept else [])
    assert decide_contact_states(dynamics, [], {}) == Outcome(frozenset(), {})


def test_overlaps_are_told_beyond_a_nanometre() -> None:
    told = contact_stepper.overlaps("abc", [-1e-9, -2e-9, 1.0], "so.")
    assert told == ["At the start contact 'b' overlaps by 2e-09 m; so."]


def test_energies_of_contact_rows_are_told_by_contact() -> None:
    layout: Any = SimpleNamespace(normals=(1, 4), groups=(((2, 3), 0), ((), 0)))
    losses, moved = np.array([0, 1.0, 2.0, 3.0, 4.0]), np.array([0, 0.5, 0.25, 0.125, 0.0])
    rows = ContactRowEnergies(["a", "b"], layout, losses, moved, np.array([2.0, -3.0, 0.0]))
    lines: Any = [SimpleNamespace(name=name, side=side) for name, side in (
        ("drive", WORK), ("brake", DISSIPATED), ("idle", WORK))]  # fmt: skip
    found = rows.balance(lines)
    assert found.impacts == {"a": 1.0, "b": 4.0}
    assert found.dissipated == {"a friction": 5.0, "brake": 3.0}
    assert found.work == {"a moving": 0.875, "drive": 2.0}


class Lines:
    """Of two stored energies, the squares of two states; a spring whose power isn't integrated."""

    def __init__(self) -> None:
        self.set = SimpleNamespace(
            stored=["kinetic", "spring"], row_lines=[],
            lines=[SimpleNamespace(name="motor", side=WORK, stored=-1),
                   SimpleNamespace(name="store", side=WORK, stored=1),
                   SimpleNamespace(name="brake", side=DISSIPATED, stored=0)],
        )  # fmt: skip
        self.state_names = ["a", "b"]

    def levels(self, states: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        return np.asarray(states) ** 2


def test_an_account_adds_what_jumps_took_to_impacts() -> None:
    meter: Any = SimpleNamespace(work=np.array([1.0, 2.0, 3.0]), inputs=lambda times, states: None)
    account: Any = EnergyAccount(Lines(), meter)  # type: ignore[arg-type]
    account.jump("hit", 0.5, np.array([[2.0, 1.0], [1.0, 1.0]]))
    before, after = {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 1.0}
    account.note(EventRecord("hit", 0.75, 1, before, 0.0, after))
    account.note(EventRecord("seen", 0.75, 1, before, 0.0, None))
    found = account.energy_balance(np.array([0.0, 1.0]), np.array([[0.0, 1.0], [3.0, 2.0]]))
    assert found.stored == {"kinetic": 9.0, "spring": 3.0} and found.impacts == {"hit": 6.0}
    # what isn't integrated has what its store gained but for jumps: 3 + 3 and 9 + 3 J
    assert found.work == {"motor": 1.0, "store": 2.0 + 6.0}
    assert found.dissipated == {"brake": 3.0 - 12.0}


def test_events_of_contacts_are_counted_to_their_limit() -> None:
    monitor: Any = object.__new__(ContactMonitor)
    restarted, watched = list[float](), list[float]()
    monitor._contacts = SimpleNamespace(change=lambda t, x, index: (x + 1.0, [f"hit {index}"]))
    monitor.native = SimpleNamespace(
        take=lambda: [SimpleNamespace(time=0.5, state=np.array([2.0]), index=3)]
    )
    monitor._names, monitor.records, monitor._events, monitor._limit = ["x"], [], 0, 2
    monitor.failure = None
    monitor._monitor_from = lambda t, x: watched.append(t)
    run: Any = SimpleNamespace(t=0.5, x=np.array([3.0]), restart=lambda x: restarted.append(x[0]))
    for _ in range(2):
        monitor._change(run)
        assert monitor.failure is None
    monitor._change(run)
    assert monitor.failure.what == "more than 2 events, lately 'hit 3': contacts chatter"
    assert restarted == [3.0, 3.0] and watched == [0.5, 0.5] and len(monitor.records) == 3
    first = monitor.records[0]
    assert (first.time, first.state, first.after) == (0.5, {"x": 2.0}, {"x": 3.0})


def test_short_flights_are_watched_by_short_steps() -> None:
    monitor: Any = object.__new__(ContactMonitor)
    monitor._contacts, monitor.chunks = SimpleNamespace(flight=0.8), SimpleNamespace(size=0)
    monitor._calm = 1.4
    monitor._pace(1.3)
    assert monitor.longest == pytest.approx(0.2) and monitor.chunks.size == 1
    monitor._pace(1.4)
    assert monitor.longest == np.inf and monitor.chunks.size == 256


def test_a_short_flight_at_the_start_is_watched_too() -> None:
    m = tb.Model("ball", gravity=(0, 0, -10.0))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", 1.0))
    m.contact("floor", tb.contact.DescribedContact(m.coordinate("z")))
    spec = RunSpec.read(m.compile(), 1.0).from_state([0.0, 1e-4])
    stepper: Any = METHODS["event-driven"].stepper(spec)
    x, words = stepper._contacts.change(0.0, spec.x0)
    assert words == [] and stepper._contacts.flight == pytest.approx(2e-5)  # 2 v/g
    monitor = stepper._monitor
    monitor.start(0.0, x)
    assert monitor.longest == pytest.approx(5e-6) and monitor.chunks.size == 1
    assert len(monitor.solved) == 1
    monitor._pace(1.1e-5)  # from the middle of the flight on it comes back within any step
    assert monitor.longest == np.inf


# ---- what is asked -------------------------------------------------------------------------------


def test_events_are_asked_for_as_they_can_be() -> None:
    for wrong, text in (
        ({"direction": 2}, r"direction is \+1 \(rising\)"), ({"locking": 0.0}, "locking must be"),
        ({"terminal": True, "restart": lambda t, x: x}, "is terminal and has a restart"),
        ({"function": 3.0}, "an expression of the model, the name"),
    ):  # fmt: skip
        with pytest.raises(tb.InputError, match=text):
            tb.Event("e", **({"function": "x"} | wrong))
    event = tb.Event("e", "x")
    assert (event.direction, event.terminal, event.locking) == (0, False, 1e-9) and event.compiled
    assert not tb.Event("e", lambda t, x: 0.0).compiled
    m = tb.Model("free", gravity=(0, 0, 0))
    body = m.body("b", 1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, body)
    m.sensor("place", tb.Position(body))
    spec = RunSpec.read(m.compile(), 2.0, start=1.0)
    assert (spec.span.start, spec.span.end, spec.width) == (1.0, 3.0, 5)
