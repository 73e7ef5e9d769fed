"""Weights that were measured on real pianos tell leads and frictions of the action."""

import numpy as np
import pytest

from studies.piano.weighed import (
    CAUSES,
    CENTRES,
    KAWAI,
    KNUCKLE,
    LEAD,
    NEW,
    STEINWAY,
    Weighed,
    fit,
)
from touchback.errors import InputError
from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.stroke_analysis import key_weights
from touchback.system import System

SPEC = Specification()


def test_balance_weights_are_those_that_their_measurer_calculated() -> None:
    assert KAWAI["before"].balance == pytest.approx(45e-3, rel=1e-12)
    assert KAWAI["after"].balance == pytest.approx(39e-3, rel=1e-12)
    assert (KAWAI["after"].down, KAWAI["after"].up) == pytest.approx((48e-3, 30e-3), rel=1e-12)
    assert (STEINWAY["new"].down, STEINWAY["new"].up) == pytest.approx((52.3e-3, 26.5e-3))


def test_the_mean_of_two_weights_errs_by_less_than_each() -> None:
    """Half of a sum of two numbers that err by 2 g each errs by √2 g."""
    key = Weighed.of(70e-3, 20e-3, 2e-3)
    assert key.balance_error == key.friction_error == pytest.approx(np.sqrt(2.0) * 1e-3)


def test_leads_and_centres_of_a_known_key_are_found_from_its_weights(slowly: System) -> None:
    built = {LEAD: 0.030, CENTRES: 1.3}
    down, up = key_weights(slowly, built) or (0.0, 0.0)
    found = fit(slowly, {"new": Weighed.of(down, up, 1e-3)}, NEW)
    assert found.parameters("new") == pytest.approx(built, rel=1e-3)  # ten times where it stops
    assert found.freedoms == 0 and found.chance == 1.0


def test_a_steinway_s_leads_are_what_a_technician_would_calculate(slowly: System) -> None:
    """Leads balance by their arm. Friction of centres moves the model's balance weight by some
    tenths of a gram, which are 1 g of leads."""
    found = fit(slowly, STEINWAY, NEW)
    down, up = key_weights(slowly) or (0.0, 0.0)
    arm = SPEC.masses.lead_distance / SPEC.dimensions.key_front
    lighter = (STEINWAY["new"].balance - (down + up) / 2) / arm
    leads, error, held = found.found(LEAD, "new") or (0.0, 0.0, True)
    assert SPEC.masses.leads - leads == pytest.approx(lighter, abs=1e-3)
    # The balance weight's error, 1.9 g of one key and √14 less of the mean, through that arm.
    assert error == pytest.approx(1.9e-3 / np.sqrt(14.0) / arm, rel=0.05) and not held


def test_a_gram_of_hammer_is_five_at_the_key(slowly: System) -> None:
    """As who weighed the Kawai says of tapered hammers; ratios of grands are 5 to 6."""
    usual, lighter = (
        np.array(key_weights(slowly, {"hammer mass": head}) or ())
        for head in (SPEC.masses.head, SPEC.masses.head - 1e-3)
    )
    assert (usual - lighter) == pytest.approx([5e-3, 5e-3], abs=1e-3)


@pytest.mark.parametrize(
    ("name", "other"),
    [("let-off button height", 5e-4), ("jack spring", 8.5e-3), ("repetition spring", 0.031),
     ("damper mass", 0.036), ("key dip", 9.9e-3)],
)  # fmt: skip
def test_what_a_curve_tells_besides_changes_no_weight(
    slowly: System, name: str, other: float
) -> None:
    """Within 0.3 g: whoever weighs keys has ± 2 g."""
    usual, changed = key_weights(slowly), key_weights(slowly, {name: other})
    assert changed == pytest.approx(usual, abs=0.3e-3)


def test_friction_of_centres_alone_can_t_have_moved_the_balance_weight(slowly: System) -> None:
    found = fit(slowly, KAWAI, CAUSES["centres"])
    assert found.freedoms == 1 and found.chance < 0.05
    before, after = (found.left[state][0] for state in ("before", "after"))
    # The leads, one for both, stand between: half of the 6 g are left of each, less half of what
    # the model's own balance weight rises, a gram at most; 0.1 g are what friction's fit shifts.
    assert before == pytest.approx(-after, abs=0.2e-3) and 2.4e-3 < before < 3e-3
    centres = [found.found(CENTRES, state) or (0.0, 0.0, True) for state in ("before", "after")]
    assert centres[0][0] - centres[1][0] > 5 * np.hypot(centres[0][1], centres[1][1])


@pytest.mark.soak
def test_knuckles_that_rubbed_too_explain_all_four_weights(slowly: System) -> None:
    alone, both = (fit(slowly, KAWAI, CAUSES[cause]) for cause in ("knuckles", "both"))
    assert alone.chance < 1e-3 and (alone.found(KNUCKLE, "before") or (0.0, 0.0, False))[2]
    assert both.misfit < 1e-3
    worse, error, _ = both.found(KNUCKLE, "before") or (0.0, 0.0, True)
    assert worse - SPEC.felts.jack.friction > 2 * error
    centres = [both.found(CENTRES, state) or (0.0, 0.0, True) for state in ("before", "after")]
    assert centres[0][0] > centres[1][0]
    names = [(unknown.parameter, unknown.states[0]) for unknown in both.unknowns]
    pair = [names.index((parameter, "before")) for parameter in (CENTRES, KNUCKLE)]
    together = both.covariance[*pair] / np.prod(both.errors[pair])
    assert together < -0.8  # weights hardly tell them apart


def test_an_action_that_has_no_stroke_to_be_weighed_on_is_refused(slowly: System) -> None:
    with pytest.raises(InputError, match=r"can't be weighed: damper, let-off or key bed begin"):
        fit(slowly.independent_copy({"capstan height": 3e-3}), STEINWAY, NEW)
