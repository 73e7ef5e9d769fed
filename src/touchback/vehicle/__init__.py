"""Vehicles, as `tb.vehicle`: tyres, roads, and forces that put the ones on the others; engine,
gearbox and brakes; suspensions, steering and whole cars; the single-track car; drivers and
manoeuvres of any car.

Their laws are written with operators over any number: floats and arrays check them, expressions
take them into the tick."""

from touchback.model.io import add_kind
from touchback.vehicle import drivers as drivers, manoeuvres as manoeuvres, simulator as simulator
from touchback.vehicle.by_wire_cars import ByWireCar, ByWireWholeCar, Wires, by_wire_car
from touchback.vehicle.car import (
    Brakes,
    Car,
    CarParts,
    Chassis,
    Post,
    RunningGear,
    add_car,
    add_running_gear,
)
from touchback.vehicle.car_body import Body, BodyAtWalls
from touchback.vehicle.car_file import AXLES, SMALL_CAR, is_car_file, read_car, save_car
from touchback.vehicle.commonroad_multi_body import (
    CommonRoadTyre,
    MultiBodyAxle,
    MultiBodyCar,
    MultiBodyState,
    add_multi_body_car,
)
from touchback.vehicle.driveline import (
    DiscBrake,
    Driveline,
    Engine,
    Gearbox,
    add_driveline,
    line_pressure,
)
from touchback.vehicle.driven_cars import (
    CARS,
    CarMotion,
    Commands,
    DrivenCar,
    Outline,
    SingleTrackCar,
    WholeCar,
)
from touchback.vehicle.drivers import (
    ObstacleAvoider as ObstacleAvoider,
    OpenLoop as OpenLoop,
    StraightPath as StraightPath,
)
from touchback.vehicle.manoeuvres import MANOEUVRES as MANOEUVRES
from touchback.vehicle.manoeuvres.manoeuvre import (
    Outcome as Outcome,
    drive as drive,
    model_of as model_of,
)
from touchback.vehicle.roads import (
    SMALL_TRACK,
    Bump,
    GridRoad,
    Ground,
    Kerb,
    Patch,
    PlaneRoad,
    Road,
    iso8608_road,
    read_height_map,
    read_mesh_road,
)
from touchback.vehicle.simulator.blind_trial import (
    add_obstacle as add_obstacle,
    draw_meetings as draw_meetings,
    meet_obstacles as meet_obstacles,
)
from touchback.vehicle.simulator.simulator_car import RATE as RATE, SimulatorCar as SimulatorCar
from touchback.vehicle.simulator.steering_wheel import Person as Person, WiredWheel as WiredWheel
from touchback.vehicle.single_track import SingleTrack, SingleTrackState, add_single_track
from touchback.vehicle.steering import Column, Steering, SteeringParts, add_steering
from touchback.vehicle.suspension import (
    AntiRollBar,
    AxleKind,
    AxleLink,
    AxleReport,
    Corner,
    DoubleWishbone,
    MacPherson,
    Mounts,
    RigidAxle,
    Strut,
    StrutTables,
    TrailingArm,
    Wheel,
    add_axle,
    measure_axle,
)
from touchback.vehicle.tyre_on_road import TyreForces, TyreOnRoad, WheelRoadContact
from touchback.vehicle.tyres import (
    BUGGY_TYRE,
    Answer,
    AnyTyre,
    BrushTyre,
    Carcass,
    Contact,
    ContactPatchWrench,
    LinearTyre,
    MagicFormula,
    TirFile,
    Tyre,
    parse_tir,
    read_tir,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = ("simulator",)

add_kind("forces", TyreOnRoad)
add_kind("forces", BodyAtWalls)
add_kind("forces", DiscBrake)
add_kind("forces", Strut)
add_kind("forces", AntiRollBar)
add_kind("forces", Column)
add_kind("sensors", TyreForces)

__all__ = [
    "AXLES",
    "BUGGY_TYRE",
    "CARS",
    "SMALL_CAR",
    "SMALL_TRACK",
    "Answer",
    "AntiRollBar",
    "AnyTyre",
    "AxleKind",
    "AxleLink",
    "AxleReport",
    "Body",
    "BodyAtWalls",
    "Brakes",
    "BrushTyre",
    "Bump",
    "ByWireCar",
    "ByWireWholeCar",
    "Car",
    "CarMotion",
    "CarParts",
    "Carcass",
    "Chassis",
    "Column",
    "Commands",
    "CommonRoadTyre",
    "Contact",
    "ContactPatchWrench",
    "Corner",
    "DiscBrake",
    "DoubleWishbone",
    "Driveline",
    "DrivenCar",
    "Engine",
    "Gearbox",
    "GridRoad",
    "Ground",
    "Kerb",
    "LinearTyre",
    "MacPherson",
    "MagicFormula",
    "Mounts",
    "MultiBodyAxle",
    "MultiBodyCar",
    "MultiBodyState",
    "Outline",
    "Patch",
    "PlaneRoad",
    "Post",
    "RigidAxle",
    "Road",
    "RunningGear",
    "SingleTrack",
    "SingleTrackCar",
    "SingleTrackState",
    "Steering",
    "SteeringParts",
    "Strut",
    "StrutTables",
    "TirFile",
    "TrailingArm",
    "Tyre",
    "TyreForces",
    "TyreOnRoad",
    "Wheel",
    "WheelRoadContact",
    "WholeCar",
    "Wires",
    "add_axle",
    "add_car",
    "add_driveline",
    "add_multi_body_car",
    "add_running_gear",
    "add_single_track",
    "add_steering",
    "by_wire_car",
    "is_car_file",
    "iso8608_road",
    "line_pressure",
    "measure_axle",
    "parse_tir",
    "read_car",
    "read_height_map",
    "read_mesh_road",
    "read_tir",
    "save_car",
]
