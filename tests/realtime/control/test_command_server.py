"""The command server does what messages ask, as far as a run exposes it, and refuses the rest in
words."""

import json
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given, strategies as st

import touchback as tb
from touchback.realtime.control import Answer, CommandServer, Exposed, Message, Rate
from touchback.realtime.control.control_messages import LONGEST, Choose, Describe, Set, Stop, Switch
from touchback.realtime.control.permissions import NOTHING


def model() -> tb.Model:
    """An arm with a motor, two laws for it, a length, and a brake that rests."""
    m = tb.Model("arm", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.3, unit="m", min=0.1, max=0.5)
    arm = m.body("arm", mass=1.0, com=(0, 0, -length), inertia=(0.01, 0.01, 0.001))
    m.joint("arm", tb.Revolute("y"), m.ground, arm)
    torque, wind = m.input("torque", unit="N m"), m.input("wind", unit="N m", default=0.5)
    m.force("motor", tb.JointEffort("arm", torque + wind))
    m.control("pd", lambda q, v: -8 * q - v, of=["q:arm", "v:arm"], to="torque")
    m.control("soft", lambda q, v: -q, of=["q:arm", "v:arm"], to="torque", instead_of="pd")
    m.sensor("angle", tb.Signal(m.coordinate("arm"), "rad"))
    return m


@pytest.fixture(scope="module")
def system() -> tb.System:
    return model().compile()


@pytest.fixture
def live(system: tb.System) -> Iterator[tb.Live]:
    watched = {"wind": tb.devices.WatchedInput(low=-2.0, high=2.0)}
    with tb.live(system, rate=100, speed=None, inputs=watched, record=True) as run:
        yield run


def asked(
    commands: CommandServer, text: bytes | str | Message, client: str = ""
) -> dict[str, object]:
    answer = commands.handle(text, client)
    told = msgspec.json.decode(answer.encode(), type=dict)
    assert told["ok"] is answer.ok
    return dict(told)


def test_a_message_sets_an_input_and_a_parameter_of_the_next_tick(live: tb.Live) -> None:
    commands = CommandServer(live)
    live.run(0.02)
    told = asked(commands, b'{"do": "set", "id": 7, "name": "wind", "value": -1.5}')
    assert told == {"id": 7, "ok": True, "name": "wind", "value": -1.5, "tick": 2}
    assert asked(commands, Set("length", 0.2))["ok"]
    live.run(0.02)
    run = live.recorded()
    assert list(run["wind"]) == [0.5, 0.5, -1.5, -1.5]
    assert list(run["version"]) == [0.0, 0.0, 1.0, 1.0]
    assert live["length"] == 0.2


def test_a_message_brings_a_parameter_along_a_ramp(live: tb.Live) -> None:
    commands = CommandServer(live)
    assert asked(commands, b'{"do": "set", "name": "length", "value": 0.4, "ramp": 0.05}')["ok"]
    live.run(0.1)
    versions = live.recorded()["version"]
    assert list(versions) == [1, 2, 3, 4, 5, 5, 5, 5, 5, 5]
    assert live._loop.parameters[0] == 0.4
    for bad in ("-1", "1e9", '"soon"'):
        text = f'{{"do": "set", "name": "length", "value": 0.4, "ramp": {bad}}}'
        assert not asked(commands, text)["ok"]
    assert "input" in str(asked(commands, Set("wind", 1.0, 0.5))["error"])


def test_a_message_chooses_among_laws(live: tb.Live) -> None:
    commands = CommandServer(live)
    assert asked(commands, Choose("pd", "soft"))["chosen"] == "soft"
    (control,) = commands.handle(Describe()).facts["controls"]  # type: ignore[misc]
    assert control == {"name": "pd", "alternatives": ["pd", "soft"], "chosen": "soft"}
    assert "did you mean 'soft'" in str(asked(commands, Choose("pd", "sofft"))["error"])


def test_a_message_stops_and_another_resumes(live: tb.Live) -> None:
    commands = CommandServer(live, Exposed(transport=("resume",)))
    assert asked(commands, b'{"do": "stop"}')["ok"]
    live.run(0.01)
    assert live.faults == ("stopped",)
    assert asked(commands, b'{"do": "resume"}')["ok"]
    live.run(0.01)
    assert live.faults == ()


def test_messages_let_constraints_act_and_rest() -> None:
    m = tb.Model("brake", gravity=(0, 0, 0))
    m.joint("a", tb.Revolute("z"), m.ground, m.body("a", mass=1.0, inertia=(1, 1, 1)), velocity=2.0)
    m.joint("b", tb.Revolute("z"), m.ground, m.body("b", mass=1.0, inertia=(1, 1, 1)))
    m.couple("clutch", tb.Gear("a", "b", 1.0), active=False)
    with tb.live(m.compile(), rate=1000) as live:
        commands = CommandServer(live, Exposed(structure=("clutch",)))
        told = asked(commands, Switch(activate=("clutch",)))
        # equal inertias that meet share their momentum: both at 1 rad/s, half of the energy lost
        assert told["state"] == "taken"
        assert told["energy_lost"] == pytest.approx(1.0, abs=1e-9)
        assert live.read("b rate") == pytest.approx(1.0, abs=1e-9)
        (known,) = commands.handle(Describe()).facts["constraints"]  # type: ignore[misc]
        assert known == {"name": "clutch", "active": True}
        assert not asked(CommandServer(live, NOTHING), Switch(deactivate=("clutch",)))["ok"]


def test_what_tells_names_units_ranges_and_values(live: tb.Live) -> None:
    told = asked(CommandServer(live, Exposed(inputs=["wind"], structure=False)), b'{"do": "what"}')
    assert told["model"] == "arm"
    assert told["state"] == "running"
    (wind,) = told["inputs"]  # type: ignore[misc]
    assert wind == {
        "name": "wind", "unit": "N m", "min": -2.0, "max": 2.0, "default": 0.5, "value": 0.5
    }  # fmt: skip
    (length,) = told["parameters"]  # type: ignore[misc]
    assert length == {
        "name": "length", "unit": "m", "min": 0.1, "max": 0.5, "default": 0.3, "value": 0.3
    }  # fmt: skip
    assert told["outputs"] == [{"name": "angle", "unit": "rad"}]
    assert told["constraints"] == []


@pytest.mark.parametrize(
    ("exposed", "text", "complaint"),
    [
        (Exposed(inputs=False), '{"do":"set","name":"wind","value":1}', "inputs"),
        (Exposed(inputs=["torque"]), '{"do":"set","name":"wind","value":1}', "'wind'"),
        (Exposed(parameters=()), '{"do":"set","name":"length","value":0.2}', "parameters"),
        (Exposed(parameters=["length"]), '{"do":"set","name":"pd choice","value":1}', "choice"),
        (Exposed(parameters=["length"]), '{"do":"choose","control":"pd","alternative":"soft"}',
         "'pd'"),
        (Exposed(structure=False), '{"do":"switch","activate":["clutch"]}', "structure"),
        (Exposed(transport=False), '{"do":"resume"}', "transport"),
        (NOTHING, '{"do":"set","name":"wind","value":1}', "exposes"),
    ],
)  # fmt: skip
def test_what_was_not_exposed_can_not_be_changed(
    live: tb.Live, exposed: Exposed, text: str, complaint: str
) -> None:
    commands = CommandServer(live, exposed)
    before = {name: live[name] for name in ("wind", "length", "pd choice")}
    told = asked(commands, text)
    assert not told["ok"]
    assert complaint in str(told["error"])
    live.run(0.01)
    assert {name: live[name] for name in before} == before
    assert commands.handle(Stop()).ok  # which nobody is kept from


def test_names_that_are_not_exposed_are_not_hinted_at(live: tb.Live) -> None:
    commands = CommandServer(live, Exposed(inputs=["wind"], parameters=False))
    told = str(asked(commands, Set("lenght", 1.0))["error"])
    assert "'wind'" in told
    assert "length" not in told


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "can't be read"),
        (b"\xff\xfe", "can't be read"),
        (b"[]", "Expected `object`"),
        (b"{}", "do"),
        (b'{"do": "fly"}', "fly"),
        (b'{"do": "set"}', "name"),
        (b'{"do": "set", "name": "wind", "value": "1"}', "Expected `float`"),
        (b'{"do": "set", "name": "wind", "value": true}', "Expected `float`"),
        (b'{"do": "set", "name": "wind", "value": null}', "Expected `float`"),
        (b'{"do": "set", "name": "wind", "value": NaN}', "malformed"),
        (b'{"do": "set", "name": "wind", "value": 1e999}', "out of range"),
        (b'{"do": "set", "name": "wind", "value": 1e300}', "outside its range"),
        (b'{"do": "set", "name": "length", "value": -1}', "outside its range"),
        (b'{"do": "set", "name": "wind", "value": 1, "more": 1}', "unknown field"),
        (b'{"do": "set", "name": "angle", "value": 1}', "no input or parameter"),
        (b'{"do": "set", "name": "' + b"x" * 201 + b'", "value": 1}', "length <= 200"),
        (b'{"do": "set", "name": "wind", "value": ' + b"[" * 20_000, "can't be read"),
        (b'{"do": "what", "id": ' + b"9" * 100 + b"}", "can't be read"),
        (b" " * (LONGEST + 1), "65536 bytes"),
        ('{"do": "set", "name": "\ud800", "value": 1}', "can't be read"),
    ],
)
def test_bad_messages_are_answered_and_change_nothing(
    live: tb.Live, text: bytes | str, complaint: str
) -> None:
    told = asked(CommandServer(live), text)
    assert not told["ok"]
    assert complaint in str(told["error"])
    assert len(str(told["error"])) < 600
    live.run(0.01)
    assert live.read("flags") == 0.0
    assert live.report().counts["swaps"] == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("name", ["wind", "length", "pd choice"])
def test_what_is_no_number_is_refused_from_scripts_too(
    live: tb.Live, name: str, value: float
) -> None:
    assert not CommandServer(live).handle(Set(name, value)).ok
    assert live[name] == {"wind": 0.5, "length": 0.3, "pd choice": 0.0}[name]


def test_whoever_asks_wrongly_gets_an_answer_to_the_very_question(live: tb.Live) -> None:
    assert asked(CommandServer(live), b'{"id": "q1", "do": "fly"}')["id"] == "q1"
    assert asked(CommandServer(live), b'{"id": 3, "do": "set", "name": 1}')["id"] == 3


@given(text=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_whatever_raise_or_change_anything(text: bytes) -> None:
    commands = FUZZED[0]
    assert not commands.handle(text).ok
    assert commands.live["length"] == 0.3


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
FIELDS = st.sampled_from(
    ["id", "name", "value", "ramp", "control", "alternative", "activate", "deactivate", "ticks"]
)


@given(
    do=st.sampled_from(["set", "choose", "switch", "step", "speed"]),
    rest=st.dictionaries(FIELDS, JSON | st.sampled_from(["length", "pd", "wind"]), max_size=5),
)
def test_fields_of_any_kind_are_answered(do: str, rest: dict[str, object]) -> None:
    text = json.dumps({**rest, "do": do}).encode("utf-8", "surrogatepass")
    answer = FUZZED[0].handle(text)
    assert isinstance(answer, Answer)
    assert answer.ok or "failed" not in answer.error  # a refusal in our words, no slip of ours


FUZZED: list[CommandServer] = []


@pytest.fixture(scope="module", autouse=True)
def _fuzzed(system: tb.System) -> Iterator[None]:
    with tb.live(system, rate=100, speed=None) as run:
        FUZZED.append(CommandServer(run, Exposed(parameters=False)))
        yield


class Wave(Message, frozen=True):
    hand: str
    times: int = 1


def test_other_rooms_add_messages_of_their_own(live: tb.Live) -> None:
    commands, seen = CommandServer(live), []

    def wave(asked: Wave, client: str) -> dict[str, object]:
        commands.check("hands", asked.hand)
        seen.append((client, asked.hand))
        return {"waved": asked.times}

    commands.add(Wave, wave)
    assert asked(commands, b'{"do":"wave","hand":"left","times":2}', "page 1")["waved"] == 2
    assert seen == [("page 1", "left")]
    assert asked(commands, b'{"do":"set","name":"wind","value":1}')["ok"]
    with pytest.raises(tb.InputError, match="already"):
        commands.add(type("Wave", (Message,), {}, frozen=True), wave)


def test_a_handler_that_fails_is_told_and_ends_nobody(live: tb.Live) -> None:
    commands = CommandServer(live)
    commands.add(Wave, lambda asked, client: {"no": 1 // 0})
    assert "ZeroDivisionError" in str(asked(commands, Wave("left"))["error"])


def test_a_run_that_has_ended_only_tells(system: tb.System) -> None:
    with tb.live(system, rate=100, speed=None) as run:
        commands = CommandServer(run)
    assert "stopped" in str(asked(commands, Set("length", 0.2))["error"])
    assert commands.handle(Describe()).facts["state"] == "stopped"


# ---- rates ------------------------------------------------------------------------------------


def slowly(live: tb.Live) -> tuple[CommandServer, list[float]]:
    """A command server whose clock is set by hand, and a kind of message that is taken twice a
    second."""
    commands, now = CommandServer(live), [0.0]
    commands.rates._clock = lambda: now[0]
    commands.add(Wave, lambda asked, client: {}, Rate(2.0, 3))
    return commands, now


def test_a_client_gets_so_many_at_once_and_then_so_many_a_second(live: tb.Live) -> None:
    commands, now = slowly(live)
    assert [commands.handle(Wave("a"), "one").ok for _ in range(5)] == [True] * 3 + [False] * 2
    assert "wait 0.5 s" in commands.handle(Wave("a"), "one").error
    now[0] = 0.5
    assert [commands.handle(Wave("a"), "one").ok for _ in range(2)] == [True, False]
    assert commands.handle(Set("wind", 1.0), "one").ok  # other kinds are counted for themselves
    assert commands.handle(Wave("a"), "two").ok  # and so are other clients


def test_many_clients_are_no_way_around_the_rate(live: tb.Live) -> None:
    commands, _ = slowly(live)
    taken = sum(commands.handle(Wave("a"), f"client {k}").ok for k in range(1000))
    assert taken == 12  # four times what one may


def test_a_storm_of_clients_fills_no_memory(live: tb.Live) -> None:
    commands, now = slowly(live)
    for k in range(10_000):
        now[0] = 1e-3 * k
        commands.handle(Wave("a"), f"client {k}")
    assert len(commands.rates) <= 4096
    assert not commands.handle(Wave("a"), "one more").ok  # and the bucket of all isn't forgotten


def test_nobody_is_kept_from_the_emergency_stop(live: tb.Live) -> None:
    commands = CommandServer(live)
    assert all(commands.handle(Stop(), "one").ok for _ in range(5000))


# ---- transport --------------------------------------------------------------------------------


def test_messages_pause_step_slow_down_reset_and_go_on(system: tb.System) -> None:
    with tb.live(system, rate=1000) as run:
        commands = CommandServer(run, Exposed(transport=["pause", "go", "step", "speed", "reset"]))
        assert asked(commands, b'{"do":"pause"}')["state"] == "paused"
        before = run.read("time")
        told = asked(commands, b'{"do":"step","ticks":3}')
        assert told["time"] == pytest.approx(before + 0.003)
        assert asked(commands, b'{"do":"reset"}')["ok"]
        assert run.read("arm") == 0.0
        assert asked(commands, b'{"do":"speed","value":0.1}')["speed"] == 0.1
        assert run.spec.speed == 0.1
        assert asked(commands, b'{"do":"go"}')["state"] == "running"
        assert "paused" in str(asked(commands, b'{"do":"step"}')["error"])
        assert not asked(commands, b'{"do":"speed","value":0}')["ok"]
        assert not asked(commands, b'{"do":"step","ticks":1000000}')["ok"]


@pytest.mark.parametrize("word", ["pause", "go", "step", "speed", "reset"])
def test_transport_that_is_not_exposed_is_refused(system: tb.System, word: str) -> None:
    others = [each for each in ("pause", "go", "step", "speed", "reset") if each != word]
    with tb.live(system, rate=1000) as run:
        value = ',"value":0.5' if word == "speed" else ""
        told = asked(CommandServer(run, Exposed(transport=others)), f'{{"do":"{word}"{value}}}')
        assert f"'{word}' isn't among the transport" in str(told["error"])
        assert run.state == "running"
        assert run.spec.speed == 1.0


def test_an_input_has_the_range_that_its_model_gives_it_and_nobody_sets_it_beyond() -> None:
    m = model()
    m.input("volume", unit="dB", default=-6.0, min=-60.0, max=0.0)
    m.input("gain", min=0.0)
    watched = {"gain": tb.devices.WatchedInput(low=-1.0, high=2.0)}
    with tb.live(m.compile(), rate=100, speed=None, inputs=watched) as live:
        commands = CommandServer(live)
        known = {each["name"]: each for each in asked(commands, Describe())["inputs"]}  # type: ignore[attr-defined]
        wanted = {"unit": "dB", "min": -60.0, "max": 0.0, "default": -6.0, "value": -6.0}
        assert known["volume"] == {"name": "volume", **wanted}
        assert (known["gain"]["min"], known["gain"]["max"]) == (0.0, 2.0)
        assert (known["wind"]["min"], known["wind"]["max"]) == (None, None)
        refused = asked(commands, Set("volume", 3.0))
        assert refused["error"] == "Input 'volume': 3.0 lies outside its range [-60.0, 0.0] dB."
        assert (
            not asked(commands, Set("gain", -0.5))["ok"]
            and not asked(commands, Set("gain", 3.0))["ok"]
        )
        with pytest.raises(tb.InputError, match="outside its range"):
            live["volume"] = -61.0
        assert live["volume"] == -6.0 and live["gain"] == 0.0
        assert (
            asked(commands, Set("volume", -60.0))["ok"] and asked(commands, Set("wind", 1e6))["ok"]
        )
