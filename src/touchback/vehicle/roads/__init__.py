"""Roads: where the ground is and how it grips, over any number."""

from pathlib import Path

from touchback.vehicle.roads.base import Ground, Patch, Road
from touchback.vehicle.roads.bump import Bump
from touchback.vehicle.roads.grid import GridRoad
from touchback.vehicle.roads.height_map import parse_height_map, read_height_map
from touchback.vehicle.roads.iso8608 import coherence, iso8608_road, roughness
from touchback.vehicle.roads.kerb import Kerb
from touchback.vehicle.roads.mesh import read_mesh_road
from touchback.vehicle.roads.plane import PlaneRoad

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
