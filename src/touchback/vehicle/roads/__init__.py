"""Roads: where the ground is and how it grips, over any number."""

from pathlib import Path

from touchback.vehicle.roads.base import Bump, Ground, Kerb, Patch, Road
from touchback.vehicle.roads.road_files import parse_height_map, read_height_map, read_mesh_road
from touchback.vehicle.roads.road_surfaces import (
    GridRoad,
    PlaneRoad,
    coherence,
    iso8608_road,
    roughness,
)

#: A small surveyed-looking track that the package brings along, an Esri ASCII grid: made up.
SMALL_TRACK = Path(__file__).with_name("small_track.asc")

AnyRoad = PlaneRoad | GridRoad

__all__ = [
    "SMALL_TRACK",
    "Bump",
    "GridRoad",
    "Ground",
    "Kerb",
    "Patch",
    "PlaneRoad",
    "Road",
    "coherence",
    "iso8608_road",
    "parse_height_map",
    "read_height_map",
    "read_mesh_road",
    "roughness",
]
