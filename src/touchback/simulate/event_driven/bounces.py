"""Which contacts collide, which have bounced enough, and what jams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from touchback.errors import SolveError
from touchback.simulate.event_driven.accelerations import Outcome, jammed
from touchback.simulate.event_driven.at_contacts import STILL, AtContacts
from touchback.simulate.event_driven.gains import Gains
from touchback.simulate.event_driven.impacts import Jump, impact, jam
from touchback.simulate.protocol import Floats

_ALIKE = 1e-9  # part of the speed by which contacts that are hit at once may differ
Ways = Mapping[int, Floats]  # of groups that slip


class Bounces:
    """Impacts of the contacts called `names`, by a `law`, at most `rounds` of them at one instant:
    bounces that would be over within `rest` seconds are taken as over. Instants at which mechanics
    has no or several answers are told in `remarks`, impacts that gave energy in `gains`; `rounding`
    is how far gaps are off [m]."""

    def __init__(self, names: Sequence[str], law: str, rest: float) -> None:
        self._names, self._law, self._rest = names, law, rest
        self.rounds = 10_000 if law == "sequential" else 50
        self.rounding = np.zeros(len(names))
        self.remarks: list[str] = []
        self.gains = Gains(law)

    def collide(
        self, t: float, felt: AtContacts, touching: list[int]
    ) -> tuple[Jump | None, list[str]]:
        """The impact of contacts that are approached, if any is, and what it is called. With the
        law "sequential" it is that of the fastest alone, or of several as fast; what it drives into
        others collides next, at the same instant."""
        hit = [i for i in touching if felt.speed(i) < -STILL]
        if not hit:
            return None, []
        if self._law == "sequential":
            fastest = min(felt.speed(i) for i in hit)
            touching = hit = [i for i in hit if felt.speed(i) <= (1 - _ALIKE) * fastest]
        e, words = felt.restitution.copy(), []
        for i in hit:
            over = self._over_soon(felt, i)
            if over:
                e[i] = 0.0
            words.append(f"{self._names[i]} {'rests' if over else 'hits'}")
        try:
            jump = impact(felt, touching, e, self._law)
        except SolveError as error:
            raise self._unsolved(felt, touching, e, error) from error
        self.gains.look_at(t, felt, jump, [self._names[i] for i in hit])
        return jump, words

    def _unsolved(
        self, felt: AtContacts, touching: list[int], e: Floats, error: SolveError
    ) -> SolveError:
        """Newton's law asks for a speed that friction may not let a contact have, however large its
        impulse; Poisson's asks for an impulse."""
        try:
            impact(felt, touching, e, "poisson")
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

    def jam(
        self, t: float, felt: AtContacts, kept: list[int], slipping: Ways
    ) -> tuple[Jump, list[str]]:
        """The impulse that ends sliding for which there are no finite forces."""
        stuck = jammed(felt, kept, slipping)
        if not stuck:
            names = ", ".join(f"'{self._names[i]}'" for i in kept)
            raise SolveError(
                f"no forces of the contacts {names} fit their laws; contacts that repeat each "
                "other may have none: take some away, or use method='moreau-jean'"
            )
        words = [f"{self._names[i]} jams" for i in stuck]
        self.remarks.append(
            f"At t = {t:.6g} s {', '.join(words)}: sliding goes on with no finite force "
            "(Painlevé); an impulse ended it."
        )
        return jam(felt, kept, stuck), words

    def note_doubt(
        self, t: float, felt: AtContacts, kept: list[int], slipping: Ways, found: Outcome
    ) -> None:
        """Tells where mechanics had several answers."""
        if found.solutions > 1 and (stuck := jammed(felt, kept, slipping)):
            names = ", ".join(f"'{self._names[i]}'" for i in stuck)
            self.remarks.append(
                f"At t = {t:.6g} s mechanics leaves open whether {names} lifts off or goes on "
                f"sliding (Painlevé): {found.solutions} answers; the first was taken."
            )

    def _over_soon(self, felt: AtContacts, contact: int) -> bool:
        """Whether all further bounces, each shorter by e, would be over within `rest` seconds."""
        e, speed = float(felt.restitution[contact]), -felt.speed(contact)
        pull = -float(felt.problem(felt.free, [contact]).c[felt.layout.normals[contact]])
        if not 0.0 < e < 1.0 or pull <= 0.0:
            return False
        return 2 * e * speed / pull / (1 - e) < self.shortest(contact, pull)
