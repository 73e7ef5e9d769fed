"""A GPS receiver as a sensor, as `tb.devices.gps`: almanacs and where their satellites are,
buildings that hide and reflect them, what a receiver makes of it, and what it says on its line."""

from touchback.devices.gps.almanac import Almanac, Orbit
from touchback.devices.gps.almanac_files import (
    WEEK_1886,
    parse_sem,
    parse_yuma,
    read_almanac,
)
from touchback.devices.gps.clock import gps_time, utc
from touchback.devices.gps.dilution import Dilution, dilution
from touchback.devices.gps.earth import Site, geodetic
from touchback.devices.gps.multipath import Correlator
from touchback.devices.gps.nmea import Speaker, sentences
from touchback.devices.gps.receiver import Fix, Receiver, Seen, solve_position
from touchback.devices.gps.town import Building, detours, hidden

__all__ = [
    "WEEK_1886", "Almanac", "Building", "Correlator", "Dilution", "Fix", "Orbit", "Receiver",
    "Seen", "Site", "Speaker", "detours", "dilution", "geodetic", "gps_time", "hidden", "parse_sem",
    "parse_yuma", "read_almanac", "sentences", "solve_position", "utc",
]  # fmt: skip
