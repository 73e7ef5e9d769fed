"""What the manipulators of a page do to a mechanism that runs: hands that drag bodies, icons of
forces, torques and motions, edits of constraints, laws as text, and poses while it is paused."""

from __future__ import annotations

from touchback.realtime.control import CommandServer
from touchback.realtime.control.command_server import OFTEN, SELDOM
from touchback.realtime.control.control_messages import Reset
from touchback.workbench.manipulate.controller_laws import ControllerLaws
from touchback.workbench.manipulate.force_icons import Icons, find_icons
from touchback.workbench.manipulate.joint_hold import JointHold, model_for_page, system_for_page
from touchback.workbench.manipulate.manipulator_messages import (
    Edit,
    Grab,
    Hold,
    Icon,
    Joint,
    Keyframe,
    Law,
    Laws,
    Pose,
    Pull,
    Release,
    Remove,
    Undo,
)
from touchback.workbench.manipulate.mouse_hand import Grips, model_with_hands, with_hand
from touchback.workbench.manipulate.pose_dragging import Poses
from touchback.workbench.manipulate.structure_edits import Edits
from touchback.workbench.manipulate.undo_history import Reshape


class Manipulators:
    """What the four manipulators do to a run: adds their messages to its command server."""

    def __init__(self, commands: CommandServer) -> None:
        self.commands = commands
        self.grips = Grips(commands)
        self.reshape = Reshape(commands.live)
        self.icons = Icons(commands, self.reshape)
        commands.govern(self.icons.governs)
        commands.add(Grab, self.grips.grab)
        commands.add(Pull, self.grips.pull, OFTEN)
        commands.add(Release, self.grips.release, None)  # nobody may be kept from letting go
        commands.add(Icon, self.icons.put, OFTEN)
        commands.add(Remove, self.icons.remove, SELDOM)
        self.edits, self.laws = (
            Edits(commands, self.reshape),
            ControllerLaws(commands, self.reshape),
        )
        self.hold = JointHold(commands)
        commands.add(Hold, self.hold.hold)
        commands.add(Keyframe, self.hold.keyframe)
        commands.add(Reset, self.hold.reset)
        self.poses = Poses(commands, self.hold.command)
        commands.add(Pose, self.poses.pose, OFTEN)
        commands.add(Edit, self.hold.keeping(self.edits.edit), SELDOM)
        commands.add(Undo, self.hold.keeping(self.edits.undo), SELDOM)
        commands.add(Joint, self.edits.joint)
        commands.add(Law, self.laws.law, SELDOM)
        commands.add(Laws, self.laws.laws)

    def find_icons(self) -> None:
        """Icons of a run that goes on from a recording are icons again."""
        live = self.commands.live
        if not live.system.names:  # of a row of copies none was changed
            numbers = {name: live[name] for name in live.system.input_names}
            find_icons(self.icons, self.reshape.model(), numbers)

    def leave(self, client: str) -> None:
        """Lets go of what a client held who is gone."""
        self.grips.leave(client)


__all__ = ["Manipulators", "model_for_page", "model_with_hands", "system_for_page", "with_hand"]
