"""A live run that rides along: its inputs come from a board in another process."""

import numpy as np
import pytest

import touchback as tb
from touchback.devices.daq import GALLO, Conditioning, Daq, Script, SimulatedBoard
from touchback.devices.sensors import Encoder, Unwrap
from touchback.errors import InputError
from touchback.estimate import SmoothDifferentiator
from touchback.model.constraint_kinds import Ramp, Sine
from touchback.native.shared_library import LIB
from touchback.realtime.device_io import DevicePort
from waiting import until

NAMES = ("brake", "throttle", "steering")


@pytest.fixture(scope="module")
def rider():
    m = tb.Model("rider")
    for name in NAMES:
        m.sensor(f"{name} seen", tb.Signal(1.0 * m.input(name), ""))
    return m.compile()


def stamps(live: tb.Live) -> dict[str, int]:
    return {name: live._ports.mailboxes[name].read().stamp for name in NAMES}


def test_each_tick_uses_one_block_whole_and_records_how_old_it_was(rider) -> None:
    with (
        SimulatedBoard(Script(duration=60.0)) as board,
        Daq(board) as daq,
        tb.live(rider, rate=1000, record=True) as live,
    ):
        for name in NAMES:
            live.connect(name, daq)
        until(lambda: live.read("steering seen") > 400)
    run = live.recorded()
    served = run["steering"] > 0
    steering, aged = run["steering"][served], run["input age"][served]
    assert len(set(steering)) > 10 and np.all(np.diff(steering) >= 0.0)
    for name in ("brake", "throttle"):
        np.testing.assert_array_equal(run[name][served], steering)
    assert np.median(aged) > 0.0 and len(set(aged)) > 10  # ns, another one at each tick


def test_each_channel_is_dated_by_when_it_was_measured(rider) -> None:
    with (
        SimulatedBoard(Script(duration=60.0)) as board,
        Daq(board) as daq,
        tb.live(rider, rate=100) as live,
    ):
        for name in NAMES:
            live.connect(name, daq)
        until(lambda: daq.clock.exchanges and live.read("steering seen") > 0)
        board.kill()
        until(lambda: not daq.running)
        found = stamps(live)  # all of the last block
    assert found["throttle"] - found["brake"] == 200_000  # ns: both encoders are latched then
    assert found["steering"] == found["throttle"]


def test_a_board_that_is_gone_takes_outputs_to_safe_and_the_run_says_why(rider) -> None:
    with (
        SimulatedBoard(Script(duration=60.0)) as board,
        Daq(board) as daq,
        tb.live(
            rider, rate=200, inputs={"steering": tb.devices.WatchedInput(max_age=0.05)},
            outputs={"steering seen": tb.devices.GuardedOutput(safe=-1.0)},
        ) as live,
    ):  # fmt: skip
        live.connect("steering", daq)
        until(lambda: live.read("steering seen") > 0)
        board.kill()
        until(lambda: live.faults == ("stale input",))
        until(lambda: live.read("steering seen") == -1.0)
        until(lambda: any("board is gone" in fault["text"] for fault in live.report().faults))


def test_a_run_hears_what_happened_to_its_board_before_it_was_connected(rider) -> None:
    with SimulatedBoard(Script(duration=0.0)) as board, Daq(board) as daq:
        until(lambda: any("has ended" in text for text in daq.events))
        with tb.live(rider, rate=200) as live:
            live.connect("steering", daq)
            until(lambda: any("has ended" in fault["text"] for fault in live.report().faults))


def test_what_lies_outside_an_input_s_range_is_told_and_not_used(rider) -> None:
    script = Script(duration=60.0, signals={"brake": Ramp(1000.0)})
    with (
        SimulatedBoard(script) as board,
        Daq(board) as daq,
        tb.live(rider, rate=200, inputs={"brake": tb.devices.WatchedInput(high=50.0)}) as live,
    ):
        live.connect("brake", daq)
        until(lambda: any("brake is" in text and "outside" in text for text in daq.events))
        assert live.read("brake seen") <= 50.0
        assert daq.counts["outside"] > 0


@pytest.mark.parametrize("together", [False, True])
def test_a_block_that_is_handed_over_field_by_field_is_torn_unless_ports_are_taken_together(
    rider, together: bool
) -> None:
    """Appendix C, lines 107–109: he copies brake, throttle and steering one by one, and the
    simulator reads whenever it wants."""
    with tb.live(rider, rate=1000, speed=None) as live:
        ports = [DevicePort(live, name, True) for name in NAMES]
        boxes = [port.mailbox() for port in ports]
        for port in ports:
            port.take_with(ports[0] if together else None)
        for box in boxes:
            box.write(1.0)
        live.run(1e-3)
        boxes[0].write(2.0)
        held = LIB.struct("tb_mailbox").from_address(boxes[2].address)
        held.sequence += 1  # whoever writes the rest was interrupted here
        live.run(1e-3)
        seen = [live.read(f"{name} seen") for name in NAMES]
        assert seen == ([1.0, 1.0, 1.0] if together else [2.0, 1.0, 1.0])
        held.sequence += 1  # and goes on
        boxes[1].write(2.0)
        boxes[2].write(2.0)
        live.run(1e-3)
        assert [live.read(f"{name} seen") for name in NAMES] == [2.0, 2.0, 2.0]
    assert live.report().counts["contended"] == (3 if together else 1)


def test_messages_for_several_ports_come_all_or_none(rider) -> None:
    with tb.live(rider, rate=1000, speed=None) as live:
        boxes = [DevicePort(live, name, True).mailbox() for name in NAMES]
        addresses = np.array([box.address for box in boxes], dtype=np.int64)
        stamps, values = np.arange(3), np.array([4.0, 5.0, 6.0])

        def write() -> int:
            data = addresses.ctypes.data, 3, stamps.ctypes.data, values.ctypes.data
            return int(LIB.tb_mailbox_write_together(*data, 10))

        assert write() == 0
        assert [box.read().values[0] for box in boxes] == [4.0, 5.0, 6.0]
        assert [box.read().stamp for box in boxes] == [0, 1, 2]
        held = LIB.struct("tb_mailbox").from_address(boxes[2].address)
        held.sequence += 1
        values[:] = 9.0
        assert write() == -1
        assert [box.read().values[0] for box in boxes[:2]] == [4.0, 5.0]
        assert [box.read().number for box in boxes[:2]] == [1, 1]
        held.sequence += 1


def test_what_the_thread_computes_is_what_recorded_blocks_give_to_the_bit() -> None:
    conditioning = Conditioning(GALLO)
    counts = conditioning.filtered(Unwrap(16), conditioning["steering"])
    angle = conditioning.give("angle", Encoder(500).quantity(counts), of="steering")
    d = SmoothDifferentiator(1e-3, 4)
    conditioning.give("speed", conditioning.filtered(d, angle), of="steering", delay=d.delay)
    script = Script(
        duration=0.3, signals={"steering": Sine(60_000.0, 2.0)}, counters={"steering": 16}
    )
    with SimulatedBoard(script) as board, Daq(board, conditioning) as daq:
        until(lambda: not daq.running)
        last, blocks = daq.latest(), daq.blocks()
    assert last is not None and last.number == 299
    again = np.zeros(300, dtype=GALLO.dtype)
    for name in NAMES:
        again[name] = blocks[name]
    found = daq.conditioned.run(again)
    assert last.quantities["angle"] == found["angle"][-1]
    assert last.quantities["speed"] == found["speed"][-1]


def test_outputs_unknown_quantities_and_other_layouts_are_refused(rider) -> None:
    with SimulatedBoard(Script(duration=60.0)) as board:
        with Daq(board) as daq:
            with pytest.raises(InputError, match="steer"):
                daq.quantity("steer")
            guards = {"brake seen": tb.devices.GuardedOutput(safe=0.0)}
            with (
                tb.live(rider, rate=100, outputs=guards) as live,
                pytest.raises(InputError, match="for inputs"),
            ):
                live.connect("brake seen", daq.quantity("brake"))
        other = Conditioning(type(GALLO)(2e-3, GALLO.channels))
        with pytest.raises(InputError, match="another layout"):
            Daq(board, other)
