"""Everything that reads bytes of strangers, one function each, with examples to begin from."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import touchback as tb
from mesh_files import dae
from touchback import gallery
from touchback.devices.daq import read_dbc
from touchback.devices.evdev.force_wheel import read_scale
from touchback.devices.gps.almanac import parse_sem, parse_yuma
from touchback.haptics.trials.trial_journal import Journal
from touchback.instruments.keyboard.keyboard_regulation import (
    EVERY,
    FORMAT,
    VERSION,
    read_regulation,
)
from touchback.instruments.midi_file import read_midi
from touchback.interop.fmi.fmu_instance import read_description
from touchback.interop.generated_folder import write_folder
from touchback.interop.meshes.mesh_file import read_mesh
from touchback.realtime.udp_signals import unpack
from touchback.recording.measured.csv_series import read_csv
from touchback.recording.ros2.ros2_types import decode
from touchback.sweeps.sweep_folder import check_shared, hold_part, read_part as read_part
from touchback.vehicle.car_file import read_car
from touchback.vehicle.roads.road_files import parse_height_map
from touchback.vehicle.tyres.tir_file import parse_tir
from touchback.workbench import Drawing

ROOT = Path(__file__).parents[2]
SOURCE = Path(tb.__path__[0])
Seeds = Callable[[], list[bytes]]
_MJCF = b"""<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size=".1" mass="1"/>
<body name="b"><joint name="j" axis="0 1 0" range="-1 1"/><geom type="capsule" size=".1 .2"/></body>
</body></worldbody><actuator><motor joint="j" gear="2"/></actuator></mujoco>"""
_SDF = b"""<sdf version="1.9"><model name="m"><link name="a"><pose>0 0 1 0 0 0</pose></link>
<frame name="f" attached_to="a"/><joint name="j" type="revolute"><parent>world</parent>
<child>f</child>
<axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1</lower></limit></axis></joint>
</model></sdf>"""
_USD = b"""#usda 1.0
( metersPerUnit = 1 )
def PhysicsScene "scene" {
    float physics:gravityMagnitude = 3
}
def Plane "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
def Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI"])
{
    float physics:mass = 2
    point3f physics:centerOfMass = (0, .1, 0)
    double3 xformOp:translate = (1, 0, 2)
    float3 xformOp:rotateXYZ = (10, 20, 30)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
    def Mesh "m" {
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    }
}
def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
    uniform token physics:axis = "Y"
    rel physics:body1 = </a>
    point3f physics:localPos0 = (1, 0, 2)
    quatf physics:localRot1 = (1, 0, 0, 0)
    float physics:lowerLimit = -90
    float physics:upperLimit = 45
    float drive:angular:physics:stiffness = 2
}
def PhysicsJoint "six" (prepend apiSchemas = ["PhysicsLimitAPI:rotX"]) {
    rel physics:body0 = </a>
    float limit:rotX:physics:low = 1
    float limit:rotX:physics:high = -1
}
"""
_MBS = b"""<mbs_xml><MBS_info/><gravity><x>0</x><y>0</y><z>-9.81</z></gravity><base/><bodytree>
<body><bodyname>b</bodyname><parent><bodyname>base</bodyname><pointname>origin</pointname></parent>
<joint><jointname>j</jointname><type>R2</type></joint><mass>1</mass></body></bodytree></mbs_xml>"""


@dataclass(frozen=True)
class Target:
    """What takes bytes, and examples of them that mean something."""

    read: Callable[[bytes], object]
    seeds: Seeds


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def _as_file(read: Callable[[Path], object], ending: str) -> Callable[[bytes], object]:
    """A reader of files on bytes."""

    def given(data: bytes) -> object:
        path = _folder() / f"given{ending}"
        path.write_bytes(data)
        return read(path)

    return given


def _as_folder(read: Callable[[Path], object], name: str) -> Callable[[bytes], object]:
    """A reader of folders that hold such a file."""

    def given(data: bytes) -> object:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            Path(folder, name).write_bytes(data)
            return read(Path(folder))

    return given


def _as_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def _compiled(path: Path) -> object:
    """A model that is read is also to be checked, whatever it says."""
    return str(tb.read(path))


def _models(ending: str) -> Seeds:
    def made() -> list[bytes]:
        found = []
        for name in ("pendulum", "slider-crank", "bouncing-hammer"):
            path = _folder() / f"{name}{ending}"
            gallery.make(name).save(path)
            found.append(path.read_bytes())
        return found

    return made


def _files(*paths: Path) -> Seeds:
    return lambda: [path.read_bytes() for path in paths]


def _measured(path: Path) -> None:
    """Numbers are read when they are asked for."""
    run = tb.open(path)
    for name in list(run.signals)[:8]:
        _ = run[name]


@cache
def _pendulum() -> tb.Run:
    return tb.simulate(gallery.make("pendulum").compile(), duration=0.02, progress=False)


def _run(ending: str) -> Seeds:
    def made() -> list[bytes]:
        path = _folder() / f"seed{ending}"
        _pendulum().save(path)
        return [path.read_bytes()]

    return made


def _foreign_parquet() -> list[bytes]:
    """With dictionaries and compressed, as others write them."""
    import pyarrow
    from pyarrow.parquet import write_table

    run, made = _pendulum(), io.BytesIO()
    columns = {"time": run.time, **run.signals, "count": range(len(run.time))}
    write_table(pyarrow.table(columns), made, compression="snappy")
    return [made.getvalue(), *_run(".parquet")()]


def _mdf() -> list[bytes]:
    """Of both versions, the newer one compressed too."""
    import asammdf

    run, found = _pendulum(), list[bytes]()
    for version, squeezed, ending in (("4.10", 0, "mf4"), ("4.10", 2, "mf4"), ("3.30", 0, "mdf")):
        path = _folder() / f"seed.{ending}"
        with asammdf.MDF(version=version) as file:
            file.append([asammdf.Signal(run[n], run.time, "rad", n) for n in run.names])
            file.save(path, overwrite=True, compression=squeezed)
        found.append(path.read_bytes())
    return found


def _binary_usd() -> list[bytes]:
    from pxr import Sdf

    path, layer = _folder() / "seed.usdc", Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(_USD.decode())
    layer.Export(str(path))
    return [path.read_bytes()]


def _sweep_part() -> list[bytes]:
    path = _folder() / "seed.jsonl"
    with hold_part(path, range(9)) as part:
        part.begin(0, "call")
        part.end(0, {"a": 1.0})
        part.end(1, "failed")
    return [path.read_bytes()]


def _drawn(path: Path) -> None:
    Drawing(folder=path.parent).open(file=path.name)


def _archive() -> list[bytes]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("modelDescription.xml", '<fmiModelDescription fmiVersion="2.0"/>')
    return [made.getvalue()]


TARGETS: dict[str, Target] = {
    "yaml": Target(_as_file(_compiled, ".yaml"), _models(".yaml")),
    "json": Target(_as_file(_compiled, ".json"), _models(".json")),
    "drawing": Target(_as_file(_drawn, ".yaml"), _models(".yaml")),
    "urdf": Target(
        _as_file(_compiled, ".urdf"), _files(ROOT / "examples" / "data" / "pan_tilt.urdf")
    ),
    "mjcf": Target(_as_file(_compiled, ".xml"), lambda: [_MJCF]),
    "sdf": Target(_as_file(_compiled, ".sdf"), lambda: [_SDF]),
    "usd": Target(_as_file(_compiled, ".usda"), lambda: [_USD]),
    "binary usd": Target(_as_file(_compiled, ".usdc"), _binary_usd),
    "mbs": Target(_as_file(_compiled, ".mbs"), lambda: [_MBS]),
    "stl": Target(_as_file(read_mesh, ".stl"), lambda: [b"solid a\nendsolid", bytes(84)]),
    "obj": Target(_as_file(read_mesh, ".obj"), lambda: [b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"]),
    "collada": Target(_as_file(read_mesh, ".dae"), lambda: [dae(), dae(0.001)]),
    "parquet": Target(_as_file(_measured, ".parquet"), _foreign_parquet),
    "mdf": Target(_as_file(_measured, ".mf4"), _mdf),
    "recording": Target(_as_file(tb.open, ".mcap"), _run(".mcap")),
    "fmu": Target(_as_file(read_description, ".fmu"), _archive),
    "table": Target(
        _as_file(lambda path: read_csv(path, ["a"], None), ".csv"),
        lambda: [b"time,a\n0,1\n0.1,2\n", b"t [s];a [m]\n0,0;1,5\n"],
    ),
    "midi": Target(
        _as_file(read_midi, ".mid"),
        lambda: [
            b"MThd\0\0\0\6\0\0\0\1\0\x60MTrk\0\0\0\x0c\0\x90\x3c\x40\x60\x80\x3c\0\0\xff\x2f\0"
        ],
    ),
    "tyre": Target(_as_text(parse_tir), _files(*sorted((SOURCE / "vehicle").rglob("*.tir")))),
    "road": Target(
        _as_text(parse_height_map), lambda: [b"ncols 2\nnrows 2\ncellsize 1\n1 2\n3 4\n"]
    ),
    "car": Target(
        _as_file(read_car, ".yaml"), _files(*sorted((SOURCE / "vehicle").glob("*.yaml")))
    ),
    "sem almanac": Target(_as_text(parse_sem), _files(SOURCE / "devices/gps/week_1886.al3")),
    "yuma almanac": Target(_as_text(parse_yuma), lambda: [b"ID: 01\nHealth: 000\n"]),
    "run as text": Target(_as_file(tb.open, ".csv"), _run(".csv")),
    "run as arrays": Target(_as_file(tb.open, ".npz"), _run(".npz")),
    "trial": Target(
        _as_file(lambda path: Journal(path).read("a", dict, dict), ".jsonl"),
        lambda: [b'{"version": 1, "kind": "a"}\n{"trial": 1, "answer": 2}\n'],
    ),
    "sweep part": Target(_as_file(lambda path: read_part(path, range(9)), ".jsonl"), _sweep_part),
    "sweep": Target(
        _as_folder(lambda folder: check_shared(folder, "0123"), "sweep.json"),
        lambda: [b'{"sweep": "0123", "version": 1, "function": "f", "points": "4567"}'],
    ),
    "wheel": Target(_as_file(read_scale, ".json"), lambda: [b'{"range": 15.7, "axis": "x"}']),
    "regulation": Target(
        _as_file(read_regulation, ".yaml"),
        lambda: [f"{FORMAT}: {VERSION}\n{EVERY}: {{let-off: 0.5}}\n".encode()],
    ),
    "bus": Target(
        _as_file(read_dbc, ".dbc"),
        lambda: [b'VERSION ""\nBU_: a\nBO_ 256 m: 8 a\n SG_ s : 0|16@1+ (0.1,0) [0|9] "N" a\n'],
    ),
    "generated list": Target(
        _as_folder(lambda folder: write_folder(folder, {}), ".generated"),
        lambda: [b"0123  a.c\n4567  b/c.h\n"],
    ),
    "datagram": Target(unpack, lambda: [bytes(40)]),
    "ros2": Target(
        lambda data: decode("sensor_msgs/msg/JointState", data), lambda: [b"\0\1\0\0" + bytes(40)]
    ),
}
