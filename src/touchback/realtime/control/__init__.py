"""The control port of live runs: typed messages, the command server that answers them, and ways to
it."""

from touchback.realtime.control.command_server import CommandServer
from touchback.realtime.control.control_client import Control, control
from touchback.realtime.control.control_messages import Answer, Message
from touchback.realtime.control.control_port import Port
from touchback.realtime.control.permissions import Exposed, Rate

__all__ = ["Answer", "CommandServer", "Control", "Exposed", "Message", "Port", "Rate", "control"]
