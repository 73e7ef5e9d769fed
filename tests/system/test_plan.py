"""Plans of large mechanisms are estimated, and the estimates are good."""

import pytest

import touchback as tb
from touchback.system.derivation_plan import _Counted
from touchback.system.signal_layout import layout_of


def _hand(fingers: int, length: int) -> tb.Model:
    """Chains of revolute joints with general placements, side by side on the ground."""
    model = tb.Model("hand")
    for f in range(fingers):
        parent = model.ground
        for k in range(length):
            name = f"{f}-{k}"
            body = model.body(name, 1.0, (0.1, 0.02, 0.03), (0.01, 0.02, 0.025))
            frame = parent.at(0.3, 0.1 * f, 0.05, turn=(("x", 0.3 + k), ("y", 0.7 - f)))
            model.joint(name, tb.Revolute("xyz"[(f + k) % 3]), frame, body)
            parent = body
    return model


@pytest.mark.parametrize(("fingers", "length"), [(32, 2), (11, 6), (8, 8), (6, 11)])
def test_the_estimated_algorithm_costs_hardly_more_than_the_best(fingers: int, length: int) -> None:
    model = _hand(fingers, length)
    assert fingers * length > 60  # beyond what is counted
    plan, layout = model.compile().plan, layout_of(model)
    counted = _Counted(model, layout, plan.frame_pass)
    costs = {name: counted.flops(name) for name in ("articulated", "factorised")}
    assert costs[plan.algorithm] <= 1.06 * min(costs.values()), costs
