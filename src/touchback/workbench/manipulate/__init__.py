"""What the manipulators of a page do to a mechanism that runs: hands that drag bodies, icons of
forces, torques and motions, edits of constraints, laws as text, and poses while it is paused."""

from touchback.workbench.manipulate.hand import equipped, with_hand
from touchback.workbench.manipulate.manipulators import Manipulators

__all__ = ["Manipulators", "equipped", "with_hand"]
