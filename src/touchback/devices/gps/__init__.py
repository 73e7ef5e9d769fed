"""A GPS receiver as a sensor, as `tb.devices.gps`: almanacs and where their satellites are,
buildings that hide and reflect them, what a receiver makes of it, and what it says on its line."""

from touchback.devices.gps.almanac import (
    WEEK_1886,
    Almanac,
    Orbit,
    gps_time,
    parse_sem,
    parse_yuma,
    read_almanac,
    utc,
)
from touchback.devices.gps.geodesy import Site, geodetic
from touchback.devices.gps.gps_receiver import (
    Correlator,
    Dilution,
    Fix,
    Receiver,
    VisibleSatellite,
    dilution,
    solve_position,
)
from touchback.devices.gps.nmea_writer import NmeaTransmitter, sentences
from touchback.devices.gps.urban_canyon import Building, detours, hidden

__all__ = [
    "WEEK_1886",
    "Almanac",
    "Building",
    "Correlator",
    "Dilution",
    "Fix",
    "NmeaTransmitter",
    "Orbit",
    "Receiver",
    "Site",
    "VisibleSatellite",
    "detours",
    "dilution",
    "geodetic",
    "gps_time",
    "hidden",
    "parse_sem",
    "parse_yuma",
    "read_almanac",
    "sentences",
    "solve_position",
    "utc",
]  # fmt: skip
