"""The run object: time, named signals, and how they came about."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.json_validation import checked
from touchback.names import unknown_name, with_unit
from touchback.recording.run_data import Floats, RunData
from touchback.recording.run_records import EnergyBalance, EventRecord, TransitionRecord

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from touchback.model import Model

_ROWS = 24  # signals that a notebook shows of many
_STYLE = "display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start"


class Run:
    """Signals over time. `run["name"]` is an array as long as `run.time`; of what has components
    ("tip.x", "tip.y", "tip.z"), `run["tip"]` has a column for each.

    `metadata` holds plain data (text, numbers, lists, dicts): the model's name, the method, its
    settings, parameters, statistics, and under "repro_call" the call that gives the same run again.
    """

    def __init__(
        self,
        time: ArrayLike,
        signals: Mapping[str, ArrayLike],
        units: Mapping[str, str] | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> None:
        self.time: Floats = np.array(time, dtype=np.float64)
        if self.time.ndim != 1:
            raise InputError(f"A run's time must have one dimension, got shape {self.time.shape}.")
        checked_signals: dict[str, Floats] = {}
        for name, values in signals.items():
            array = np.array(values, dtype=np.float64)
            if array.shape != self.time.shape:
                raise InputError(
                    f"Signal {name!r} has shape {array.shape}, but time has {self.time.shape}."
                )
            checked_signals[name] = array
        self.signals: Mapping[str, Floats] = checked_signals
        self.units: dict[str, str] = {name: (units or {}).get(name, "") for name in self.signals}
        self.metadata: dict[str, Any] = dict(metadata or {})
        self.model: Model | None = None  # the mechanism, where it is at hand

    @property
    def names(self) -> list[str]:
        """The names of the signals, in the order of the recording."""
        return list(self.signals)

    @property
    def duration(self) -> float:
        """Seconds from the first to the last instant."""
        return float(self.time[-1] - self.time[0]) if len(self.time) else 0.0

    @property
    def parameters(self) -> dict[str, float]:
        """Values that replaced the model's own."""
        return self._data.parameters

    @property
    def _data(self) -> RunData:
        """The run's arrays, units and metadata, as writers of files take them."""
        return RunData(self.time, self.signals, self.units, self.metadata, self.model)

    @property
    def events(self) -> list[EventRecord]:
        """The events that the run met, in the order of time."""
        return [EventRecord.from_data(data) for data in self._records("events")]

    @property
    def energy_balance(self) -> EnergyBalance:
        """Where the run's energy came from and went to."""
        if "energy_balance" not in self.metadata:
            raise InputError(
                "This run has no energy balance; ask for it with "
                "tb.simulate(…, energy_balance=True)."
            )
        return EnergyBalance.from_data(self.metadata["energy_balance"])

    @property
    def transitions(self) -> list[TransitionRecord]:
        """The changes of mode that the run met, in the order of time."""
        return [TransitionRecord.from_data(data) for data in self._records("transitions")]

    def _records(self, key: str) -> list[object]:
        return checked(self.metadata.get(key, []), list[object], f"The run's list of {key}")

    def __getitem__(self, name: str) -> Floats:
        if name in self.signals:
            return self.signals[name]
        return np.stack([self.signals[each] for each in self.signals_of(name)], axis=1)

    def signals_of(self, name: str) -> list[str]:
        """The signals that a name stands for: itself, or its components ("tip.x", …)."""
        found = [name] if name in self.signals else self._components(name)
        if not found:
            raise unknown_name("signal", name, self.signals)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.signals or bool(self._components(name))

    def _components(self, name: object) -> list[str]:
        """Signals "name.x", …; rates ("name.x rate") are others'."""
        start = f"{name}."
        return [
            each
            for each in self.signals
            if each.startswith(start) and not {" ", "."} & set(each[len(start) :])
        ]

    def __iter__(self) -> Iterator[str]:
        return iter(self.signals)

    def __len__(self) -> int:
        return len(self.time)

    def plot(self, *names: str, path: str | os.PathLike[str] | None = None) -> Figure:
        """A figure of the named signals (all of them when none is named), one panel per unit."""
        from touchback.recording.plot_runs import plot_run

        shown = [each for name in names or tuple(self.names) for each in self.signals_of(name)]
        return plot_run(self._data, shown, self.events, path)

    def film(
        self,
        path: str | os.PathLike[str],
        model: Model | None = None,
        speed: float | None = None,
    ) -> None:
        """Writes a film of the mechanism: .svg (moves by itself), .gif, .mp4, or .html (one page
        with a slider, to turn and look at from all sides). `speed` 1 is real time, 0.1 ten times
        slower; without it the film takes some 4 to 20 seconds. A run that was read from a file
        doesn't know its mechanism: give its `model`."""
        from touchback.draw import make_film

        shown = self.model if model is None else model
        if shown is None:
            raise InputError("This run doesn't know its mechanism; give run.film(…, model=…).")
        make_film(shown, self.time, self.signals, path, speed, self.parameters)

    def save(
        self, path: str | os.PathLike[str], *, ros2: bool = False, layout: bool = False
    ) -> None:
        """Writes the run; the suffix chooses the format (.csv, .npz, .mcap or .parquet). An .mcap
        has messages of ROS 2 too where asked for, and a `layout` for Foxglove beside it."""
        from touchback.recording.run_formats import write_run

        write_run(self._data, path, ros2=ros2, layout=layout)

    def _repr_html_(self) -> str:
        """What a notebook shows: the film, if the run knows its mechanism; the plot, if matplotlib
        is there; a table of its signals."""
        parts = [*self._film_html(), *self._plot_html(), self._table_html()]
        return f"<p>{escape(repr(self))}</p><div style='{_STYLE}'>{''.join(parts)}</div>"

    def _film_html(self) -> list[str]:
        from touchback.draw import film_text

        if self.model is None or len(self) < 2:
            return []
        return [film_text(self.model, self.time, self.signals, self.parameters)]

    def _plot_html(self) -> list[str]:
        from touchback.figure_style import pyplot

        try:
            figure = self.plot(*self.names[:_ROWS])
        except InputError:  # no matplotlib, or nothing to plot
            return []
        file = BytesIO()
        figure.savefig(file, format="png", dpi=72)
        pyplot().close(figure)
        text = base64.b64encode(file.getvalue()).decode()
        return [f'<img alt="signals over time" src="data:image/png;base64,{text}"/>']

    def _table_html(self) -> str:
        rows = [
            f"<tr><td>{escape(name)}</td><td>{escape(self.units[name])}</td>"
            + "".join(f"<td>{x:.6g}</td>" for x in (values.min(), values.max(), values[-1]))
            + "</tr>"
            for name, values in list(self.signals.items())[:_ROWS]
            if len(values)
        ]
        more = len(self.signals) - len(rows)
        rest = f"<tr><td>… {more} more</td></tr>" if more > 0 else ""
        titles = "".join(f"<th>{word}</th>" for word in ("signal", "unit", "min", "max", "final"))
        return f"<table><tr>{titles}</tr>{''.join(rows)}{rest}</table>"

    def __repr__(self) -> str:
        model = self.metadata.get("model", "unnamed")
        return (
            f"<run of {model!r}: {self.duration:g} s, {len(self)} instants, "
            f"{len(self.signals)} signals>"
        )

    def __str__(self) -> str:
        method = self.metadata.get("method")
        repro_call = self.metadata.get("repro_call")
        lines = [
            f"Run of {self.metadata.get('model', 'an unnamed model')!r}"
            + (f" with {method}" if method else ""),
            f"  {len(self)} instants over {self.duration:g} s",
            "  signals: " + ", ".join(self._labels()),
        ]
        if self.events:
            lines.append(f"  events:  {_listed(self.events)}")
        if self.transitions:
            lines.append(f"  modes:   {_passed(self.transitions)}")
        return "\n".join(lines + ([f"  reproduce: {repro_call}"] if repro_call else []))

    def _labels(self) -> list[str]:
        return [with_unit(name, unit) for name, unit in self.units.items()]


def _passed(transitions: list[TransitionRecord], most: int = 6) -> str:
    shown = [f"{each.target} from {each.time:.6g} s" for each in transitions[:most]]
    more = f", … {len(transitions)} changes in all" if len(transitions) > most else ""
    return ", ".join([transitions[0].source, *shown]) + more


def _listed(events: list[EventRecord], most: int = 6) -> str:
    shown = [f"{event.name} at {event.time:.6g} s" for event in events[:most]]
    return ", ".join(shown) + (f", … {len(events)} in all" if len(events) > most else "")
