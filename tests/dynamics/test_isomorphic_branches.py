"""Which branches of a tree are equal."""

import touchback as tb
from branched_robots import quadruped
from touchback.dynamics.kinematic_tree import isomorphic_branches


def _on(m: tb.Model, body: str, name: str, *kinds: tb.JointKind) -> str:
    """Joints one after the other, each with a body of its name."""
    for j, kind in enumerate(kinds):
        child = f"{name}{j}"
        m.body(child, 1.0)
        m.joint(child, kind, body, child)
        body = child
    return body


def test_legs_of_a_quadruped_are_one_group_joint_by_joint() -> None:
    (legs,) = isomorphic_branches(quadruped())
    names = ("fore left", "fore right", "hind left", "hind right")
    assert legs == [[f"{leg} {j}" for j in range(3)] for leg in names]


def test_what_branches_off_or_is_joined_rigidly_belongs_to_a_limb() -> None:
    """Two arms with a hand of two fingers, one of them on a rigid wrist; a third arm has only one
    finger, and single joints are no branches."""
    m, turn = tb.Model("arms"), tb.Revolute("z")
    trunk = _on(m, "ground", "trunk", turn)
    for name, wrist in (("a", ()), ("b", (tb.Fixed(),))):
        hand = _on(m, trunk, name, turn, tb.Prismatic("x"), *wrist)
        for finger in "xy":
            _on(m, hand, name + finger, turn)
    _on(m, _on(m, trunk, "c", turn, tb.Prismatic("x")), "cx", turn)
    _on(m, trunk, "d", turn)
    (arms,) = isomorphic_branches(m)
    assert [sorted(arm) for arm in arms] == [["a0", "a1", "ax0", "ay0"], ["b0", "b1", "bx0", "by0"]]
    kinds = [[type(m.joints[name].kind) for name in arm] for arm in arms]
    assert kinds[0] == kinds[1]


def test_a_chain_and_limbs_of_other_joints_are_not_alike() -> None:
    m, turn = tb.Model("others"), tb.Revolute("z")
    trunk = _on(m, "ground", "trunk", turn)
    _on(m, trunk, "a", turn, turn)
    _on(m, trunk, "b", turn, tb.Prismatic("z"))
    assert isomorphic_branches(m) == []
