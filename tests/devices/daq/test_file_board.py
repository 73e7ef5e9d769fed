"""Files of other programs, written by their own libraries, played as a board.

Every channel is a ramp over its own times, so that a number tells when it was measured."""

import csv
import math
from dataclasses import replace

import numpy as np
import pandas
import pytest

import touchback as tb
from command import touchback
from ramps import FAST, SPEED, check_ramps, played
from touchback.devices.daq import Conditioning, Daq, FileBoard, FileChannel, run_of_blocks
from touchback.devices.device_registry import open_device
from touchback.errors import InputError
from touchback.recording.measured.csv_series import read_csv
from waiting import until

START = 1_777_636_800_000_000_000  # ns: 1 May 2026, 12:00 UTC

# ---- tables of text -----------------------------------------------------------------------------


def spreadsheet(path) -> dict:
    """Decimal commas, names with units below them, a preamble, degrees in one byte, cut at last."""
    lines = ["Logger XY;3,1", "Serial;00123", "# driven in the rain", "Zeit;v;Lenkung;Anm."]
    lines += ["[ms];km/h;[°];"]
    lines += [f"{1e3 * t};{36 * t};{t};ok".replace(".", ",") for t in FAST] + ["600,0;2"]
    path.write_bytes("\r\n".join(lines).encode("cp1252"))
    return {"speed": 10.0, "angle": math.pi / 180}


def logger(path) -> dict:
    """Units beside names, dates and times, tabs; a column of words, one that is there twice."""
    start = np.datetime64("2026-05-01T12:00:00")
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        rows = csv.writer(file, delimiter="\t")
        rows.writerow(["gear", "timestamp", "v [m/s]", "Lenkung (deg)", "x", "x"])
        for t in FAST:
            stamp = start + np.timedelta64(round(1e6 * t), "us")
            rows.writerow(["D", f"{stamp}Z", 10.0 * t, t, 1, 2])
    return {"speed": 10.0, "angle": math.pi / 180}


def frame(path) -> dict:
    """As pandas writes it, with a number of each row before it."""
    pandas.DataFrame({"time_s": FAST, "v": 10.0 * FAST, "Lenkung": 2.0 * FAST}).to_csv(path)
    return {"speed": 10.0, "angle": 2.0}


def numpys(path) -> dict:
    """As NumPy writes it: names are a comment."""
    table = np.column_stack([FAST, 10.0 * FAST, 2.0 * FAST])
    np.savetxt(path, table, delimiter=",", header="t,v,Lenkung")
    return {"speed": 10.0, "angle": 2.0}


def of_day(path) -> dict:
    """Times of the day, and a footer of comments."""
    lines = ["time,v,Lenkung"]
    lines += [f"12:00:00.{round(1e3 * t):03d},{10.0 * t},{2.0 * t}" for t in FAST]
    path.write_text("\n".join([*lines, "# 60 rows"]))
    return {"speed": 10.0, "angle": 2.0}


def ours(path) -> dict:
    tb.Run(FAST, {"v": 36.0 * FAST, "Lenkung": FAST}, {"v": "km/h", "Lenkung": "deg"}).save(path)
    return {"speed": 10.0, "angle": math.pi / 180}


def phone(path) -> dict:
    """As lap timers write it: names, units and sources in lines of their own, seconds since 1970;
    nothing but times before the first fix."""
    lines = ["Created by a lap timer", "Format,3", "", "timestamp,lap,v,Lenkung"]
    lines += ["unix time,,m/s,deg", ",,100: gps,101: imu", "1777636799.9,1,,", "1777636799.95,1,,"]
    lines += [f"{1777636800 + t:.2f},1,{10.0 * t},{t}" for t in FAST]
    path.write_text("\n".join(lines))
    return {"speed": 10.0, "angle": math.pi / 180}


def blanks(path) -> dict:
    """As NumPy and gnuplot have it, with blanks between the cells."""
    np.savetxt(path, np.column_stack([FAST, 10.0 * FAST, 2.0 * FAST]), fmt="%10.6f")
    text = path.read_text()
    path.write_text("time   v   Lenkung\n" + text)
    return {"speed": 10.0, "angle": 2.0}


def virtual_instrument(path) -> dict:
    """Lines about the channels, with numbers in them, above the names."""
    lines = ["Writer\t2", "Separator\tTab", "Channels\t2\t\t", "Samples\t60\t60\t"]
    lines += ["***End***\t\t\t", "X_Value\tv\tLenkung\tComment"]
    lines += [f"{t}\t{10.0 * t}\t{2.0 * t}\t" for t in FAST]
    path.write_text("\n".join(lines))
    return {"speed": 10.0, "angle": 2.0}


TABLES = [virtual_instrument, spreadsheet, logger, frame, numpys, of_day, ours, phone, blanks]


@pytest.mark.parametrize("written", TABLES)
def test_tables_are_played_as_they_were_measured(tmp_path, written) -> None:
    slopes = written(tmp_path / "log.csv")
    blocks = played(tmp_path / "log.csv", {"speed": "v", "angle": "Lenkung"})
    assert len(blocks["number"]) == len(FAST)
    check_ramps(blocks, 0.0, **slopes)


def test_empty_cells_are_no_measurements_and_gaps_are_told(tmp_path) -> None:
    """A logger that writes channels of different rates into one table leaves cells empty; where
    nothing is for long, its number grows old."""
    rows = [["t", "fast", "slow", "words"]]
    for k, t in enumerate(FAST):
        missing = 20 <= k < 40
        fast = "" if k % 7 == 3 else 2.0 * t
        rows.append([f"{t:.2f}", fast, "NaN" if k % 5 or missing else 3.0 * t, "off"])
    with (tmp_path / "log.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    blocks = played(tmp_path / "log.csv", ["fast", "slow", "words"])
    check_ramps(blocks, 0.0, fast=2.0, slow=3.0)
    behind = SPEED * blocks["slow behind"]
    assert behind.max() == pytest.approx(0.24, abs=1e-6)  # measured at 0.15, and then at 0.40
    assert not blocks["words"].any()
    with FileBoard(tmp_path / "log.csv", ["slow"], speed=SPEED) as board, Daq(board) as daq:
        until(lambda: not daq.running)
        told = " ".join([*daq.events, *daq.news()])
    assert "'slow' has no number in 52 places" in told
    assert "'slow' has nothing from 0.15 to 0.4 s of play, 0.05 s being usual" in told


@pytest.mark.parametrize(
    ("text", "wanted", "wrong"),
    [
        ("t,Pedal_pos\n0,1\n1,2\n", "pedalpos", "no column in log.csv 'pedalpos': .*'Pedal_pos'"),
        ("t,a,a\n0,1,2\n1,2,3\n", "a", "2 columns 'a'"),
        ("t,a\n0,1\n1,x\n2,3\n3,4\n", "a", "line 3: column 'a' has 'x', which is no number"),
        ("t,a,b\n0,1,1\n1,1\n2,3,4\n3,4,5\n", "b", r"line 3: fewer cells than columns \(3\)"),
        ("t,a\n0,1\n2,1\n1,3\n", "a", "sample 2 at 1 s, not after the one before at 2 s"),
        ("t,a\n0,\n1,nan\n2,\n", "a", "'a' has no numbers"),
        ("t,a\n0,1\n,2\n1,3\n", "a", "sample 1 at nan s"),
        ("t [furlong],a\n0,1\n1,2\n", "a", "is in 'furlong'; s, ms, us"),
        ("t;a;b\n0;1,5;1.5\n1;2,5;2.5\n", "a", "with points and with commas"),
        ("date,a,b\n1.5.2026 12:00,1,1\n1.5.2026 12:01,2,2\n", "a", "'1.5.2026 12:00' at sample 0"),
        ("t,a\n5,1\n5,2\n", "a", "its time stands still at 5 s; is it another column"),
        ("day;a\n1-May-26 12:00;1\n1-May-26 12:01;2\n", "a", "'1-May-26 12:00' at sample 0"),
        ("speed,a\n1,1\n3,2\n", "a", "no column is called time; say .* are 'speed', 'a'"),
        ("words alone\n", "a", "no table of numbers"),
        ("", "a", "no table of numbers"),
    ],
)  # fmt: skip
def test_tables_that_do_not_say_what_is_asked_for_are_refused(
    tmp_path, text: str, wanted: str, wrong: str
) -> None:
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(InputError, match=wrong):
        FileBoard(tmp_path / "log.csv", [wanted])


def test_the_column_of_time_can_be_named(tmp_path) -> None:
    (tmp_path / "log.csv").write_text("t,clock_ms,a\n0,100,1\n0,350,2\n")
    for time in (FileChannel("clock_ms"), FileChannel("clock_ms", unit="ms")):
        found = read_csv(tmp_path / "log.csv", ["a"], time)["a"]
        np.testing.assert_array_equal(found.times, [100_000_000, 350_000_000])
    (tmp_path / "log.csv").write_text(f"%time,a\n{START},1\n{START + 2_500_000},2\n")
    with pytest.raises(InputError, match="say its unit: time=FileChannel"):
        FileBoard(tmp_path / "log.csv", ["a"])
    ns = FileChannel("time", unit="ns")
    found = read_csv(tmp_path / "log.csv", ["a"], ns)["a"]
    assert np.diff(found.times) == pytest.approx([2_500_000], abs=512)  # as doubles have it


# ---- what becomes of numbers --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "number", "si"),
    [
        ("km/h", 36.0, 10.0), ("Km/h", 36.0, 10.0), ("m s^-2", 2.0, 2.0), ("°", 180.0, math.pi),
        ("deg/s", 90.0, math.pi / 2), ("1/min", 60.0, 1.0), ("U/min", 60.0, 2 * math.pi),
        ("RPM", 30.0, math.pi),
        ("bar", 1.5, 1.5e5), ("MPa", 2.0, 2e6), ("psi", 1.0, 6894.757293168361), ("%", 50.0, 0.5),
        ("g", 1.0, 9.80665), ("N·m", 3.0, 3.0), ("°C", 20.0, 293.15), ("µs", 5.0, 5e-6),
        ("mph", 10.0, 4.4704), ("m/s²", 2.0, 2.0), ("-", 3.0, 3.0), ("furlong", 7.0, 7.0),
    ],
)  # fmt: skip
def test_numbers_of_known_units_are_played_in_si_and_others_as_they_are(
    tmp_path, unit: str, number: float, si: float
) -> None:
    """NIST SP 811, appendix B.8, for those that aren't parts or multiples."""
    for names in (f"t;a [{unit}];b", f"t;a;b\nms;{unit};LSB"):
        (tmp_path / "log.csv").write_text(f"{names}\n0;{number};1\n1;{number};1\n")
        with FileBoard(tmp_path / "log.csv", ["a"]) as board, Daq(board) as daq:
            block = until(daq.latest)
            assert block.quantities["a"] == pytest.approx(si, rel=1e-12)
            unknown = unit in ("furlong", "m s^-2")
            assert board.counts["units"] == unknown
            assert f"[{unit}]" in str(board)


def test_a_channel_of_a_file_has_the_unit_and_the_scale_that_are_given(tmp_path) -> None:
    """First the unit, the file's own or that which is given instead, then the scale."""
    (tmp_path / "log.csv").write_text("t;a [%];b\n0;25;90\n1;25;90\n")
    channels = {
        "counts": FileChannel("a", scale=420.0, offset=3.0), "as it is": FileChannel("a", unit=""),
        "angle": FileChannel("b", unit="deg"),
    }  # fmt: skip
    with FileBoard(tmp_path / "log.csv", channels) as board, Daq(board) as daq:
        found = until(daq.latest).quantities
    assert found == pytest.approx({"counts": 108.0, "as it is": 25.0, "angle": math.pi / 2})


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda path: FileBoard(path, []), "say what is played"),
        (lambda path: FileBoard(path, "a"), "say what is played: .* got 'a'"),
        (lambda path: FileBoard(path, [3]), "called 3; give its name"),
        (lambda path: FileBoard(path, {3: "a"}), "a name is expected, .* got 3"),
        (lambda path: FileBoard(path, {"a": None}), "called None; give its name"),
        (lambda path: FileBoard(path, ["a"], speed=0.0), "positive speed, 1e-6 to 1e6, got 0.0"),
        (lambda path: FileBoard(path / "no", ["a"]), "can't be read"),
        (lambda path: FileChannel("a", scale=math.nan), "'a' of a file: its scale .* got nan"),
        (lambda path: FileChannel("a", offset="1"), "its offset must be a finite number, got '1'"),
        (lambda path: FileChannel("a", unit="furlong"), "unit 'furlong' isn't known"),
        (lambda path: FileBoard(path, {"a": FileChannel("a", 1e308)}), "isn't finite"),
    ],
)  # fmt: skip
def test_what_no_board_can_play_is_refused(tmp_path, make, wrong: str) -> None:
    (tmp_path / "log.csv").write_text("t,a\n0,10\n1,2\n")
    with pytest.raises(InputError, match=wrong):
        make(tmp_path / "log.csv")


def test_a_file_that_nobody_reads_waits_and_closes_at_once(tmp_path) -> None:
    """A pipe holds 64 KiB: what is due beyond it comes when somebody reads."""
    t = 1e-6 * np.arange(5000)
    np.savetxt(tmp_path / "log.csv", np.column_stack([t, t]), delimiter=",", header="t,a")
    with FileBoard(tmp_path / "log.csv", ["a"], speed=1e3) as board:
        until(lambda: board.counts["given"] > 1000)
        with Daq(board) as daq:
            until(lambda: not daq.running)
            blocks = daq.blocks()
    np.testing.assert_allclose(blocks["a"], t, atol=1e-15)
    with FileBoard(tmp_path / "log.csv", ["a"], speed=1e-6) as board:
        pass  # its next block is due in a second


def test_what_is_made_of_a_file_s_channels_knows_how_old_each_is(tmp_path) -> None:
    """Ramps predicted to now by their slopes meet, though the slow one is 0.17 s behind at last;
    and what was drained is kept over its own times."""
    rows = [f"{t:.2f};{2 * t};{'' if k % 21 else 2 * t}" for k, t in enumerate(FAST)]
    (tmp_path / "log.csv").write_text("t;fast;slow\n" + "\n".join(rows))
    with FileBoard(tmp_path / "log.csv", ["fast", "slow"]) as board:
        c = Conditioning(board.layout)
        for name in ("fast", "slow"):
            c.give(f"{name} now", c.now(c[name], 2.0, of=name), of=name)
        with Daq(board, c) as daq:
            until(lambda: not daq.running)
            found, blocks = daq.latest().quantities, daq.blocks()
    assert found["fast"] - found["slow"] == pytest.approx(2.0 * 0.17)
    assert found["fast now"] == pytest.approx(found["slow now"], abs=1e-8)  # whole ns
    made = np.zeros(len(FAST), dtype=replace(board.layout, stamped=False).dtype)
    for name in made.dtype.names:
        made[name] = blocks[name]
    again = Conditioning(board.layout)
    again.give("slow now", again.now(again["slow"], 2.0, of="slow"), of="slow")
    np.testing.assert_allclose(again.compile().run(made)["slow now"], 2.0 * FAST, atol=1e-12)
    np.testing.assert_allclose(run_of_blocks(board.layout, blocks).time, FAST, atol=1e-6)


def test_while_the_file_has_nothing_it_says_so(tmp_path) -> None:
    (tmp_path / "log.csv").write_text("t,a\n0,1\n1,2\n2,3\n3000,4\n")
    with FileBoard(tmp_path / "log.csv", ["a"], speed=100.0) as board, Daq(board) as daq:
        told = "no whole block for 0.5 s: the file has nothing from 2 to 3000 s of play"
        until(lambda: any(told in text for text in daq.events))


def test_a_file_drives_a_model_from_the_command_line(tmp_path) -> None:
    """A force of 20 N/s in the file, doubled: what a cart is pushed by at each tick is one of its
    numbers, each after the one before."""
    m = tb.Model("cart")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    m.force("push", tb.JointEffort("slide", m.input("push", unit="N")))
    m.save(tmp_path / "cart.yaml")
    rows = [f"{t:.2f};{0.02 * t}" for t in FAST]
    (tmp_path / "log.csv").write_text("t;F [kN]\n" + "\n".join(rows))
    words = ["live", tmp_path / "cart.yaml", "--seconds", "0.6", "--record", tmp_path / "run.mcap"]
    done = touchback(*words, "--connect", f"push=file:{tmp_path / 'log.csv'}?push=2*F")
    assert done.returncode == 0, done.stderr
    pushed = tb.open(tmp_path / "run.mcap")["push"]
    assert np.all(np.diff(pushed) >= 0.0) and len(np.unique(pushed)) > 1
    np.testing.assert_allclose(pushed, 0.4 * np.rint(pushed / 0.4), atol=1e-9)


@pytest.mark.parametrize("place", ["log.csv", "", "?a=b", "log.csv?a=", "log.csv?=b", "log.csv?a&"])
def test_a_file_without_what_it_is_for_is_refused(place: str) -> None:
    with pytest.raises(InputError, match=r"given as 'file:log\.csv\?throttle=Pedal_pos&brake="):
        open_device(f"file:{place}")


def test_channels_of_a_named_file_may_have_scales() -> None:
    place = "log.csv?throttle=420*Pedal pos&brake=-1.5e3*p*b&speed&gear=1.2.3*g"
    found = open_device(f"file:{place}").channels
    assert found == {
        "throttle": FileChannel("Pedal pos", 420.0), "brake": FileChannel("p*b", -1500.0),
        "speed": FileChannel("speed"), "gear": FileChannel("1.2.3*g"),
    }  # fmt: skip
