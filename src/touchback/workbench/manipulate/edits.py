"""Constraints modified while a mechanism runs (Wang 2011, §5): it goes on from the same state."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
from msgspec.structs import replace

from touchback.errors import InputError, TouchbackError
from touchback.model import Model
from touchback.model.joints.joint import limit_names
from touchback.realtime.control import Desk
from touchback.realtime.control.messages import Facts
from touchback.recording import unknown_name
from touchback.workbench.manipulate.here import here, refuse_rows
from touchback.workbench.manipulate.joints import joint_facts, pose_of
from touchback.workbench.manipulate.kinds import (
    Axis,
    axis_of,
    direction,
    joint_kind,
    tag_of,
)
from touchback.workbench.manipulate.loops import check_tie, new_loop, open_loop, tied
from touchback.workbench.manipulate.messages import Edit, Joint, Undo
from touchback.workbench.manipulate.placement import Placing
from touchback.workbench.manipulate.rejoin import rejoin, with_options
from touchback.workbench.manipulate.reshape import EDIT, Change, Reshape

Rests = list[str]  # forces and sensors that an edit leaves without something to act on
_FAR = 1e9  # rad or m: a limit that is none


class Edits:
    """Edits of a run's structure."""

    def __init__(self, desk: Desk, reshape: Reshape) -> None:
        self._desk, self._reshape = desk, reshape
        self._makers: dict[str, Callable[[Edit, Rests], Change]] = {
            "kind": self._kind, "weld": self._weld, "free": self._free, "limits": self._limits,
            "friction": self._friction, "placement": self._placement,
            "add loop": self._close, "remove loop": self._open,
        }  # fmt: skip

    def edit(self, asked: Edit, client: str) -> Facts:
        """Makes an edit."""
        refuse_rows(self._desk.live.system)
        for name in {asked.joint, asked.loop} - {""} or {""}:  # whichever of them it changes
            self._desk.check("structure", name)
        live = self._desk.live
        ties = asked.change == "add loop" or asked.joint in live.system.model.closures
        rests = ties and live.plan.speed is not None  # one without a clock rests between its runs
        with self._reshape.lock, live.resting() if rests else nullcontext():
            left: Rests = []
            change = self._makers[asked.change](asked, left)
            facts = self._reshape.add(change)
        return {"words": change.words, **facts, "rests": sorted(set(left))}

    def undo(self, asked: Undo, client: str) -> Facts:
        """Takes the last edit or law back; one that can't be is named, and may be let be."""
        with self._reshape.lock:
            last = self._reshape.last(EDIT)
            self._desk.check("structure", last.name)
            if asked.skip:
                return {"words": f"stays: {last.words}", **self._reshape.keep()}
            try:
                facts = self._reshape.take_back(EDIT)[1]
            except TouchbackError as error:
                raise InputError(
                    f'The edit "{last.words}" can\'t be taken back now. {error} Or let it be '
                    "(`undo` with `skip`): it stays, and edits before it can be taken back."
                ) from error
        return {"words": f"without: {last.words}", **facts, "rests": []}

    def joint(self, asked: Joint, client: str) -> Facts:
        """What can be seen of a joint."""
        refuse_rows(self._desk.live.system)
        facts = joint_facts(here(self._desk.live), asked.joint)
        placed = asked.placement and not facts["loop"]
        return {**facts, **({"placement": self._placing().facts(asked.joint)} if placed else {})}

    # ---- joints ---------------------------------------------------------------------------------

    def _kind(self, asked: Edit, rests: Rests, word: str | None = None) -> Change:
        name, model = asked.joint or asked.loop, self._desk.live.system.model
        tag, axis = word or tag_of(asked.kind), direction(asked.axis)
        if name in model.closures:
            return self._loop_kind(name, tag, axis)
        if name not in model.joints:
            raise unknown_name("joint", name, [*model.joints, *model.closures])

        now = here(self._desk.live)
        stood = {**now.parameters, **dict(zip(now.system.layout.q, map(float, now.q)))}

        def alter(model: Model) -> None:
            like = model.joints[name].kind
            rests.extend(rejoin(model, name, joint_kind(tag, axis, asked.pitch, like), stood))

        return Change(EDIT, name, f"joint '{name}' {tag}", alter, key=("kind", name))

    def _weld(self, asked: Edit, rests: Rests) -> Change:
        return self._kind(asked, rests, "fixed")

    def _free(self, asked: Edit, rests: Rests) -> Change:
        if asked.joint in self._desk.live.system.model.closures:
            return self._open(asked, rests)
        return self._kind(asked, rests, "free")

    def _limits(self, asked: Edit, rests: Rests) -> Change:
        """Parameters of the run where it has limits already; else another structure has them."""
        now, name = here(self._desk.live), asked.joint
        low = -_FAR if asked.low is None else asked.low
        high = _FAR if asked.high is None else asked.high
        self._check_coordinate(asked)
        joint = now.system.model.joints[name]
        full = joint.position_names(name)[asked.coordinate]
        q = float(now.q[list(now.system.layout.q).index(full)])
        if joint.kind.nq == joint.kind.nv and not low <= q <= high:
            raise InputError(
                f"Joint '{name}': '{full}' is {q:.4g} now, outside of {_span(low, high)}; its "
                "stop would throw it back. Bring it there first, or give wider limits."
            )
        names = limit_names(full)
        if joint.limits and set(names) <= set(now.parameters):
            was = {each: now.parameters[each] for each in names}
            values = dict(zip(names, (low, high), strict=True))
            if low > was[names[1]]:
                values = dict(reversed(values.items()))  # never one beyond the other
            return Change(
                EDIT, name, f"limits of '{full}'", lambda model: None, sets=values,
                was=dict(reversed(was.items())) if was[names[0]] > high else was,
            )  # fmt: skip
        return self._option(asked, "limits", (low, high), (-_FAR, _FAR))

    def _friction(self, asked: Edit, rests: Rests) -> Change:
        return self._option(asked, "friction", asked.value, 0.0)

    def _option(self, asked: Edit, word: str, given: object, nothing: object) -> Change:
        """Another number for one coordinate of a joint."""
        name, index = asked.joint, asked.coordinate
        self._check_coordinate(asked)

        def alter(model: Model) -> None:
            joint = model.joints[name]
            own = list(getattr(joint, word)) or [nothing] * joint.kind.nv
            if index < len(own):  # else one of another kind, which it was for a while
                own[index] = given
                told = () if all(each == nothing for each in own) else tuple(own)
                changed = with_options(name, joint, {word: told})
                model.joints[name] = model.with_live_limits(name, changed)

        return Change(EDIT, name, f"{word} of '{name}'", alter, key=(f"{word} {index}", name))

    def _placement(self, asked: Edit, rests: Rests) -> Change:
        name, frame = asked.joint, self._placing().frame(asked)

        def alter(model: Model) -> None:
            model.joints[name] = replace(model.joints[name], parent=frame)

        return Change(EDIT, name, f"placement of '{name}'", alter, key=("placement", name))

    def _placing(self) -> Placing:
        return Placing(self._reshape.model(), here(self._desk.live))

    def _check_coordinate(self, asked: Edit) -> None:
        name, joints = asked.joint, self._desk.live.system.model.joints
        if name not in joints:
            raise unknown_name("joint", name, joints)
        count = joints[name].kind.nv
        if asked.coordinate >= count:
            raise InputError(
                f"Joint '{name}': it has {count} coordinate(s), numbered from 0; there is none "
                f"numbered {asked.coordinate}."
            )

    # ---- loops ----------------------------------------------------------------------------------

    def _loop_kind(self, name: str, tag: str, axis: Axis | None) -> Change:
        now = here(self._desk.live)
        old = now.system.model.closures[name]
        own = axis_of(old.kind)
        if axis is None and own is not None:
            x, y, z = map(float, pose_of(now, old.a)[0] @ np.array(own))
            axis = x, y, z
        loop = tied(now, tag, old.a, old.b, axis)

        def alter(model: Model) -> None:
            open_loop(model, name)
            model.close(name, loop.kind, loop.a, loop.b)

        return Change(EDIT, name, f"loop '{name}' {tag}", alter, key=("kind", name))

    def _close(self, asked: Edit, rests: Rests) -> Change:
        name, loop = asked.loop, new_loop(here(self._desk.live), asked)
        words = f"loop '{name}' between '{loop.a.body}' and '{loop.b.body}'"
        return Change(EDIT, name, words, lambda model: model.close(name, loop.kind, loop.a, loop.b))

    def _open(self, asked: Edit, rests: Rests) -> Change:
        name = asked.loop or asked.joint
        check_tie(self._desk.live.system.model, name)
        return Change(
            EDIT, name, f"no loop '{name}'", lambda model: rests.extend(open_loop(model, name))
        )


def _span(low: float, high: float) -> str:
    """Limits in words; an end that is far off is none."""
    if low <= -_FAR:
        return f"everything up to {high:g}"
    return f"{low:g} and more" if high >= _FAR else f"{low:g} to {high:g}"
