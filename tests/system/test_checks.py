"""A joint that moves nothing is found; every other mechanism passes."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import touchback as tb
from described_models import ALL
from touchback.dynamics.forward_dynamics import mass_matrix_entries
from touchback.dynamics.numeric_instant import float_instant
from touchback.errors import ModelError
from touchback.system.model_checks import check_inertia, check_model


@pytest.mark.parametrize("describe", ALL, ids=lambda describe: describe.__name__)
def test_the_samples_pass(describe: object) -> None:
    check_model(describe())  # type: ignore[operator]


KINDS = (tb.Revolute("x"), tb.Revolute("z"), tb.Prismatic("y"), tb.Universal("x", "y"))
INERTIAS = ((0.0, 0.0, 0.0), (0.0, 0.1, 0.1), (0.1, 0.1, 0.1))
links = st.tuples(
    st.integers(0, 10),  # where on the tree
    st.sampled_from(KINDS),
    st.sampled_from([0.0, 0.0, 1.0]),  # mass
    st.sampled_from(INERTIAS),
    st.sampled_from([0.0, 0.3]),  # distance of the centre of mass from the joint
    st.sampled_from([0.0, 0.0, 0.01]),  # armature
)


@given(st.lists(links, min_size=1, max_size=4))
def test_the_check_agrees_with_the_rank_of_the_mass_matrix(described: list[tuple]) -> None:
    """NumPy's rank, after scaling rows and columns to a unit diagonal, is the other opinion."""
    m = tb.Model("random")
    bodies = [m.ground]
    for i, (where, kind, mass, inertia, reach, armature) in enumerate(described):
        com = (reach, 0, 0)
        body = m.body(f"body {i}", mass=mass, com=com, inertia=inertia if mass else (0, 0, 0))
        parent = bodies[where % len(bodies)].at(0.2, 0.1, 0.3)
        turn = [0.3 + 0.1 * i] * kind.nq
        m.joint(f"joint {i}", kind, parent, body, armature=armature, position=turn)
        bodies.append(body)
    instant = float_instant(m)
    M = np.zeros((instant.tree.nv, instant.tree.nv))
    for place, entry in mass_matrix_entries(instant).items():
        M[place] = entry
    scale = np.sqrt(np.diag(M))
    singular = not all(scale > 0) or np.linalg.eigvalsh(M / np.outer(scale, scale))[0] < 1e-9
    if singular:
        with pytest.raises(ModelError, match="nothing resists its motion"):
            check_inertia(float_instant(m))
    else:
        check_inertia(float_instant(m))


CHAINS = (
    tb.Universal("x", "y"), tb.Universal("x", "z"), tb.Universal("z", "y"), tb.Spherical(),
    tb.Revolute("y"), tb.Cylindrical("x"), tb.Planar("z"), tb.Screw("z", 0.1),
)  # fmt: skip


@pytest.mark.parametrize("second", CHAINS, ids=repr)
@pytest.mark.parametrize("first", CHAINS, ids=repr)
@pytest.mark.parametrize("offset", [(0, 0, 0), (0.2, 0, 0), (0, 0, 0.2)])
def test_a_branch_without_mass_on_a_point_mass_passes_only_with_a_regular_mass_matrix(
    first: tb.JointKind, second: tb.JointKind, offset: tuple[float, float, float]
) -> None:
    """At most three freedoms of a point mass have inertia, whatever the joints in series: the rank
    by NumPy at three random positions decides."""
    m = tb.Model("point on a branch")
    branch, mass = m.body("branch"), m.body("mass", 1.0, (0.3, 0, 0))
    m.joint("first", first, m.ground, branch)
    m.joint("second", second, branch.at(*offset), mass)
    n = first.nv + second.nv
    ranks = []
    for seed in range(3):
        q = np.random.default_rng(seed).normal(size=first.nq + second.nq)
        M = np.zeros((n, n))
        for place, entry in mass_matrix_entries(float_instant(m, q.tolist())).items():
            M[place] = entry
        ranks.append(np.linalg.matrix_rank(M, tol=1e-10, hermitian=True))
    if max(ranks) < n:
        with pytest.raises(ModelError, match="nothing resists its motion"):
            check_inertia(float_instant(m))
    else:
        check_inertia(float_instant(m))


def test_inertias_of_very_different_sizes_pass() -> None:
    """A gram of hoops in gimbals about a ton, and a wheel a thousand kilometres out: badly scaled,
    and each with accelerations of its own."""
    m = tb.Model("unlike")
    tiny, huge = (1e-7, 1e-7, 1e-7), (300.0, 310.0, 320.0)
    outer, inner = m.body("outer", 1e-3, inertia=tiny), m.body("inner", 1e-3, inertia=tiny)
    ton = m.body("ton", 1e3, (0.01, 0, 0), huge)
    far = m.body("far", 1e-3, inertia=tiny)
    m.joint("outer", tb.Revolute("z"), m.ground, outer)
    m.joint("inner", tb.Revolute("x"), outer, inner)
    m.joint("ball", tb.Spherical(), inner, ton)
    m.joint("far", tb.Spherical(), ton.at(1e6, 0, 0), far)
    check_inertia(float_instant(m))


def test_the_joint_without_inertia_is_named_not_the_one_beyond_it() -> None:
    m = tb.Model("coaxial")
    m.body("ring")
    m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("outer", tb.Revolute("z"), m.ground, "ring")
    m.joint("inner", tb.Revolute("z"), "ring", "wheel")
    with pytest.raises(ModelError, match=r"Joint 'outer': .* body 'ring'"):
        check_inertia(float_instant(m))


def test_a_coordinate_of_several_is_named() -> None:
    m = tb.Model("point")
    m.body("dot", mass=1.0)
    m.joint("fly", tb.Free(), m.ground, "dot")
    with pytest.raises(ModelError, match=r"its motion along 'fly.w[xyz]'"):
        check_inertia(float_instant(m))


def test_a_mass_on_an_arm_without_mass_counts_by_its_lever() -> None:
    m = tb.Model("sling")
    m.body("arm")
    m.body("stone", mass=1.0)
    m.joint("pivot", tb.Revolute("z"), m.ground, "arm")
    m.joint("slide", tb.Prismatic("x"), "arm", "stone", position=0.3)
    check_inertia(float_instant(m))


@pytest.mark.parametrize("distance", [0.0, 1e3])
def test_small_inertias_count_wherever_they_are(distance: float) -> None:
    m = tb.Model("watch")
    m.body("hand", mass=1e-6, com=(1e-3, 0, 0), inertia=(1e-13, 1e-12, 1e-12))
    m.joint("axle", tb.Revolute("z"), m.ground.at(distance, distance, 0), "hand")
    check_inertia(float_instant(m))


def test_an_expression_without_a_finite_value_is_named() -> None:
    m = tb.Model("bad")
    p = m.parameter("p", 0.0)
    m.body("b", mass=1 / p)
    m.joint("j", tb.Revolute("z"), m.ground, "b")
    with pytest.raises(ModelError, match="Body 'b': its mass is inf at the default parameters"):
        check_model(m)


def test_a_part_is_named_when_it_is_faulty() -> None:
    leg = tb.Model("leg")
    leg.force("push", tb.Wrench("foot", force=(1, 0, 0)))
    m = tb.Model("walker")
    m.add(leg, name="left")
    with pytest.raises(ModelError, match="Part 'left': Force 'push': there is no body 'foot'"):
        check_model(m)
