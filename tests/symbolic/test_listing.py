"""Listings read as one would write the equations."""

import math

from touchback.symbolic import Table, Tape, Want, lower
from touchback.symbolic.program_listing import listing


def test_a_pendulum_reads_as_in_a_textbook() -> None:
    tape = Tape()
    q, v, length = (tape.symbol(name) for name in ("q", "v", "length"))
    s, c = tape.sincos(q)
    places = {q: ("x", 0), v: ("x", 1), length: ("p", 0)}
    gravity = tape.mul(tape.const(9.81), tape.div(s, length))
    program = lower(tape, [-gravity, tape.add(tape.mul(c, s), v), v], places)
    names = {("x", 0): "q[0]", ("x", 1): "v[0]"}
    assert listing(program, names).splitlines() == [
        "S1 = sin(q[0])",
        "C1 = cos(q[0])",
        "t1 = S1/p[0]",
        "out[0] = -(9.81*t1)",
        "out[1] = S1*C1 + v[0]",
        "out[2] = v[0]",
    ]


def test_conditions_and_signs_stand_where_they_are_used() -> None:
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    places = {x: ("x", 0), y: ("x", 1)}
    program = lower(tape, [tape.select(tape.less(x, y), tape.exp(-x), y)], places)
    assert listing(program).splitlines() == [
        "t3 = exp(-x[0])",
        "out[0] = t3 if x[0] < x[1] else x[1]",
    ]


def test_tables_are_named_by_number_and_what_is_wanted() -> None:
    tape = Tape()
    x = tape.symbol("x")
    table = Table(x=(0.0, 1.0), values=(2.0, 3.0))
    outputs = [tape.lookup(table, x), tape.lookup(table, x, want=Want.DX)]
    text = listing(lower(tape, outputs, {x: ("x", 0)}))
    assert text.splitlines() == ["out[0] = table1(x[0])", "out[1] = table1.dx(x[0])"]


def test_a_listing_means_what_the_program_computes() -> None:
    """The lines are Python: run, they give the program's values (unfused, so to rounding)."""
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    a = tape.sub(x, tape.sub(y, tape.mul(x, tape.const(-3.0))))
    b = tape.div(tape.abs(a), tape.add(tape.mul(a, y), 1))
    c = tape.minimum(tape.sub(b, tape.less(x, y)), tape.maximum(-a, tape.exp(-b)))
    space = {"x": [0.7, 1.9], "out": {}, "exp": math.exp, "min": min, "max": max, "abs": abs}
    exec(listing(lower(tape, [a, -b, c], {x: ("x", 0), y: ("x", 1)})), space)
    a_, b_ = 0.7 - (1.9 + 2.1), 3.3 / (-3.3 * 1.9 + 1.0)
    expected = [a_, -b_, min(b_ - 1.0, max(-a_, math.exp(-b_)))]
    for index, value in enumerate(expected):
        assert math.isclose(space["out"][index], value, rel_tol=1e-14)


def test_a_long_listing_leaves_out_its_middle_and_says_so() -> None:
    tape = Tape()
    value = x = tape.symbol("x")
    for _ in range(200):
        value = tape.sin(tape.exp(value))
    program = lower(tape, [value], {x: ("x", 0)})
    lines = listing(program, limit=11).splitlines()
    assert len(lines) == 12
    assert lines[6] == "… 389 lines left out (limit=None lists all 400) …"
    assert (lines[0], lines[-1]) == ("t1 = exp(x[0])", "out[0] = sin(t200)")
    assert len(listing(program, limit=None).splitlines()) == 400
