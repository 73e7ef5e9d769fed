"""The control port of live runs: typed messages, the desk that answers them, and ways to it."""

from touchback.realtime.control.client import Control, control
from touchback.realtime.control.desk import Desk
from touchback.realtime.control.exposed import Exposed
from touchback.realtime.control.messages import Answer, Message
from touchback.realtime.control.port import Port
from touchback.realtime.control.rates import Rate

__all__ = ["Answer", "Control", "Desk", "Exposed", "Message", "Port", "Rate", "control"]
