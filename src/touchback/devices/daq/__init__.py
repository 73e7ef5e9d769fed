"""Data acquisition boards, as `tb.devices.daq`: sources of interleaved blocks of measurements, read
beside the ticks of a live run, of which each tick uses the freshest (Gallo 2012, chapter 4)."""

from touchback.devices.daq.block_feed import Feed, SourceClock
from touchback.devices.daq.block_layout import GALLO, BlockChannel, BlockLayout
from touchback.devices.daq.block_recordings import PlayedBoard, blocks_of_run, run_of_blocks
from touchback.devices.daq.buggy_sensors import (
    SENSORS,
    Analogue,
    EdgeCounterSensor,
    GatedSpeedSensor,
    buggy_codes,
    buggy_conditioning,
    buggy_layout,
)
from touchback.devices.daq.can_board import CanBoard, can_layout, read_dbc
from touchback.devices.daq.daq_driver import Block, Board, Daq, DaqQuantity
from touchback.devices.daq.file_board import FileBoard, FileChannel
from touchback.devices.daq.packet_boards import PacketFeed, SerialBoard, UdpBoard, pack_block, stuff
from touchback.devices.daq.reading_strategies import (
    STRATEGIES,
    Reader,
    Strategy,
    TaggedReader,
    Taken,
    strategy,
)
from touchback.devices.daq.signal_conditioning import Conditioned, Conditioning, Quantity
from touchback.devices.daq.simulated_board import (
    SampledSignal,
    Script,
    SimulatedBoard,
    SimulatedDriver,
    driver_conditioning,
)
from touchback.devices.daq.vendor_boards import LabJackBoard, NiBoard
from touchback.recording import save_mdf

__all__ = [
    "GALLO",
    "SENSORS",
    "STRATEGIES",
    "Analogue",
    "Block",
    "BlockChannel",
    "BlockLayout",
    "Board",
    "CanBoard",
    "Conditioned",
    "Conditioning",
    "Daq",
    "DaqQuantity",
    "EdgeCounterSensor",
    "Feed",
    "FileBoard",
    "FileChannel",
    "GatedSpeedSensor",
    "LabJackBoard",
    "NiBoard",
    "PacketFeed",
    "PlayedBoard",
    "Quantity",
    "Reader",
    "SampledSignal",
    "Script",
    "SerialBoard",
    "SimulatedBoard",
    "SimulatedDriver",
    "SourceClock",
    "Strategy",
    "TaggedReader",
    "Taken",
    "UdpBoard",
    "blocks_of_run",
    "buggy_codes",
    "buggy_conditioning",
    "buggy_layout",
    "can_layout",
    "driver_conditioning",
    "pack_block",
    "read_dbc",
    "run_of_blocks",
    "save_mdf",
    "strategy",
    "stuff",
]  # fmt: skip
