"""How arms and links are held on a chassis: by bearings, or by rubber."""

from dataclasses import dataclass
from math import atan2, hypot

from touchback.model.closures import Rod
from touchback.model.forces import Bushing, SpringDamper
from touchback.model.frame import Frame
from touchback.model.model import Model
from touchback.model.value import Value
from touchback.vehicle.part import FromZero, Part, Point, Positive


class Mounts(Part, frozen=True, kw_only=True):
    """A rubber bushing in every pivot on the chassis: its stiffness across (`radial`) and along
    the pivot's line (`axial`) [N/m], about that line (`torsion`) and square to it (`conical`)
    [N m/rad]; its dampers are these times `loss` [s]. A link's is across only. The numbers are
    ours, of the order of solid rubber in a small car; 0.2 ms are a phase of 7° at 100 Hz."""

    radial: Positive = 4e6
    axial: Positive = 4e5
    torsion: FromZero = 60.0
    conical: FromZero = 250.0
    loss: FromZero = 2e-4

    def rubber(self, fixed: Frame, moved: Frame, gain: Value) -> Bushing:
        """A bushing about the x axis of two frames that coincide at design."""
        along, across = gain * self.axial, gain * self.radial
        about, square = gain * self.torsion, gain * self.conical
        lost = self.loss
        return Bushing(
            fixed, moved, (along, across, across), (lost * along, lost * across, lost * across),
            (about, square, square), (lost * about, lost * square, lost * square),
        )  # fmt: skip


@dataclass(frozen=True)
class Pivots:
    """The pivots of an axle: `raised` [m] above design; in bearings, or on rubber, whose stiffness
    is `gain` times that of its `mounts`."""

    raised: Value
    mounts: Mounts | None
    gain: Value = 1.0

    def link(self, model: Model, name: str, ends: tuple[Frame, Frame], length: Value) -> None:
        """A rod without mass between two points: rigid, or as stiff as its mount."""
        if self.mounts is None:
            model.close(name, Rod(length), *ends)
            return
        stiffness = self.gain * self.mounts.radial
        spring = SpringDamper(*ends, stiffness, self.mounts.loss * stiffness, length)
        model.force(name, spring)


def along_x(way: Point) -> list[tuple[str, Value]]:
    """Turns that lay x along a direction."""
    x, y, z = way
    return [("z", atan2(y, x)), ("y", -atan2(z, hypot(x, y)))]
