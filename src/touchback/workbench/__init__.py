"""The page where people play with a mechanism: `tb.workbench.open(system)` serves it, `.url` is
its address. It needs the extra `view` (`pip install touchback[view]`)."""

from touchback.workbench.drawing import Drawing
from touchback.workbench.live_source import feed as feed
from touchback.workbench.manipulate.joint_hold import model_for_page as model_for_page
from touchback.workbench.manipulate.mouse_hand import model_with_hands as model_with_hands
from touchback.workbench.manipulate.state_snapshot import StateSnapshot
from touchback.workbench.page_source import PoseFrame, Source
from touchback.workbench.play.piano_page import (
    ALL_WALLS as ALL_WALLS,
    OCTAVE as OCTAVE,
    PianoPage as PianoPage,
)
from touchback.workbench.play.play_server import (
    PAGES as PAGES,
    ZOO as ZOO,
    PlayServer as PlayServer,
)
from touchback.workbench.play.trial_pages import ForcedChoicePage as ForcedChoicePage
from touchback.workbench.playback import share
from touchback.workbench.workbench import Workbench, open as open, open_drawing as open_drawing

# `open` is there too, but `from touchback.workbench import *` leaves Python's own as it is.
__all__ = ["Drawing", "PoseFrame", "Source", "StateSnapshot", "Workbench", "share"]
