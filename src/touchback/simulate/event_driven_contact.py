"""Rigid contacts from event to event: Pfeiffer and Glocker 1996, "Multibody dynamics with
unilateral contacts". Which contacts are closed, what sticks there, and what happens when that
changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from touchback.contact import ContactKind
from touchback.errors import SolveError
from touchback.names import unknown_name
from touchback.native import Chunks, ContactState, EventRule, Events, Problem, Status
from touchback.numbers import Floats
from touchback.progress import Progress
from touchback.recording import EventRecord
from touchback.simulate.contact_response import (
    LAWS,
    STILL,
    ContactDynamics,
    Gains,
    Jump,
    Outcome,
    decide_contact_states,
    halting_jump,
    impact,
    jammed_contacts,
    painleve_impulse,
)
from touchback.simulate.contact_stepper import (
    CONTACT_TOLERANCE,
    ContactStepper,
    length_scale,
    overlaps,
    reach,
)
from touchback.simulate.energy_meter import (
    ContactRowEnergies,
    EnergyAccount,
    IntegratedPowers,
    PowerLines,
)
from touchback.simulate.event_monitor import RestartableRun
from touchback.simulate.run_protocols import Plain
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.run_stepper import Segment, Stepper
from touchback.simulate.solvers.adaptive_solvers import Dopri5
from touchback.simulate.solvers.base import Capability
from touchback.simulate.time_span import Failure, Trajectory, keep_count, keep_positive
from touchback.system import ContactEquations, power_set_with

_ALIKE = 1e-9  # part of the speed by which contacts that are hit at once may differ


Ways = Mapping[int, Floats]  # of groups that slip


class ImpactSolver:
    """Impacts of the contacts called `names`, by a `law`, at most `rounds` of them at one instant:
    bounces that would be over within `rest` seconds are taken as over. Instants at which mechanics
    has no or several answers are reported in `diagnostics`, impacts that gave energy in `gains`;
    `rounding` is how far gaps are off [m]."""

    def __init__(self, names: Sequence[str], law: str, rest: float) -> None:
        self._names, self._law, self._rest = names, law, rest
        self.rounds = 10_000 if law == "sequential" else 50
        self.rounding = np.zeros(len(names))
        self.diagnostics: list[str] = []
        self.gains = Gains(law)

    def collide(
        self, t: float, dynamics: ContactDynamics, touching: list[int]
    ) -> tuple[Jump | None, list[str]]:
        """The impact of contacts that are approached, if any is, and what it is called. With the
        law "sequential" it is that of the fastest alone, or of several as fast; what it drives into
        others collides next, at the same instant."""
        hit = [i for i in touching if dynamics.speed(i) < -STILL]
        if not hit:
            return None, []
        if self._law == "sequential":
            fastest = min(dynamics.speed(i) for i in hit)
            touching = hit = [i for i in hit if dynamics.speed(i) <= (1 - _ALIKE) * fastest]
        e, words = dynamics.restitution.copy(), []
        for i in hit:
            over = self._ends_soon(dynamics, i)
            if over:
                e[i] = 0.0
            words.append(f"{self._names[i]} {'rests' if over else 'hits'}")
        try:
            jump = impact(dynamics, touching, e, self._law)
        except SolveError as error:
            raise self._unsolved(dynamics, touching, e, error) from error
        self.gains.look_at(t, dynamics, jump, [self._names[i] for i in hit])
        return jump, words

    def _unsolved(
        self, dynamics: ContactDynamics, touching: list[int], e: Floats, error: SolveError
    ) -> SolveError:
        """Newton's law asks for a speed that friction may not let a contact have, however large its
        impulse; Poisson's asks for an impulse."""
        try:
            impact(dynamics, touching, e, "poisson")
        except SolveError:
            return error
        names = ", ".join(f"'{self._names[i]}'" for i in touching)
        return SolveError(
            f"Newton's restitution with friction has no solution where {names} hits: friction "
            "wedges it, and it can't leave with e times its speed. Poisson's law has one: take "
            "impacts='poisson', or lower restitution or friction"
        )

    def shortest(self, contact: int, pull: float) -> float:
        """The shortest flight [s] from a contact to which `pull` [m/s²] brings back: `rest`, or one
        that rises, by pull T²/8, as far as its gap is rounded: shorter ones end by chance."""
        return max(self._rest, float(np.sqrt(8 * self.rounding[contact] / pull)))

    def painleve_jump(
        self, t: float, dynamics: ContactDynamics, kept: list[int], slipping: Ways
    ) -> tuple[Jump, list[str]]:
        """The impulse that ends sliding for which there are no finite forces."""
        stuck = jammed_contacts(dynamics, kept, slipping)
        if not stuck:
            names = ", ".join(f"'{self._names[i]}'" for i in kept)
            raise SolveError(
                f"no forces of the contacts {names} fit their laws; contacts that repeat each "
                "other may have none: take some away, or use method='moreau-jean'"
            )
        words = [f"{self._names[i]} jams" for i in stuck]
        self.diagnostics.append(
            f"At t = {t:.6g} s {', '.join(words)}: sliding goes on with no finite force "
            "(Painlevé); an impulse ended it."
        )
        return painleve_impulse(dynamics, kept, stuck), words

    def note_doubt(
        self, t: float, dynamics: ContactDynamics, kept: list[int], slipping: Ways, found: Outcome
    ) -> None:
        """Tells where mechanics had several answers."""
        if found.solutions > 1 and (stuck := jammed_contacts(dynamics, kept, slipping)):
            names = ", ".join(f"'{self._names[i]}'" for i in stuck)
            self.diagnostics.append(
                f"At t = {t:.6g} s mechanics leaves open whether {names} lifts off or goes on "
                f"sliding (Painlevé): {found.solutions} answers; the first was taken."
            )

    def _ends_soon(self, dynamics: ContactDynamics, contact: int) -> bool:
        """Whether all further bounces, each shorter by e, would be over within `rest` seconds."""
        e, speed = float(dynamics.restitution[contact]), -dynamics.speed(contact)
        pull = -float(
            dynamics.problem(dynamics.free, [contact]).c[dynamics.layout.normals[contact]]
        )
        if not 0.0 < e < 1.0 or pull <= 0.0:
            return False
        return 2 * e * speed / pull / (1 - e) < self.shortest(contact, pull)


INSIDE = 1e-13  # m: less deep is rounding


_PUSHES = 10  # apart, at the start


_NUDGE = 1e-6  # of a position: for slopes of gaps


class ContactGaps:
    """What the contacts of a run feel at its states, and the states moved out of walls. What is to
    be `said` of overlaps at the start is kept."""

    def __init__(self, equations: ContactEquations, state: ContactState, problem: Problem) -> None:
        self._equations, self._state, self._problem = equations, state, problem
        self._names, self._positions = list(equations.contacts), equations.system.sizes[0]
        self.said: list[str] = []
        self._deepest = CONTACT_TOLERANCE
        self._reach = 0.0  # how far contacts were from the origin at the start [m]

    def contact_dynamics(self, t: float, x: Floats) -> ContactDynamics:
        """The mechanism as its contacts feel it."""
        return ContactDynamics.at(self._equations, x, self._problem.input_rows([t], x[None, :])[0])

    def separate_overlaps(self, t: float, x: Floats) -> Floats:
        """The state at the start with contacts that overlap moved apart, least by mass: from inside
        a wall there is no way out that an event could tell. Velocities stay."""
        model, contacts, q = (
            self._equations.system.model, self._equations.contacts, x[: self._positions],
        )  # fmt: skip
        self._deepest = CONTACT_TOLERANCE * min(1.0, length_scale(model, contacts, q))
        self._reach = reach(model, contacts, q)
        self.said = overlaps(
            self._names, self.contact_dynamics(t, x).gap, "its bodies were moved apart."
        )
        x = self._push_apart(t, x)
        gaps = self.contact_dynamics(t, x).gap
        if gaps.size and gaps.min() < -CONTACT_TOLERANCE:
            raise SolveError(
                f"contact '{self._names[int(gaps.argmin())]}' overlaps by {-gaps.min():.3g} m at "
                "the start and can't be moved apart; start where nothing overlaps"
            )
        return x

    def overlap(self, times: Floats, states: Floats) -> tuple[int, Failure | None]:
        """The first of the states in which a contact overlaps, and what is wrong there; their
        number and nothing where none does."""
        if not self._names or not len(times):
            return len(times), None
        inputs = self._problem.input_rows(times, states)
        gaps = self._equations.gaps(states, inputs, times)
        inside = np.flatnonzero((gaps < -self._deepest).any(axis=0))
        if not inside.size:
            return len(times), None
        row = int(inside[0])
        return row, Failure(float(times[row]), self._overlap_text(gaps[:, row]), "")

    def correct_penetration(self, t: float, x: Floats) -> tuple[Floats, ContactDynamics]:
        """The state with what rounding left inside a wall moved out of it, and the contact
        dynamics there."""
        dynamics = self.contact_dynamics(t, x)
        deepest = dynamics.gap.min(initial=0.0)
        if deepest < -CONTACT_TOLERANCE:
            raise SolveError(self._overlap_text(dynamics.gap))
        if deepest >= -INSIDE:
            return x.copy(), dynamics
        x = self._push_apart(t, x)
        return x, self.contact_dynamics(t, x)

    def rounding(self, t: float, x: Floats) -> Floats:
        """How far gaps may be off [m]: by a unit in the last place of each position, and of where
        their frames are."""
        count = self._positions
        states = np.tile(x, (1 + count, 1))
        states[np.arange(1, 1 + count), np.arange(count)] *= 1 + _NUDGE
        times = np.full(len(states), t)
        gaps = self._equations.gaps(states, self._problem.input_rows(times, states), times)
        slopes = np.abs(gaps[:, 1:] - gaps[:, :1]).sum(axis=1) / _NUDGE
        found: Floats = np.finfo(float).eps * (slopes + self._reach)
        return found

    def _push_apart(self, t: float, x: Floats) -> Floats:
        """The state with contacts that overlap moved apart, least by mass."""
        closed = self._state.closed
        before, x = closed.copy(), x.copy()
        for _ in range(_PUSHES):
            inside = self.contact_dynamics(t, x).gap < -INSIDE
            if not inside.any():
                break
            closed |= inside
            x[: self._positions] = self._problem.settle(t, x)[: self._positions]
        closed[:] = before
        return x

    def _overlap_text(self, gaps: Floats) -> str:
        return (
            f"contact '{self._names[int(gaps.argmin())]}' overlaps by {-gaps.min():.3g} m (at most "
            f"{self._deepest:.3g} m may): where it closed was not found; lower `step`, or use "
            "method='moreau-jean'"
        )


Integers = NDArray[np.int32]


_NO_MOTION = 1e-9  # of a row: less is no motion


_NO_FORCE = 1e-9  # of the largest force: less is none


_WORDS = (("sticks", "slips"), ("stops rolling", "rolls"))  # of slip, of rolling


class ContactStates:
    """The contact state of a run, which it changes at events.

    `law` is that of impacts; bounces that would be over within `rest` seconds are taken as over,
    and no contact is left for a flight shorter than that, or lower than gaps are rounded. `flight`
    is how long the shortest one after the last change lasts [s]; `floors` are what the events of
    the state may start from without having happened: within them a contact neither is apart nor has
    closed again. `walls` look at gaps, `bounces` at impacts; `rows` keep what these took, and what
    moving surfaces gave; `on_impact` is told of each: when, the states before and after it, and
    what its impulses gave [J]."""

    def __init__(
        self,
        equations: ContactEquations,
        state: ContactState,
        problem: Problem,
        law: str,
        rest: float,
    ) -> None:
        self._equations, self._state, self._problem = equations, state, problem
        self._names = list(equations.contacts)
        self._v = slice(equations.system.sizes[0], sum(equations.system.sizes[:2]))
        losses, moved = np.zeros((2, equations.layout.rows))
        own = np.zeros(equations.layout.bilateral)
        self.rows = ContactRowEnergies(self._names, equations.layout, losses, moved, own)
        self.walls = ContactGaps(equations, state, problem)
        self.bounces = ImpactSolver(self._names, law, rest)
        self.on_impact: Callable[[float, Floats, float], None] = lambda t, states, given: None
        self.flight = np.inf
        self.floors = np.zeros(len(self._names) + len(equations.layout.groups))

    def change(self, t: float, x: Floats, fired: int | None = None) -> tuple[Floats, list[str]]:
        """The state from which the run goes on after the event `fired` (the place of its
        indicator; None: at the start), and what happened, in words."""
        leaving, begins, stopped = self._event_consequences(t, x, fired)
        closed, stuck = self._state.closed.copy(), self._state.stuck.copy()
        x, dynamics = self.walls.correct_penetration(t, x)
        self.bounces.rounding = self.walls.rounding(t, x)
        happened: list[str] = []
        for _ in range(self.bounces.rounds):
            touching = [
                i
                for i in range(len(self._names))
                if closed[i] or dynamics.gap[i] <= CONTACT_TOLERANCE
            ]
            jump, words = self.bounces.collide(t, dynamics, touching)
            if jump is None:
                kept = [i for i in touching if i not in leaving and dynamics.speed(i) <= STILL]
                slipping = {**dynamics.slipping(kept, stopped), **begins}
                outcome = decide_contact_states(dynamics, kept, slipping)
                if outcome.solutions:
                    self._take_over(t, x, dynamics, outcome)
                    jump, words = self._halt_short_flights(t, x, dynamics)
                else:
                    jump, words = self.bounces.painleve_jump(t, dynamics, kept, slipping)
                if jump is None:
                    self.bounces.note_doubt(t, dynamics, kept, slipping, outcome)
                    return x, happened + self._change_names(dynamics, closed, stuck)
            leaving, begins, stopped = set(), {}, set()
            self._account_impact(t, dynamics, x, jump)
            x[self._v] += jump.change
            happened += words
            dynamics = self.walls.contact_dynamics(t, x)
        raise SolveError(
            f"{self.bounces.rounds} impacts follow each other without an end "
            f"({', '.join(dict.fromkeys(happened))}); lower the restitution, or use "
            "method='moreau-jean'"
        )

    @property
    def diagnostics(self) -> list[str]:
        """What is to be said of overlaps at the start, of impacts and of what has no answer."""
        return self.walls.said + self.bounces.diagnostics + self.bounces.gains.diagnostics()

    def jam_text(self, t: float, x: Floats) -> str:
        """Why a run may have stopped here: contacts that are about to jam."""
        dynamics = self.walls.contact_dynamics(t, x)
        closed = [i for i in range(len(self._names)) if self._state.closed[i]]
        stuck = jammed_contacts(dynamics, closed, dynamics.slipping(closed, ()))
        names = ", ".join(f"'{self._names[i]}'" for i in stuck)
        return f"contact {names} jams (Painlevé's paradox)" if stuck else ""

    # ---- inside ---------------------------------------------------------------------------------

    def _event_consequences(
        self, t: float, x: Floats, fired: int | None
    ) -> tuple[set[int], dict[int, Floats], set[int]]:
        """What an event says by itself: a contact that opens, a group that begins to slip, one that
        has stopped."""
        count, state = len(self._names), self._state
        if fired is None:
            return set(), {}, set()
        if fired < count:
            return ({fired} if state.closed[fired] else set()), {}, set()
        g = fired - count
        if not state.stuck[g]:
            return set(), {}, {g}
        self._problem.rate(t, x)
        force = state.multipliers[list(self._equations.layout.groups[g][0])]
        way = np.zeros(2)
        way[: len(force)] = -force / np.linalg.norm(force)
        let_go = {
            int(i): state.way[i].copy() for i in np.flatnonzero(state.pinned)
        }  # with what held them
        return set(), {**let_go, g: way}, set()

    def _take_over(self, t: float, x: Floats, dynamics: ContactDynamics, outcome: Outcome) -> None:
        """Takes over an outcome. Contacts that repeat others share what they bear; those that would
        have to pull for that bear nothing: the others hold them."""
        state, normals = self._state, list(dynamics.layout.normals)
        for i in range(len(self._names)):
            state.closed[i] = i in outcome.closed
        for g in range(len(state.stuck)):
            state.stuck[g] = g not in outcome.ways
            state.way[g] = outcome.ways.get(g, np.zeros(2))
        for _ in outcome.closed:
            self._problem.rate(t, x)
            forces = state.multipliers[normals] * state.closed
            worst = int(forces.argmin())
            if forces[worst] >= -_NO_FORCE * np.abs(forces).max():
                break
            state.closed[worst] = 0
            if not self._is_held(dynamics, [normals[worst]]):
                state.closed[worst] = 1
                break

    def _halt_short_flights(
        self, t: float, x: Floats, dynamics: ContactDynamics
    ) -> tuple[Jump | None, list[str]]:
        """Halts contacts that would be left for too short a flight, 2 u_n/−u̇_n, with all
        that holds: so ends what alternates among contacts ever faster. What slips there goes on
        slipping: Coulomb's cone has no impulse that could stop it. Else nothing, but `flight` and
        `floors`."""
        state, layout = self._state, dynamics.layout
        a = self._problem.rate(t, x)[self._v]
        rates = dynamics.W @ a + dynamics.bias
        flights = {
            i: float(-2 * dynamics.u[n] / rates[n])
            for i, n in enumerate(layout.normals)
            if dynamics.gap[i] <= CONTACT_TOLERANCE
            and not state.closed[i]
            and dynamics.u[n] > 0.0 > rates[n]
        }
        self.flight = min(flights.values(), default=np.inf)
        short = [
            i for i, flight in flights.items()
            if flight < self.bounces.shortest(i, -float(rates[layout.normals[i]]))
        ]  # fmt: skip
        if not short:
            self._set_floors(dynamics, flights)
            return None, []
        state.closed[short] = 1
        contacts = [int(i) for i in np.flatnonzero(state.closed)]
        state.stuck[list(dynamics.slipping(short, ()))] = (
            0  # as they were open, they counted as stuck
        )
        held = [row for row in self._holding_rows(dynamics) if row >= layout.bilateral]
        return halting_jump(dynamics, contacts, held), [f"{self._names[i]} rests" for i in short]

    def _set_floors(self, dynamics: ContactDynamics, flights: Mapping[int, float]) -> None:
        """What the events of the contact state may start from; and which groups are at their limit
        but don't begin to move, as others hold them."""
        state, layout, count = self._state, dynamics.layout, len(self._names)
        force = _NO_FORCE * float(np.abs(state.multipliers).max(initial=0.0))
        for i, n in enumerate(layout.normals):
            if state.closed[i]:
                self.floors[i] = force
            elif i in flights:  # far less than it rises, lest it gain speed below the floor
                self.floors[i] = min(1e-3 * dynamics.u[n] * flights[i], 2 * INSIDE)
            else:
                idle = abs(dynamics.u[n]) <= STILL and self._is_held(dynamics, [n])
                self.floors[i] = 0.5 * CONTACT_TOLERANCE if idle else 2 * INSIDE
        for g, (rows, _) in enumerate(layout.groups):
            state.pinned[g] = (
                not state.stuck[g] and bool(rows) and self._is_held(dynamics, list(rows))
            )
            self.floors[count + g] = force if state.stuck[g] else STILL

    def _change_names(
        self, dynamics: ContactDynamics, closed: Integers, stuck: Integers
    ) -> list[str]:
        """What changed, in words."""
        state, words = self._state, []
        for i, name in enumerate(self._names):
            if state.closed[i] != closed[i]:
                words.append(f"{name} {'closes' if state.closed[i] else 'opens'}")
        for g in dynamics.groups([i for i in range(len(self._names)) if state.closed[i]]):
            contact = dynamics.layout.groups[g][1]
            if state.stuck[g] != stuck[g] or not closed[contact]:
                word = _WORDS[g % 2][0 if state.stuck[g] else 1]
                words.append(f"{self._names[contact]} {word}")
        return words

    def _holding_rows(self, dynamics: ContactDynamics) -> list[int]:
        """Rows that hold."""
        state, layout = self._state, dynamics.layout
        holding = [*range(layout.bilateral)]
        holding += [n for i, n in enumerate(layout.normals) if state.closed[i]]
        for g in dynamics.groups([i for i in range(len(self._names)) if state.closed[i]]):
            holding += layout.groups[g][0] if state.stuck[g] else ()
        return holding

    def _is_held(self, dynamics: ContactDynamics, rows: list[int]) -> bool:
        """Whether rows that hold leave no motion to these."""
        W, holding = dynamics.W[rows], dynamics.W[self._holding_rows(dynamics)]
        share = np.linalg.lstsq(holding.T, W.T, rcond=1e-12)[0]
        return bool(np.abs(W - share.T @ holding).max() <= _NO_MOTION * np.abs(W).max())

    def _account_impact(self, t: float, dynamics: ContactDynamics, x: Floats, jump: Jump) -> None:
        v, after = x[self._v], x.copy()
        after[self._v] += jump.change
        given = float(jump.change @ dynamics.M @ (v + 0.5 * jump.change))
        self.on_impact(t, np.array([x, after]), given)
        own = dynamics.W @ v + dynamics.W @ (v + jump.change)
        self.rows.losses[:] -= 0.5 * jump.impulses * (dynamics.u + jump.u)
        self.rows.moved[:] += 0.5 * jump.impulses * (own - dynamics.u - jump.u)
        held = slice(dynamics.layout.bilateral)
        self.rows.own_work[:] += jump.impulses[held] * (dynamics.E[held] @ (v + 0.5 * jump.change))


@dataclass(frozen=True, kw_only=True)
class EventDriven(Dopri5):
    """A few rigid contacts, every change located: impacts, lift-off, the instants at which
    something sticks, slips or rolls. The contacts are those that the model describes, and the
    `contacts` given by name.

    Between events one contact state is integrated by Dormand–Prince to `rtol` and `atol`: closed
    contacts and sticking friction are constraints, slipping friction is Coulomb's exactly. At an
    event complementarity decides which one follows. `impacts` are "newton" (restitution of speeds,
    of all contacts that touch at once), "poisson" (of impulses) or "sequential" (Newton's, one
    contact after the other, so that blows pass on through bodies that touch). Bounces that would be
    over within `rest` seconds are taken as over, and no contact is left for a flight shorter than
    that, or lower than gaps are rounded: a ball comes to rest, and so does a block of any size that
    rocks from corner to corner. `step` is the longest step (a hundredth of the duration),
    `event_limit` the most events. Every recorded state has gaps above −1e-9 m; a run that can't
    keep that ends before it.

    The run holds, besides the states, of each contact by name "… gap", "… force" [N],
    "… friction force" and "… rolling moment" (numbered with two tangents), the multipliers of the
    mechanism's own constraints, inputs and sensors; `run.events` ("floor hits", "floor slips", …),
    `run.energy_balance`, and in `run.metadata["diagnostics"]` where Painlevé's paradox was met,
    which impacts gave energy, what overlapped at the start and was moved apart, or which sensors
    can't be measured: reactions of joints that carry what touches. Many contacts, or contacts that
    repeat each other, are better stepped (`MoreauJean`)."""

    word = "event-driven"
    can = (
        Capability.ADAPTIVE
        | Capability.CONSTRAINTS
        | Capability.CONTACTS
        | Capability.ENERGY_BALANCE
    )

    rtol: float = 1e-9
    atol: float = 1e-11
    impacts: str = "newton"
    rest: float = 1e-8
    event_limit: int = 100_000
    contacts: Mapping[str, ContactKind] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_positive(self, "rest")
        keep_count(self, "event_limit")
        if self.impacts not in LAWS:
            raise unknown_name("law of impacts", self.impacts, LAWS)

    def stepper(self, spec: RunSpec) -> Stepper:
        """The run, ready to go."""
        return EventDrivenStepper(spec, self)


_STEPS_AT_A_TIME = 256


_FAILED = (Status.NOT_FINITE, Status.STEP_TOO_SMALL, Status.STEP_LIMIT)


class ContactMonitor:
    """Watches the contacts of a run, changes their state at events (`records`), and keeps the
    accelerations and forces `solved` for at recorded states, in the contact state that they belong
    to; `kept` counts those before one that overlaps. `failure` tells what ended the run early, if
    anything did."""

    ended = None

    def __init__(
        self,
        contacts: ContactStates,
        state: ContactState,
        problem: Problem,
        keeper: EnergyAccount[IntegratedPowers],
        names: Sequence[str],
        solver: EventDriven,
    ) -> None:
        self._contacts, self._state, self._problem = contacts, state, problem
        self._account, self._names, self._limit = keeper, names, solver.event_limit
        self._count = len(state.functions.normals)  # of contacts
        rules = [EventRule(-1, True, 1e-12)] * (self._count + len(state.functions.groups))
        self.native = Events(
            problem, rules, state.indicators, problem.p, (), solver.rtol, solver.atol,
            sloped=self._count,
        )  # fmt: skip
        self.chunks, self.longest, self._calm = Chunks(_STEPS_AT_A_TIME), np.inf, 0.0
        self.records: list[EventRecord] = []
        self.solved: list[Floats] = []
        self.failure: Failure | None = None
        self.kept = self._events = 0

    def start(self, t: float, x: Floats) -> None:
        """Opens the balance at the state from which the run starts."""
        self._problem.use_energy_balance(self._account.meter.native)
        self._account.meter.begin(t, x)
        self.add_solved(np.array([t]), x[None, :])
        self._monitor_from(t, x)

    def record(self, times: Floats, states: Floats) -> None:
        """Keeps solutions, up to where a contact overlaps: there the run can't go on."""
        good, self.failure = self._contacts.walls.overlap(times, states)
        self.add_solved(times[:good], states[:good])
        self.kept += good

    def add_solved(self, times: Floats, states: Floats) -> None:
        """Accelerations and forces of all rows at states, in the present contact state."""
        self.solved.append(self._problem.solved_rows(self._state, times, states))

    def follow(self, run: RestartableRun, status: Status) -> bool:
        """Changes the contact state at an event; False where the run has to end."""
        if self.failure is None and status == Status.EVENT:
            self._change(run)
        elif self.failure is None and status in _FAILED and self._problem.raised is None:
            told = self._contacts.jam_text(run.t, run.x)
            mend = "lower the friction or use method='moreau-jean'" if told else ""
            word = status.name.lower().replace("_", " ")
            self.failure = Failure(run.t, f"{word}: {told}" if told else word, mend)
        self._pace(run.t)
        return self.failure is None

    def note(self, t: float, words: list[str], before: Floats, after: Floats) -> None:
        """Keeps what happened at an instant."""
        states = [dict(zip(self._names, map(float, x), strict=True)) for x in (before, after)]
        self.records += [EventRecord(word, t, -1, states[0], 0.0, states[1]) for word in words]

    def _change(self, run: RestartableRun) -> None:
        crossing = self.native.take()[-1]
        try:
            after, words = self._contacts.change(crossing.time, crossing.state, crossing.index)
        except SolveError as error:
            self.failure = Failure(crossing.time, str(error), "")
            return
        self.note(crossing.time, words, crossing.state, after)
        self._events += 1
        if self._events > self._limit:
            often = self.records[-1].name
            self.failure = Failure(
                run.t,
                f"more than {self._limit} events, lately '{often}': contacts chatter",
                "raise `rest`, or use method='moreau-jean'",
            )
            return
        run.restart(after)
        self._monitor_from(run.t, run.x)

    def _monitor_from(self, t: float, x: Floats) -> None:
        """Watches for what ends the contact state. No contact starts below its floor: it would be
        lost."""
        events, contacts = self.native, slice(self._count)
        events.floors[:] = self._contacts.floors
        events.start(t, x)
        events.floors[contacts] = np.maximum(
            events.floors[contacts], -1.01 * events.values[contacts]
        )
        events.start(t, x)
        self._calm = t + 0.5 * self._contacts.flight
        self._pace(t)

    def _pace(self, t: float) -> None:
        """Lest a bounce begin and end within an eighth of a step."""
        short = t < self._calm
        self.longest = 0.25 * self._contacts.flight if short else np.inf
        self.chunks.size = 1 if short else _STEPS_AT_A_TIME


_LONGEST_STEP = 0.01  # of the duration: what a gap does within an eighth of it isn't all looked at


class EventDrivenStepper(ContactStepper):
    """A run from event to event, integrated by its solver in between."""

    def __init__(self, spec: RunSpec, solver: EventDriven) -> None:
        super().__init__(spec, solver.contacts)
        self._solver = solver
        self._state = ContactState(self._equations.native())
        self.problem = self._state.problem(
            spec.inputs.u, self._equations.block, spec.inputs.refresher()
        )
        evaluated = [(self._equations.functions, self._equations.block)]
        self._knots = spec.knots(solver, evaluated)
        self.problem.end_steps_at(self._knots)
        self.problem.look_in_cells(spec.cells(solver, evaluated))
        self._contacts = ContactStates(
            self._equations, self._state, self.problem, solver.impacts, solver.rest
        )
        self._account = self._books()
        self._contacts.on_impact = self._account.impact
        self._monitor = ContactMonitor(
            self._contacts,
            self._state,
            self.problem,
            self._account,
            self._system.state_names,
            solver,
        )
        self._given = np.zeros(0)

    def _books(self) -> EnergyAccount[IntegratedPowers]:
        spec, equations = self._spec, self._equations
        beside = ContactState(equations.native(), like=self._state)
        own = beside.problem(spec.inputs.u, equations.block, spec.inputs.refresher())
        own.end_steps_at(self._knots)
        powers = power_set_with(self._system, equations.contacts)
        lines = PowerLines(self._system, powers, spec.parameters)
        meter = IntegratedPowers(lines, own, "dopri5", beside.solved.multipliers)
        return EnergyAccount(lines, meter, self._contacts.rows)

    def run(self, x: Floats, shown: Progress) -> Trajectory:
        """From event to event, up to the end or to what no contact state can follow."""
        span, solver, contacts = self._spec.span, self._solver, self._contacts
        self._given = x
        try:
            x = contacts.walls.separate_overlaps(span.start, x)
            start, words = contacts.change(span.start, x)
        except SolveError as error:
            failure = Failure(span.start, str(error), "")
            return Trajectory(np.array([span.start]), x[None, :], {}, failure)
        if contacts.walls.said:
            self._account.jump("moved apart", span.start, np.array([self._given, x]))
        self._monitor.note(span.start, words, x, start)
        careful = replace(solver, step=solver.step or _LONGEST_STEP * span.duration)
        names = list(self._system.state_names)
        segment = Segment(self.problem, names, start, span, shown, self._monitor, self._spec.trace)
        found = careful.integrate(segment)
        return self._without_overlaps(found)

    def _without_overlaps(self, found: Trajectory) -> Trajectory:
        """The trajectory up to the first state that overlaps, with the solution at its last."""
        rows, times, states = 1 + self._monitor.kept, found.times, found.states
        if len(times) == rows + 1 and self._contacts.walls.overlap(times[rows:], states[rows:])[0]:
            self._monitor.add_solved(times[rows:], states[rows:])
        else:
            found.times, found.states = times[:rows], states[:rows]
        solved = np.vstack(self._monitor.solved)
        self._accelerations, self._forces = np.split(solved, [self._system.sizes[1]], axis=1)
        found.statistics["events"] = len(self._monitor.records)
        return found

    def gaps(self, part: slice, times: Floats, states: Floats) -> Floats:
        """With the inputs of each instant."""
        return self._equations.gaps(states, self.problem.input_rows(times, states), times)

    def about(self, trajectory: Trajectory) -> Plain:
        """Events, energy balance and diagnostics; impacts at the start count too."""
        times, states = trajectory.times, trajectory.states
        ends = np.array([self._given if len(states) > 1 else states[0], states[-1]])
        return {
            "contacts": list(self._equations.contacts),
            "events": [record.as_data() for record in self._monitor.records],
            "energy_balance": self._account.energy_balance(times[[0, -1]], ends).as_data(),
            "diagnostics": [*self._contacts.diagnostics, *self._unmeasured_diagnostics()],
        }
