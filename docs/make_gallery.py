"""Makes films and plots of the gallery's page: `PYTHONPATH=. python docs/make_gallery.py [NAME …]`.
They are committed, each below 100 kB."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from touchback import gallery
from touchback.draw.film import make_film
from touchback.figure_style import light_grid
from touchback.names import quantity_label
from touchback.recording import Run

PLACE = Path(__file__).parent / "pictures" / "gallery"
LARGEST = 100_000  # bytes
# Seconds of an experiment that a film shows, where the whole would be a muddle.
SPAN = {
    "hanging-chain": 3.0, "double-pendulum": 8.0, "four-bars": 4.0, "seven-joint-arm": 4.0,
    "slider-crank": 2.0, "crank-rocker": 2.0, "gyroscope": 8.0, "buoy": 20.0,
    "tilting-vehicle": 4.0, "kart-bench": 4.2,
}  # fmt: skip
# Coordinates that a film leaves out: its camera rides along.
RIDDEN = {"tilting-vehicle": ("body.x", "body.y")}
# Whose films are made elsewhere, with what a film of any mechanism doesn't know.
ELSEWHERE = (
    "bouncing-hammer",
    "harpsichord",
    "piano",
    "omni-wheel",
    "omni-platform",
    "mecanum-platform",
    "gps-robot",
    "driving-simulator",
    "buggy",
    "mini-baja",
    "fitted-car",
    "fitted-piano",
)


def film(name: str, run: Run) -> Path:
    """The mechanism in its experiment."""
    shown = run.time <= SPAN.get(name, run.duration)
    ridden = RIDDEN.get(name, ())
    signals = {
        signal: values[shown] * (signal not in ridden) for signal, values in run.signals.items()
    }
    file = PLACE / f"{name}.svg"
    make_film(gallery.make(name), run.time[shown], signals, file, parameters=run.parameters)
    return file


def plot(name: str, run: Run) -> Path:
    """The signals of the experiment, those of a unit together."""
    signals = gallery.entry(name).experiment.signals
    units = list(dict.fromkeys(run.units[signal] for signal in signals))
    size = (8, 1.1 + 1.1 * len(units))
    figure, axes = plt.subplots(
        len(units), 1, sharex=True, squeeze=False, figsize=size, layout="constrained"
    )
    for axis, unit in zip(axes[:, 0], units, strict=True):
        members = [signal for signal in signals if run.units[signal] == unit]
        for signal in members:
            axis.plot(run.time, run[signal], lw=1.3, label=signal)
        axis.set_ylabel(quantity_label(unit).replace(" [", "\n["), fontsize=8)
        axis.legend(fontsize=8, loc="best")
        axis.tick_params(labelsize=8)
        light_grid(axis)
    axes[-1, 0].set_xlabel("time [s]", fontsize=9)
    file = PLACE / f"{name}.png"
    figure.savefig(file, dpi=80)
    plt.close(figure)
    return file


if __name__ == "__main__":
    PLACE.mkdir(parents=True, exist_ok=True)
    for each in sys.argv[1:] or gallery.names():
        entry = gallery.entry(each)
        went = entry.experiment.run(entry.make().compile())
        for made in [plot(each, went), *([] if each in ELSEWHERE else [film(each, went)])]:
            bytes_ = made.stat().st_size
            print(f"{bytes_ / 1000:6.1f} kB  {made.name}", flush=True)
            if bytes_ > LARGEST:
                raise SystemExit(
                    f"{made.name} has {bytes_} bytes; at most {LARGEST} are committed."
                )
