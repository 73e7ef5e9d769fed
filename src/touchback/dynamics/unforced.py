"""The tree of bodies by itself at one instant: what laws may use, since nothing that acts on it
counts here."""

from dataclasses import replace
from functools import cached_property

from touchback.dynamics.accelerations import accelerations
from touchback.dynamics.added import push_fluids
from touchback.dynamics.crba import Entries
from touchback.dynamics.forward import entries
from touchback.dynamics.instant import Instant
from touchback.dynamics.jacobian import jacobian
from touchback.dynamics.motion import Base, LinkMotion, link_motions
from touchback.dynamics.places import Places
from touchback.dynamics.pushes import Pushes
from touchback.dynamics.rnea import inverse_dynamics
from touchback.model.frame import Frame
from touchback.spatial.vectors import Scalar


class Unforced:
    """Mass matrix, bias, gravity efforts and Jacobians, each computed when first asked for."""

    def __init__(self, instant: Instant, places: Places) -> None:
        self._instant = instant
        self.places = places.velocities
        self._jacobians: dict[Frame, list[list[Scalar]]] = {}

    @cached_property
    def mass_matrix(self) -> Entries:
        return entries(self._instant)

    @cached_property
    def bias(self) -> list[Scalar]:
        """c(q, v). Fluid that bodies carry along is inertia of the tree, and no force on it."""
        instant = self._instant
        fluids = Pushes(instant)
        push_fluids(instant, fluids)
        tree, k = instant.regrouped(), instant.k
        return inverse_dynamics(tree, k, instant.at.v, None, instant.base(), fluids.in_link_axes())

    @cached_property
    def gravity_effort(self) -> list[Scalar]:
        """c(q, 0) above a ground at rest. Carried fluid has no weight."""
        instant = self._instant
        tree = instant.regrouped()
        dry = replace(tree, links=[replace(link, added=None) for link in tree.links])
        upwards = instant.vectors.neg(instant.gravity())
        base = Base(acceleration=instant.vectors.apply_transposed(instant.ground.R, upwards))
        return inverse_dynamics(dry, instant.k, [0] * tree.nv, None, base, {})

    def jacobian(self, frame: Frame) -> list[list[Scalar]]:
        if frame not in self._jacobians:
            self._jacobians[frame] = jacobian(self._instant, frame)
        return self._jacobians[frame]

    def bias_acceleration(self, frame: Frame) -> list[Scalar]:
        """ω̇ and acceleration of a frame's origin while v̇ is zero."""
        alpha, acceleration = accelerations(self._instant, frame, lambda: self._motions)
        return [*alpha, *acceleration]

    @cached_property
    def _motions(self) -> list[LinkMotion]:
        instant = self._instant
        base = instant.base(with_gravity=False)
        return list(link_motions(instant.tree, instant.k, instant.at.v, None, base))
