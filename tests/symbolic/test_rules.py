"""Each row of the rule table does what its example says, and changes no value."""

import math
from random import Random

import pytest

from touchback.symbolic import Operators, Tape, replay
from touchback.symbolic.simplification_rules import RULES, Rule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_example_of_a_rule_comes_out_as_the_very_node_it_promises(rule: Rule) -> None:
    tape = Tape()
    written, promised = rule.example(tape, tape.symbol("x"), tape.symbol("y"))
    assert written == promised


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_is_needed_for_its_own_example(rule: Rule) -> None:
    tape = Tape(rules=[other for other in RULES if other is not rule])
    written, promised = rule.example(tape, tape.symbol("x"), tape.symbol("y"))
    assert written != promised


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_both_sides_of_a_rule_have_the_same_value_on_a_tape_without_rules(rule: Rule) -> None:
    tape = Tape(rules=())
    sides = rule.example(tape, tape.symbol("x"), tape.symbol("y"))
    random = Random(rule.name)
    for _ in range(50):
        env = {"x": random.uniform(0.01, 0.99), "y": random.uniform(-3.0, 3.0)}
        written, promised = replay(tape, sides, Operators(), env)
        # A handful of operations on numbers near one: each rounds to 1.1e-16.
        assert written == pytest.approx(promised, rel=1e-13, abs=1e-14)


def test_every_rule_says_why_it_is_worth_having() -> None:
    assert all(rule.why for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    "exponent, expected",
    [
        *((0.0, 1.0), (1.0, 0.7), (-1.0, 1 / 0.7), (5.0, 0.7**5)),
        *((-0.5, 0.7**-0.5), (0.5, 0.7**0.5), (2.5, 0.7**2.5), (3.5, 0.7**3.5)),
    ],
)
def test_whole_and_half_powers_need_no_pow(exponent: float, expected: float) -> None:
    tape = Tape()
    power = tape.pow(tape.symbol("x"), tape.const(exponent))
    assert "pow" not in {_name(tape, i) for i in range(len(tape))}
    assert replay(tape, [power], Operators(), {"x": 0.7})[0] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("exponent", [math.inf, -math.inf, math.nan, 9.0, 1e300])
def test_other_constant_powers_stay_powers(exponent: float) -> None:
    tape = Tape()
    power = tape.pow(tape.symbol("x"), tape.const(exponent))
    assert _name(tape, power) == "pow"


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_whole_powers_of_a_negative_pull_the_sign_out(n: int) -> None:
    tape = Tape()
    x = tape.symbol("x")
    positive = tape.pow(x, tape.const(n))
    assert tape.pow(-x, tape.const(n)) == (positive if n % 2 == 0 else -positive)


def test_inverse_functions_of_negatives_give_the_negative_back() -> None:
    tape = Tape()
    x = tape.symbol("x")
    assert tape.log(tape.exp(-x)) == -x
    assert tape.select(tape.symbol("c"), -x, -x) == -x
    assert tape.select(1, tape.const(-2.0), x) == tape.const(-2.0)


def test_terms_cancel_in_every_arrangement() -> None:
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    total, difference = tape.add(x, y), tape.sub(x, y)
    assert tape.sub(total, x) == y
    assert tape.sub(total, y) == x
    assert tape.sub(x, total) == -y
    assert tape.sub(y, total) == -x
    assert tape.add(difference, y) == x
    assert tape.sub(difference, x) == -y
    assert tape.sub(x, difference) == y
    assert tape.add(y, difference) == x


def _name(tape: Tape, node: int) -> str:
    from touchback.symbolic.ops import NAME

    return NAME[tape.op[abs(node)]]
