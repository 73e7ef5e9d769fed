"""Data acquisition boards, as `tb.devices.daq`: sources of interleaved blocks of measurements, read
beside the ticks of a live run, of which each tick uses the freshest (Gallo 2012, chapter 4)."""

from touchback.devices.daq.board import SampledSignal, Script, SimulatedBoard
from touchback.devices.daq.conditioning import Conditioned, Conditioning, Quantity
from touchback.devices.daq.driver import Block, Board, Daq, DaqQuantity
from touchback.devices.daq.files import PlayedBoard, blocks_of_run, run_of_blocks
from touchback.devices.daq.layout import GALLO, BlockChannel, BlockLayout
from touchback.devices.daq.readers import STRATEGIES, Reader, Strategy, Taken, strategy

__all__ = [
    "GALLO", "STRATEGIES", "Block", "BlockChannel", "BlockLayout", "Board", "Conditioned",
    "Conditioning", "Daq", "DaqQuantity", "PlayedBoard", "Quantity", "Reader", "SampledSignal",
    "Script", "SimulatedBoard", "Strategy", "Taken", "blocks_of_run", "run_of_blocks", "strategy",
]  # fmt: skip
