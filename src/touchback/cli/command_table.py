"""The command, its table of commands, each imported when it is run, and its exit codes: 0 fine,
1 the model or the run is at fault, 2 wrong use."""

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from rich.text import Text
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

from touchback.cli.console import err, prepare
from touchback.errors import InputError, TouchbackError
from touchback.version import VERSION


class CommandEntry(NamedTuple):
    """Where a command is, and what it does: the first paragraph of its docstring."""

    module: str
    function: str
    short: str

    def load(self) -> Callable[..., None]:
        """The command itself."""
        found: Callable[..., None] = getattr(
            import_module(f"touchback.cli.{self.module}"), self.function
        )
        return found


COMMANDS: dict[str, CommandEntry] = {
    "play": CommandEntry(
        "play_command", "play",
        "Play an instrument on motorised keys with simulated fingers, or on a page with your own: "
        "every tick the motors push back as the instrument would. Notes are shown as they sound, "
        "then the deadlines.",
    ),
    "list": CommandEntry(
        "model_commands", "list_gallery", "List the ready mechanisms of the gallery."
    ),
    "show": CommandEntry(
        "model_commands", "show",
        "Show a mechanism: its tree, modes, a stick figure, names with units, and operation "
        "counts.",
    ),
    "simulate": CommandEntry(
        "simulate_commands", "simulate", "Run a mechanism and show how its signals went."
    ),
    "live": CommandEntry(
        "live_commands", "live",
        "Run a mechanism against the clock, with a table that shows how it goes. Ctrl-C ends it.",
    ),
    "ros2": CommandEntry(
        "live_commands", "ros2",
        "Run a mechanism against the clock as a node of ROS 2, or devices as another: joint "
        "states, wrenches, /tf and /clock go out; commands, parameters, reset and pause come in. "
        "Ctrl-C ends it.",
    ),
    "view": CommandEntry(
        "live_commands", "view",
        "Show a mechanism on a page in the browser, where it runs and can be touched; or a "
        "recording, which plays there; without MODEL, or with --draw, a page to draw on. Ctrl-C "
        "ends it.",
    ),
    "share": CommandEntry(
        "live_commands", "share",
        "Write one HTML file that plays a recording in any browser without a server, and runs its "
        "model there where clang and lld are at hand to compile it.",
    ),
    "replay": CommandEntry(
        "recording_commands", "replay", "Run a recording again and compare it bit for bit."
    ),
    "repair": CommandEntry(
        "recording_commands", "repair",
        "Write what a cut recording holds as a whole file, which Foxglove and other tools open.",
    ),
    "export": CommandEntry(
        "recording_commands", "export",
        "Write a recording as tables (.csv, .npz, .parquet), a picture (.png) or films (.html, "
        ".mp4, .gif, .svg): the endings choose.",
    ),
    "machine": CommandEntry(
        "benchmark_commands", "machine",
        "Show whether this computer can run mechanisms at 1, 4 and 10 kHz, and what would help.",
    ),
    "device": CommandEntry(
        "device_commands", "device",
        "List devices on serial lines and steering wheels, probe one, watch it, or let it find its "
        "own constants.",
    ),
    "feel": CommandEntry(
        "feel_command", "feel",
        "Press a key slowly and draw its force over its depth; let a passage sound.",
    ),
    "drive": CommandEntry(
        "vehicle_commands", "drive",
        "Drive a manoeuvre with a car and print the figures that standards ask for; or drive "
        "yourself, on a page, or at a steering wheel with force feedback.",
    ),
    "quality": CommandEntry(
        "simulate_commands", "quality",
        "Compare every way to run a mechanism: drift, energy, error, cost, stability; recommend "
        "one.",
    ),
    "check": CommandEntry(
        "model_commands", "check",
        "Read a model, check it, compile it, and evaluate it once. Exit code 1 if it can't work.",
    ),
    "generate": CommandEntry(
        "model_commands", "generate",
        "Print a function of a mechanism as C, Python or MATLAB, or write all of it by --to.",
    ),
    "bench": CommandEntry(
        "benchmark_commands", "bench",
        "Measure speed: against other engines in a source tree, else our own figures alone.",
    ),
    "axle": CommandEntry(
        "vehicle_commands", "axle",
        "Put an axle on the rig: bump and roll steer, camber gain, roll centre, loads, compliance.",
    ),
    "validate": CommandEntry(
        "benchmark_commands", "validate",
        "Run the published validation cases (they live in the source tree).",
    ),
    "trial": CommandEntry(
        "trial_command", "trial", "Feel hidden touches on a live key and say what you felt."
    ),
}  # fmt: skip


class Commands(TyperGroup):
    """The commands of the table, made when asked for; a list of them is the table itself."""

    _listing = False

    def list_commands(self, ctx: object) -> list[str]:
        """Their names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name; None where there is none."""
        if cmd_name not in COMMANDS or cmd_name in self.commands:
            return self.commands.get(cmd_name)
        listed = COMMANDS[cmd_name]
        if self._listing:
            return TyperCommand(cmd_name, help=listed.short)
        info = CommandInfo(cmd_name, callback=listed.load())
        made = get_command_from_info(
            info, pretty_exceptions_short=False, rich_markup_mode=self.rich_markup_mode
        )
        self.commands[cmd_name] = made
        return made

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help of all commands, without importing them."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


app = typer.Typer(
    cls=Commands,
    help="Mechanisms as equations, equations as machine code, machine code that people can touch.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"touchback {VERSION}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Mechanisms as equations, equations as machine code, machine code that people can touch."""


def main(command: typer.Typer = app) -> None:
    """Runs the command; our errors and warnings are messages, without lines of our sources."""
    prepare(sys.stdout, sys.stderr)
    as_before, warnings.formatwarning = warnings.formatwarning, _warning
    try:
        command()
    except InputError as error:
        _tell(error)
        sys.exit(2)
    except (TouchbackError, OSError) as error:
        _tell(error)
        sys.exit(1)
    finally:
        warnings.formatwarning = as_before


def _warning(message: Warning | str, *_: object, **__: object) -> str:
    return f"warning: {message}\n"


def _tell(error: Exception) -> None:
    err.print(Text.assemble(("error:", "red"), " ", str(error)), soft_wrap=True)
