"""Signals and commands of a live run: by name, from the next tick on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from touchback.errors import InputError
from touchback.model.signals import alternatives, choice_name
from touchback.native.live.layout import LATCHED, STALE
from touchback.native.live.mailbox import Message
from touchback.numbers import MOST, number_within
from touchback.realtime.ending import to_its_end
from touchback.realtime.kept import Kept
from touchback.realtime.plan import read_substeps
from touchback.realtime.ports import STOP_PORT, WatchedInput, number_of
from touchback.realtime.ramps import read_seconds
from touchback.realtime.report import flag_names
from touchback.recording import unknown_name
from touchback.system import System
from touchback.system.reading import by_name


class Signals(Kept):
    """Inputs, parameters, outputs and states by name."""

    def __setitem__(self, name: str, value: float) -> None:
        """Sets an input or a live parameter from the next tick on."""
        if name in self.system.input_names:
            self.system.layout.check_input(name, number_of(name, value))
            self.write(name, value)
        elif name in self._parameters.values:
            self.change({name: value})
        else:
            settable = [*self.system.input_names, *self._parameters.values]
            raise unknown_name("input or parameter", name, settable)

    def ramp(self, name: str, value: float, seconds: float) -> None:
        """Brings a live parameter to a value within so many seconds of the model's time, by a small
        step at each tick (above 1 kHz at every second, …), each recorded, replayed and booked as a
        change of its own. A closed loop follows; where it can't, the parameter stays as far as it
        came, and a fault in the report says so. Another value for the same parameter ends a ramp,
        other parameters don't."""
        if name in self.system.input_names:
            raise InputError(
                f"'{name}' is an input, which follows whoever writes it; ramps are of parameters."
            )
        self.change({name: value}, seconds)

    def change(self, values: Mapping[str, float], seconds: float = 0.0) -> None:
        """Sets live parameters, all of them at one tick, or along a ramp."""
        known = self._parameters.values
        for name in by_name("change", values):
            if name not in known:
                raise unknown_name("parameter", name, known)
        if not values:
            return
        self._make_room(next(iter(values)))
        now, message = self._region.published()
        start = 3 + len(self.system.output_names)
        state = message.values[start : start + len(self.system.state_names)]
        wanted = {name: number_of(name, value) for name, value in values.items()}
        seconds = read_seconds(next(iter(values)), seconds)
        self._parameters.change(wanted, now["time"], state, seconds)

    def _make_room(self, name: str) -> None:
        """Whoever asks for changes faster than they can be kept does some of the keeping; a change
        is refused rather than that a row were lost."""
        if self._parameters.crowded:
            to_its_end(self._drain)
            if self._keeper.keeps:
                self._parameters.check_room(name)

    def __getitem__(self, name: str) -> float:
        """A parameter or an input as last set, or a signal as last published."""
        if name in self._parameters.values:
            return self._parameters.values[name]
        system = self.system
        if name in system.input_names:
            self._region.refresh()  # the structure may be newer than the system known
            if name not in self._region.inputs:
                raise unknown_name("input", name, self._region.inputs)
            box = self._region.mailbox(name).read()
            place = list(system.input_names).index(name)
            return float(box.values[0] if box.number else system.input_defaults[place])
        return self.read(name)

    def taken(self) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and parameters that ticks use at present, in the order of the system's names."""
        loop = self._loop
        return loop.u[1 : len(loop.ports)].copy(), loop.parameters

    def write(self, name: str, value: float, stamp: int | None = None) -> None:
        """A message for an input, checked, that was made at `stamp` (monotonic ns; now)."""
        self._region.write(name, self._checked(name, value), stamp)

    def feed(self, name: str, value: float) -> None:
        """A message of a device for its input, which nobody takes while the structure has none."""
        self._region.mailbox(name).write(self._checked(name, value))

    def _checked(self, name: str, value: float) -> float:
        value = number_of(name, value)
        self.plan.inputs.get(name, WatchedInput()).check(name, value)
        return value

    def read(self, name: str) -> float:
        """An output (as delivered), a state or an energy of the last tick; or its "tick", "time",
        "flags"."""
        return self._region.read(name)

    def snapshot(self) -> dict[str, float]:
        """All outputs, states and energies of one and the same tick."""
        return self.published()[0]

    def published(self) -> tuple[dict[str, float], Message]:
        """The snapshot, and the message that it came in."""
        return self._region.published()

    def latest(self) -> tuple[Sequence[str], Message]:
        """The names of what a tick publishes, and the last message: for who looks every tick."""
        return self._region.latest()

    @property
    def ticks(self) -> int:
        """Ticks so far."""
        return int(self._loop.statistics.ticks)

    @property
    def faults(self) -> tuple[str, ...]:
        """What keeps the outputs at their safe values at present."""
        return flag_names(int(self.read("flags")) & (LATCHED | STALE))

    @property
    def latest_fault(self) -> str:
        """The last of the run's faults in words; empty without one."""
        known = self._faults.latest
        return known[-1].text if known else ""

    # ---- commands -------------------------------------------------------------------------------

    def emergency_stop(self) -> None:
        """Outputs safe and the model held from the next tick on, until `resume`; any thread."""
        self._loop.halt()

    @property
    def stops(self) -> int:
        """How many emergency stops were asked for; the last may wait for its tick."""
        theirs = int(self._region.mailboxes[STOP_PORT].read().number)
        return int(self._loop.commands.halts) + theirs

    def fail(self, text: str) -> None:
        """A fault that takes guarded outputs to safe from the next tick on, until `resume`."""
        self._loop.fail()
        self.note(text)

    def resume(self) -> None:
        """Clears faults that last: the model goes on from its last good state."""
        self._loop.resume()

    def set_gain(self, output: str, gain: float) -> None:
        """A factor on an output, from the next tick on."""
        names = list(self.system.output_names)
        if output not in names:
            raise unknown_name("output", output, names)
        gain = number_within(f"The gain of '{output}' must be a number", gain, -MOST, MOST)
        self._gains[output] = gain
        self._loop.set_gain(names.index(output), gain)

    def watch(self, name: str, max_age: float, safe: float | Literal["hold"] = 0.0) -> None:
        """Watches an input from the next tick on: after `max_age` seconds without a message guarded
        outputs go to their safe values, and the model goes on with `safe`, as where the run was
        begun with such a `WatchedInput`."""
        names = list(self.system.input_names)
        if name not in names:
            raise unknown_name("input", name, names)
        watched = replace(self.plan.inputs.get(name, WatchedInput()), max_age=max_age, safe=safe)
        self._watched = {**self._watched, name: watched}  # another thread may look at the old one
        self._loop.watch(names.index(name), watched.watch(self.plan.rate))

    def set_substeps(self, substeps: int) -> None:
        """Steps of the model in a tick, from the next tick on."""
        self._loop.set_substeps(read_substeps(substeps))

    def choose(self, control: str, alternative: str) -> None:
        """Lets an alternative of a control (or the control itself) act from the next tick on."""
        found = choices(self.system)
        if control not in found:
            raise unknown_name("control", control, list(found))
        known = found[control]
        if alternative not in known:
            raise unknown_name(f"alternative of '{control}'", alternative, known)
        if len(known) > 1:
            self[choice_name(control)] = float(known.index(alternative))


def choices(system: System) -> dict[str, list[str]]:
    """Controls that aren't instead of another, each with its alternatives and itself first; one of
    a copy is "copy/control"."""
    model = system.one.model if system.names else system.model
    first = [name for name, each in model.controls.items() if not each.instead_of]
    return {
        f"{copy}/{name}" if copy else name: alternatives(model.controls, name)
        for copy in system.names or ("",)
        for name in first
    }
