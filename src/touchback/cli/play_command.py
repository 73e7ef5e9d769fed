"""`touchback play`: a keyboard that feels like an instrument, played by simulated fingers, or
mechanisms of the gallery as moving stick figures."""

import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import touchback as tb
from touchback.cli.benchmark_commands import seconds_per_call
from touchback.cli.console import out, working
from touchback.cli.keyboard_performance import (
    Board,
    PageOptions,
    WireOptions,
    can_serve,
    open_performance,
    play_on_devices,
    play_on_page,
    read_score,
    show_note,
    show_outputs,
    tell_of_other_keys,
)
from touchback.cli.option_types import LIST, number, output, seconds as span, show_parameters
from touchback.draw import Canvas, draw, figure_svg, stick_figure, view_for
from touchback.errors import InputError
from touchback.instruments import (
    FASTEST_TICK_RATE,
    REGULATION_SUFFIXES,
    SETTLING_TIME,
    SLOWEST_TICK_RATE,
    Gesture,
    Stroke,
    Timed,
    gestures_of,
    graded_touches,
    make_keyboard,
    make_separate_keys,
    notes_of,
    output_called,
    passage,
    regulation_of,
    screws_of,
    script_fingers,
    wired_key,
)
from touchback.names import suggestion
from touchback.realtime import signals_as_ctrl_c
from touchback.safe_files import write_atomically

_RATE = 25  # pictures a second


_STILLS = 3


_TRAIL = 1.2  # seconds


def film(system: tb.System, run: tb.Run, seconds: float, trace: str | None = None) -> None:
    """Shows the run for some seconds of its own time; `trace` is a position sensor that leaves a
    trail."""
    q = np.stack([run[name] for name in system.coordinates], axis=1)
    figure = stick_figure(system.model, q)
    columns = min(out.width - 4, 76)
    rows = 22 if out.is_terminal else 12
    view = view_for(figure, Canvas(columns, rows))
    points = _points(run, trace)

    def picture(t: float) -> Panel:
        i = min(int(np.searchsorted(run.time, t)), len(run) - 1)
        first = int(np.searchsorted(run.time, t - _TRAIL))
        trail = None if points is None else points[first : i + 1]
        text = draw(figure, i, view, Canvas(columns, rows), trail)
        title = f"{system.name}, t = {run.time[i]:.2f} s"
        return Panel(Text(text, style="cyan"), title=title, width=columns + 4)

    if out.is_terminal:
        _play(picture, seconds)
    else:
        for still in range(_STILLS):
            out.print(picture(seconds * still / (_STILLS - 1)))


def _points(run: tb.Run, trace: str | None) -> NDArray[np.float64] | None:
    if trace is None:
        return None
    return np.stack([run[f"{trace}.{axis}"] for axis in "xyz"], axis=1)


def _play(picture: Callable[[float], Panel], seconds: float) -> None:
    began = time.monotonic()
    with Live(picture(0.0), console=out, refresh_per_second=_RATE) as live:
        while (t := time.monotonic() - began) < seconds:
            live.update(picture(t), refresh=True)
            time.sleep(1.0 / _RATE)
        live.update(picture(seconds), refresh=True)


# Name in the gallery, what to watch for, the sensor that leaves a trail.
_SCENES = (
    ("double-pendulum", "Two rods, and no telling where they will be.", "tip"),
    ("gyroscope", "A racket spun about its middle axis turns over, again and again.", None),
    ("hanging-chain", "Twelve rods let go from the horizontal.", "end"),
)


def show_scenes(seconds: float, picture: Path | None) -> None:
    """See mechanisms derived, compiled and moving, each for some seconds; draw the first as
    a picture, where one is asked for."""
    table = Table("mechanism", box=None, pad_edge=False)
    for title in (
        "freedoms",
        "flops",
        "derive [ms]",
        "a call [µs]",
        "× real time",
        "energy drift [J]",
    ):
        table.add_column(title, justify="right")
    for name, caption, trace in _SCENES:
        system, run, row = _scene(name)
        out.rule(Text(name, "bold"))
        out.print(
            f"{caption} Its equations: {row[1]} flops, derived and turned into machine code "
            f"in {row[2]} ms; a call takes {row[3]} µs.\n"
        )
        film(system, run, min(seconds, run.duration), trace)
        table.add_row(name, *row)
        if name == "double-pendulum":
            first = system, run
    out.rule(Text("what you saw", "bold"))
    out.print(table)
    out.print()
    if picture is not None:
        _draw(*first, picture)
        out.print(f"picture: {picture}")
    out.print("next: `touchback list`, `touchback show cart-pole`")


def _scene(name: str) -> tuple[tb.System, tb.Run, list[str]]:
    """The compiled mechanism, its experiment's run, and figures of both."""
    entry = tb.gallery.entry(name)
    described = entry.make()
    began = time.perf_counter()
    system = described.compile()
    system.problem()  # derives and emits
    spent = time.perf_counter() - began
    run = entry.experiment.run(system)
    return system, run, [
        str(system.sizes[1]),
        str(system.counts("rate").flops),
        f"{1e3 * spent:.1f}",
        f"{1e6 * seconds_per_call(system, 'rate'):.2f}",
        f"{run.duration / run.metadata['statistics']['seconds']:,.0f}",
        f"{np.ptp(run['energy']):.0e}",
    ]  # fmt: skip


def _draw(system: tb.System, run: tb.Run, path: Path) -> None:
    """The mechanism at the end of the trail of its tip, as SVG."""
    q = np.stack([run[name] for name in system.coordinates], axis=1)
    trail = np.stack([run[f"tip.{axis}"] for axis in "xyz"], axis=1)
    shown = len(run) // 2
    figure = stick_figure(system.model, q)
    text = figure_svg(figure, system.name, shown, trail[: shown + 1])
    write_atomically(path, text)


RINGING = 1.5  # s after the last stroke


PATIENCE = 60.0  # s that a port is listened to, by default


class Playable(StrEnum):
    """What can be played."""

    piano = "piano"
    piano_modes = "piano-modes"
    harpsichord = "harpsichord"
    organ = "organ"
    ball = "ball"
    wall = "wall"
    synthesizer = "synthesizer"
    measured = "measured"
    walls = "walls"
    wall_standard = "wall-standard"
    wall_half_sample = "wall-half-sample"
    wall_z_plane = "wall-z-plane"
    wall_deadbeat = "wall-deadbeat"
    wall_deadbeat_throughout = "wall-deadbeat-throughout"
    wall_adaptive = "wall-adaptive"
    wall_balanced = "wall-balanced"
    trial = "trial"
    zoo = "zoo"
    mechanisms = "mechanisms"


def _playable(text: str) -> Playable:
    """The one of a name; another name is answered with the nearest."""
    if text not in list(Playable):
        raise InputError(f"There is no '{text}' to play; {suggestion(text, Playable)}")
    return Playable(text)


@signals_as_ctrl_c()
def play(
    what: Annotated[
        Playable,
        typer.Argument(
            help="The instrument; `trial`, a blind one; `zoo`, every mechanism on pages; or "
            "`mechanisms`, moving in the terminal.",
            parser=_playable,
        ),
    ] = Playable.piano,
    keys: Annotated[
        int | None,
        typer.Option(help="White keys from middle C (7 in the terminal), or 88; on the page 13."),
    ] = None,
    rate: Annotated[
        float, number("Ticks a second.", SLOWEST_TICK_RATE, FASTEST_TICK_RATE)
    ] = 1000.0,
    score: Annotated[
        Path | None, typer.Option(help="A .mid file to play instead of the built-in passage.")
    ] = None,
    port: Annotated[
        str | None,
        typer.Option(
            help="Play from a MIDI port, such as /dev/snd/midiC1D0; with --device its pedals."
        ),
    ] = None,
    to: Annotated[str | None, typer.Option(help="Send notes to a MIDI port as they sound.")] = None,
    seconds: Annotated[
        float | None, span("How long is played, once actions rest; default: the passage.")
    ] = None,
    fast: Annotated[
        bool, typer.Option(help="As fast as it computes, in the terminal, not against the clock.")
    ] = False,
    wav: Annotated[Path | None, output("Where the sound goes.", ".wav")] = None,
    audio: Annotated[
        str | None,
        typer.Option(
            help="Let it sound here while it plays: `default`, a number or a part of the name of "
            "an output; `list` shows them."
        ),
    ] = None,
    midi: Annotated[Path | None, output("Where the notes go.", ".mid", ".midi")] = None,
    picture: Annotated[Path | None, output("Of mechanisms: where to draw one.", ".svg")] = None,
    page: Annotated[bool, typer.Option(help="On a page in the browser, to be played.")] = True,
    host: Annotated[str, typer.Option(help="What the page's server listens on.")] = "127.0.0.1",
    server_port: Annotated[int, number("The page's port; 0 chooses one.", 0, 65_535)] = 0,
    patience: Annotated[
        float | None,
        number(
            "How long nobody may be connected before it ends [s]; unless given, it waits for "
            "Ctrl-C at a terminal, and 20 s elsewhere.",
            0.0,
        ),
    ] = None,
    answers: Annotated[Path | None, typer.Option(help="Of a trial: where answers go.")] = None,
    device: Annotated[
        list[str] | None,
        typer.Option(help="Real keys to be felt: serial:/dev/ttyACM0, and so on for more."),
    ] = None,
    identify: Annotated[
        bool, typer.Option(help="Of a device: let it find its own constants first.")
    ] = True,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help='A screw of actions and walls or a number of another voice, "hammer mass=0.008", '
            '"C4/hammer mass=0.008" or "plectrum strength=1.5", or a file of them; `list` shows '
            "what there is.",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        output("Where all screws go that were turned, for --set.", *REGULATION_SUFFIXES),
    ] = None,
) -> None:
    """Play an instrument on motorised keys with simulated fingers, or on a page with your own:
    every tick the motors push back as the instrument would. Notes are shown as they sound, then
    the deadlines."""
    if what is Playable.mechanisms:
        show_scenes(seconds or 5.0, picture)
        return
    if audio == "list":
        show_outputs()
        return
    if fast and audio is not None:
        raise InputError("--audio sounds while it plays, --fast doesn't wait: take --wav with it.")
    if audio is not None:
        output_called(audio)  # refuses before any work what isn't there
    if LIST in (set_ or []):
        show_parameters(
            screws_of(wired_key(what.value, rate).all_parameters()), f"keys of '{what}'"
        )
        return
    regulation = regulation_of(set_ or [])
    if device:
        _refuse_beside_devices(keys=keys, score=score, fast=fast, answers=answers)
        lasting = seconds or PATIENCE
        wanted = WireOptions(device, rate, lasting, identify, port, regulation)
        with (
            open_performance(what.value, to, audio, notes_of(29), rate) as performance,
            performance.save_when_done(wav, midi, save, regulation),
        ):
            play_on_devices(wanted, performance)
        return
    messages = None if score is None else read_score(score)
    in_terminal = fast or what is Playable.piano_modes or any((port, to, wav, midi, audio))
    if page and not in_terminal and can_serve():
        notes = None if keys is None and score is None else notes_of(_notes(keys, messages))
        play_on_page(
            PageOptions(
                what.value, notes, rate, messages, seconds, host, server_port, patience, answers,
                regulation=regulation, save=save,
            ),
            show_note,
        )  # fmt: skip
        return
    if what in (Playable.trial, Playable.zoo):
        raise InputError(
            f"'{what.value}' is a page: `pip install touchback[view]`, and leave --no-page away "
            "(in the terminal there are `touchback trial` and `touchback play mechanisms`)."
        )
    with working(f"building {7 if keys is None else keys} keys"):
        make = make_separate_keys if what is Playable.piano_modes else make_keyboard
        board: Board = make(_notes(keys, messages), what.value, rate=rate, regulation=regulation)
        known = graded_touches(what.value, rate=rate) if messages or port else None
    tell_of_other_keys(regulation, board.notes)
    gestures: list[Gesture] = []
    if messages is not None and known is not None:
        gestures = gestures_of(messages, known, SETTLING_TIME)
    elif port is None:
        gestures = [*passage(board.notes, SETTLING_TIME)]
    strokes = [each for each in gestures if isinstance(each, Stroke)]
    end = max((s.time + s.press + s.stay + s.leave for s in strokes), default=0.0) + RINGING
    if port is not None and seconds is None:
        seconds = PATIENCE
    duration = end if seconds is None else SETTLING_TIME + seconds
    begun = sum(each.time < duration for each in strokes)
    some = f"{begun} of " if begun < len(strokes) else ""
    out.print(
        f"{len(board.notes)} simulated keys, {what.value}, {rate:g} ticks a second: "
        f"{some}{len(strokes)} strokes in {duration:.1f} s, the first {SETTLING_TIME:g} s at rest"
    )
    with (
        open_performance(what.value, to, audio, board.notes, rate) as performance,
        performance.save_when_done(wav, midi, save, regulation),
    ):
        if port is not None and known is not None:
            performance.from_port(board, port, known, duration)
        elif fast:
            performance.offline(board, gestures, duration)
        else:
            performance.live(board, script_fingers(gestures), duration)


def _notes(asked: int | None, score: list[Timed] | None) -> int | list[int]:
    """The keys: as many as asked for, or those that a score needs."""
    keys = 7 if asked is None else asked
    notes_of(keys)  # refuses what no keyboard has
    if score is None or keys == 88:
        return keys
    return sorted({t.message.note for t in score if isinstance(t.message, tb.devices.midi.NoteOn)})


def _refuse_beside_devices(**options: object) -> None:
    """Of what was given, the first that only simulated keys have."""
    for name, value in options.items():
        if value:
            raise InputError(
                f"--{name} is of simulated keys and fingers; leave it or --device away."
            )
