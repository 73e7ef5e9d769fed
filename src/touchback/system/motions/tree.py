"""Motion of a tree of joints: as many freedoms as velocities, accelerations in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from touchback.system.constrained import NO_ROWS
from touchback.system.functions import rate_equations, update_equations
from touchback.system.motions.acting import Acting, Key
from touchback.system.motions.motion import Motion

if TYPE_CHECKING:
    from touchback.system.system import System


class Tree(Motion):
    """M a + c = τ, solved in the order of the tree."""

    cannot: ClassVar = {
        "terms": "it has no constraints; its terms are `mass_matrix`, `bias` and `joint_efforts`."
    }

    def acting(self, key: Key, stiffness: bool = False) -> Acting:
        """`rate`, `configuration rate`, `outputs`, `updates`."""
        return self.once("acting", self._derive)

    def _derive(self) -> Acting:
        d = self.derive(self.whole)
        rate, q_rate, outputs = rate_equations(d, self.plan.algorithm)
        wanted = {"rate": rate, "configuration rate": q_rate, "outputs": outputs}
        return Acting(self.whole, NO_ROWS, d.functions(wanted | {"updates": update_equations(d)}))

    def text(self, system: System) -> str:
        """Bodies, sizes, and what was chosen."""
        model, layout, plan, (nq, nv, nz) = self.whole, self.layout, self.plan, system.sizes
        frames = "chosen" if plan.frame_pass else "described"
        rows = [
            f"{self.name}: {_number(len(model.bodies), 'body', 'bodies')}, "
            f"{_number(len(model.joints), 'joint', 'joints')}",
            f"  positions {nq}, velocities {nv} (freedoms), extra states {nz}, "
            f"inputs {len(layout.inputs)}, sensors {len(layout.outputs)}, "
            f"live parameters {len(layout.parameters)}",
            f"  coordinates: {', '.join(layout.q[:12])}{'…' if nq > 12 else ''}",
            f"  forward dynamics: {plan.algorithm}, {frames} link frames, {system.counts()}",
        ]
        return "\n".join(rows)


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
