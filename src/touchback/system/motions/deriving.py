"""What is derived of a model, once, whichever thread asks first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TypeVar, cast

from touchback.codegen import Backend
from touchback.model.model import Model
from touchback.symbolic.tape import Tape
from touchback.system.derivation import Derivation
from touchback.system.layout import layout_of
from touchback.system.plan import Plan

T = TypeVar("T")


class Deriving:
    """A model `whole`, with all its constraints and modes, and what is known of it by name."""

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        self.whole, self.plan, self._backend = model, plan, backend
        self.name, self.layout = model.name, layout_of(model)
        self.deriving = threading.RLock()  # held while something is derived or a setting changed
        self._known: dict[Hashable, object] = {}

    def once(self, what: Hashable, derive: Callable[[], T]) -> T:
        """What is known by this name, derived by the first thread that asks."""
        if what not in self._known:
            with self.deriving:
                if what not in self._known:
                    self._known[what] = derive()
        return cast(T, self._known[what])

    def derive(
        self,
        model: Model,
        extra: Sequence[str] = (),
        tape: Tape | None = None,
        merge_fixed: bool | None = None,
    ) -> Derivation:
        """A derivation of functions of x, u = [t, inputs…] and `extra` arguments, of a model with
        these coordinates; on the `tape` of another derivation, to share its parameter block.
        `merge_fixed` lets rigid joints vanish: by default where no sensor is in one of them."""
        merge = self._merge_fixed if merge_fixed is None else merge_fixed
        frames = self.plan.frame_pass
        return Derivation(model, self.layout, extra, frames, merge, tape, self._backend)

    @cached_property
    def _merge_fixed(self) -> bool:
        measured = {getattr(kind, "joint", None) for kind in self.whole.sensors.values()}
        return all(
            joint.kind.motions() for name, joint in self.whole.joints.items() if name in measured
        )
