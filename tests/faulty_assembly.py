"""Positions that can't be, and what is allowed but said."""

import touchback as tb
from constraint_faults import fault, four_bar, said, slider_crank, two_arms


@fault(
    "too many coordinates kept",
    "Assembly",
    "Closure 'pin': its two points are 0.29 m apart at best, 0.31 at the guess, with "
    "the given 'crank', 'slider'. It closes when nothing is given, with 1 freedom left: give "
    "fewer coordinates, or others.",
)
def _() -> None:
    slider_crank().compile().assemble(crank=0.3, slider=0.2)


@fault(
    "position beyond reach",
    "Assembly",
    "Closure 'pin': its two points are 0.4 m apart at best, 0.45 at the guess, with "
    "the given 'slider'. It closes when nothing is given, with 1 freedom left: give fewer "
    "coordinates, or others.",
)
def _() -> None:
    slider_crank().compile().assemble(slider=0.9)


@fault(
    "rates that contradict each other",
    "Assembly",
    "Closure 'pin': the given rates contradict it by 5.3; give fewer rates, or consistent ones.",
)
def _() -> None:
    slider_crank().compile().assemble(crank=0.3, rates={"crank": 10.0, "slider": 5.0})


@fault("unknown coordinate", "Assembly", "There is no coordinate 'cranck'; did you mean 'crank'?")
def _() -> None:
    slider_crank().compile().assemble(cranck=0.3)


@fault(
    "guess on the wrong branch",
    "Assembly",
    "Closure 'hinge': it is met the wrong way round, with the axes of its frames opposite. "
    "Give a guess nearer to the branch that you want (`guess=`, or the initial positions of"
    " joints), or turn a frame of 'door' by half a turn.",
)
def _() -> None:
    m = tb.Model("door")
    m.body("door", mass=10.0, inertia=(1.0, 1.0, 1.0))
    m.joint("free", tb.Free(), m.ground, "door")
    m.close("hinge", tb.Revolute("z"), m.ground, "door")
    m.compile().assemble(guess={"free.qw": 0.1, "free.qx": 1.0})


@fault(
    "freedom without inertia",
    "Assembly",
    "slider-crank: nothing resists the motion of 'flag', which the constraints leave free: "
    "what moves has no inertia there. Give the bodies a mass or an inertia, or the joints "
    "an `armature`.",
)
def _() -> None:
    m = slider_crank()
    m.body("flag")
    m.joint("flag", tb.Revolute("y"), "rod", "flag")
    m.compile()


@fault(
    "multiplier of an unknown row",
    "Assembly",
    "Sensor 'pin force': there is no constraint row 'pin'; did you mean 'pin.2' or 'pin.1'?",
)
def _() -> None:
    m = slider_crank()
    m.sensor("pin force", tb.Multiplier("pin"))
    m.compile()


@fault(
    "switch of an unknown constraint",
    "Assembly",
    "There is no constraint 'pni'; did you mean 'pin'?",
)
def _() -> None:
    slider_crank().compile().deactivate("pni")


@said(
    "redundant constraints",
    "Allowed, and reported by `freedoms`",
    "1 freedom: rod\nredundant constraints: weld\nforces that aren't determined: weld",
)
def _() -> None:
    m = slider_crank()
    m.close("weld", tb.PointOnPlane("y"), m.ground, "rod")
    print(m.compile().freedoms())


@said(
    "redundant gears",
    "Allowed, and reported by `freedoms`",
    "1 freedom: right\nredundant constraints: belt\nforces that aren't determined: gears, belt",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "right", ratio=-1.0))
    m.couple("belt", tb.Gear("right", "left", ratio=-1.0))
    print(m.compile().freedoms())


@said(
    "mechanism that can't move",
    "Allowed, and reported by `freedoms`",
    "no freedom is left: nothing can move",
)
def _() -> None:
    m = slider_crank()
    m.drive("crank", 0.3)
    print(m.compile().freedoms())


@said(
    "singular position at the start",
    "Allowed, and reported by `freedoms`",
    "2 freedoms: coupler, out\nsingular position: rows that add nothing here, but do nearby: pin.1",
)
def _() -> None:
    flat = {"in": 0.0, "coupler": 0.0, "out": 3.141592653589793}
    system = four_bar().compile()
    print(system.freedoms(flat))
