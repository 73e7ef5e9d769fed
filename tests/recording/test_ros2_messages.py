"""Recordings with messages of ROS 2: a decoder that isn't ours finds the right values in them."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

import touchback as tb
from command import touchback
from touchback import gallery
from touchback.recording.ros2.ros2_messages import Pattern
from touchback.recording.ros2.ros2_types import decode, make

R, LENGTH = 0.1, 0.4  # m: of the gallery's crank and rod


@pytest.fixture(scope="module")
def run() -> tb.Run:
    system = gallery.make("slider-crank").compile()
    start = system.assemble(crank=0.3, rates={"crank": 10.0})
    return tb.simulate(system, start, duration=0.3, step=1e-3, method="rk4")


def decoded(path: Path) -> dict[str, list[tuple[int, Any]]]:
    """Times [ns] and messages of ROS 2, by topic, as the tools of MCAP read them."""
    found: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
        schemas = reader.get_summary().schemas.values()
        topics = {s.name for s in schemas if s.encoding == "ros2msg"}
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            if schema is not None and schema.name in topics:
                decode = DecoderFactory().decoder_for(channel.message_encoding, schema)
                assert decode is not None
                found[channel.topic].append((message.log_time, decode(message.data)))
    return found


def test_another_decoder_finds_the_values_of_the_run(run: tb.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.mcap", ros2=True)
    found = decoded(tmp_path / "run.mcap")
    states = [message for _, message in found["/joint_states"]]
    assert list(states[0].name) == ["crank", "rod", "slider"]
    for i, name in enumerate(states[0].name):
        assert np.array_equal([s.position[i] for s in states], run[name])
        assert np.array_equal([s.velocity[i] for s in states], run[f"{name} rate"])
    stamps = [s.header.stamp.sec + 1e-9 * s.header.stamp.nanosec for s in states]
    assert stamps == pytest.approx(run.time, abs=1e-9)
    exact = [divmod(round(1e9 * t), 10**9) for t in run.time.tolist()]
    assert [(s.header.stamp.sec, s.header.stamp.nanosec) for s in states] == exact
    logged = [time for time, _ in found["/joint_states"]]
    assert logged == pytest.approx(1e9 * run.time, abs=1.0)
    pushed = [message.wrench for _, message in found["/wrenches/pin_force"]]
    assert np.array_equal([w.force.x for w in pushed], run["pin force.fx"])
    assert np.array_equal([w.torque.z for w in pushed], run["pin force.mz"])


@pytest.mark.parametrize("seconds", [0.0, 0.999999999, 1.0, 1.5, 86_400.25, 2.0**31 - 1.0])
def test_stamps_are_whole_seconds_and_nanoseconds(seconds: float) -> None:
    """As builtin_interfaces/Time has them: less than 10⁹ ns, which any other count would miss."""
    pattern = Pattern(
        "std_msgs/msg/Header", lambda stamp, _: make("std_msgs/msg/Header", stamp, "w"), 0
    )
    (data,) = pattern.filled(np.array([seconds]), np.zeros((1, 0)))
    stamp = decode("std_msgs/msg/Header", data).stamp
    whole, rest = divmod(seconds, 1.0)  # exact
    assert (stamp.sec, stamp.nanosec) == (int(whole), round(1e9 * rest))


def test_frames_are_where_the_geometry_of_the_mechanism_has_them(
    run: tb.Run, tmp_path: Path
) -> None:
    run.save(tmp_path / "run.mcap", ros2=True)
    placed = decoded(tmp_path / "run.mcap")["/tf"]
    assert len(placed) == 31  # 0, 10, … 300 ms
    for time, message in placed:
        crank = np.interp(1e-9 * time, run.time, run["crank"])
        at = {each.child_frame_id: each.transform for each in message.transforms}
        # About y, from x towards −z: the pin of crank and rod, and x = r cos φ + √(l² − r² sin² φ).
        where = at["rod"].translation
        assert (where.x, where.z) == pytest.approx(
            (R * np.cos(crank), -R * np.sin(crank)), abs=1e-9
        )
        along = R * np.cos(crank) + np.sqrt(LENGTH**2 - (R * np.sin(crank)) ** 2)
        assert at["slider"].translation.x == pytest.approx(along, abs=1e-9)
        assert at["pin force"].translation.x == pytest.approx(along, abs=1e-9)
        assert {each.header.frame_id for each in message.transforms} == {"world"}


def test_the_run_itself_opens_as_before(run: tb.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.mcap", ros2=True)
    again = tb.open(tmp_path / "run.mcap")
    assert all(np.array_equal(again[name], run[name]) for name in run.names)


def test_a_layout_for_foxglove_names_what_the_recording_holds(run: tb.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.mcap", ros2=True, layout=True)
    layout = json.loads((tmp_path / "run.foxglove.json").read_text())
    panels = layout["configById"]

    def placed(node: Any) -> list[str]:
        return (
            [node] if isinstance(node, str) else [*placed(node["first"]), *placed(node["second"])]
        )

    assert sorted(placed(layout["layout"])) == sorted(panels)
    frames = {
        each.child_frame_id for each in decoded(tmp_path / "run.mcap")["/tf"][0][1].transforms
    }
    assert panels["3D!frames"]["followTf"] == "world"
    assert "slider" in frames
    paths = [p["value"] for panel in panels.values() for p in panel.get("paths", [])]
    signals = [json.loads(p.removeprefix("/signals.")) for p in paths if p.startswith("/signals")]
    assert set(signals) <= set(run.names)
    assert [p for p in paths if p not in signals and p.startswith("/joint")] == [
        f"/joint_states.position[{i}]" for i in range(3)
    ]


def test_a_live_recording_is_exported_with_messages(tmp_path: Path) -> None:
    path = tmp_path / "live.mcap"
    system = gallery.make("slider-crank").compile()
    with tb.live(system, rate=1000, speed=None, record=path) as live:
        live.run(0.05)
    done = touchback("export", path, tmp_path / "ros.mcap", "--ros2")
    assert done.returncode == 0, done.stderr
    states = decoded(tmp_path / "ros.mcap")["/joint_states"]
    recorded = tb.open(path)
    assert np.array_equal([s.position[0] for _, s in states], recorded["crank"])
    assert (tmp_path / "ros.foxglove.json").exists()


def test_what_has_no_mechanism_or_another_ending_is_refused(run: tb.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.csv")
    read = tb.open(tmp_path / "run.csv")
    with pytest.raises(tb.InputError, match=r"set run\.model"):
        read.save(tmp_path / "again.mcap", ros2=True)
    assert not (tmp_path / "again.mcap").exists()
    with pytest.raises(tb.InputError, match=r"for \.mcap"):
        run.save(tmp_path / "run.csv", ros2=True)
    done = touchback("export", tmp_path / "run.csv", tmp_path / "ros.mcap", "--ros2")
    assert (done.returncode, "doesn't hold one model" in done.stderr) == (2, True)
