"""The page shows meshes, capsules and waters where they are, and lets bodies be picked by them."""

import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

import numpy as np
import pytest

import touchback as tb
from mesh_files import FACES, POINTS
from tests.workbench.browser import Seat, seat, until
from touchback import workbench
from touchback.workbench import Workbench
from waiting import PATIENCE

SIZE = 5.0  # times the tetrahedron


def shown() -> tb.Model:
    """A mesh, a capsule and a ball in water, each of which moves along x only."""
    m = tb.Model("shown", gravity=(0, 0, 0))
    look = {"mesh": tb.Mesh.of(SIZE * POINTS, FACES), "capsule": tb.Capsule(0.3, 1.0)}
    for number, name in enumerate((*look, "float")):
        body = m.body(name, 1.0, inertia=(0.1, 0.1, 0.1))
        m.joint(name, tb.Prismatic("x"), m.ground.at(0, 0, 2.0 * number), body)
        if name in look:
            m.shape(name, body, look[name])
    water = m.fluid("water", 1000.0, surface=4.1)
    m.force("lift", tb.Immersed("float", tb.Sphere(0.4), water))
    return m


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with workbench.open(shown().compile()) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, bench: Workbench) -> Iterator[Seat]:
    with seat(chromium, bench) as opened:  # type: ignore[arg-type]
        yield opened


def got(bench: Workbench, path: str) -> tuple[int, bytes]:
    line = http.client.HTTPConnection(urlsplit(bench.url).netloc, timeout=PATIENCE)
    line.request("GET", path)
    answer = line.getresponse()
    found = answer.status, answer.read()
    line.close()
    return found


def number(bench: Workbench) -> int:
    (mesh,) = [each.mesh for each in bench.source.scene().shapes if each.kind == "mesh"]
    assert mesh is not None
    return mesh


def test_a_mesh_is_served_as_its_triangles_to_who_has_the_token(bench: Workbench) -> None:
    path, token = f"/mesh/{number(bench)}.bin", f"?token={bench.server.token}"
    status, content = got(bench, path + token)
    assert status == 200
    corners = np.frombuffer(content, "<f4").reshape(-1, 3, 3)
    assert corners == pytest.approx(SIZE * POINTS[FACES], rel=1e-7)
    assert got(bench, path)[0] == 401
    for wrong in (
        "/mesh/1.bin",
        "/mesh/.bin",
        "/mesh/²5.bin",
        "/mesh/../server_connection.js",
        path + "x",
    ):
        assert got(bench, wrong.replace("²", "%C2%B2") + token)[0] == 404


def test_the_water_is_as_high_as_its_parameter(bench: Workbench) -> None:
    def height() -> float:
        (water,) = [each for each in bench.source.scene().shapes if each.kind == "surface"]
        assert water.endless and water.body == "ground"
        return water.at[2]

    assert height() == pytest.approx(4.1)
    bench.live["water surface"] = 3.9
    until(lambda: height() == pytest.approx(3.9))


@pytest.mark.parametrize("flat", [False, True])
def test_bodies_are_picked_by_meshes_and_capsules_where_they_are(page: Seat, flat: bool) -> None:
    """Just inside of their ends, and not just outside: 1.5 m of the tetrahedron along x, 0.8 m of
    the capsule along z."""
    page.until("[...bench.world.meshes.values()].every(Boolean) && bench.world.meshes.size")
    page.ask(f"bench.view.turn({str(flat).lower()})")
    page.until(f"bench.view.flat === {str(flat).lower()}")
    look = (
        "async ([body, point]) => { const { pickBody } = await import('/body_picking.js');"
        "const v = bench.view, [x, y] = v.pixel(bench.world.at(body, point));"
        "return pickBody(bench.world, v.eye, x / v.canvas.clientWidth, y / v.canvas.clientHeight,"
        " v.canvas.clientHeight)?.body || null; }"
    )
    for body, inside, outside in (
        ("mesh", [1.4, 0.02, 0.02], [1.7, 0.0, 0.0]),
        ("capsule", [0.0, 0.0, 0.75], [0.0, 0.0, 0.9]),
    ):
        assert page.ask(look, body, inside) == body
        assert page.ask(look, body, outside) != body


@pytest.mark.parametrize("flat", [False, True])
def test_meshes_capsules_and_water_are_seen(page: Seat, flat: bool) -> None:
    """With one of them taken away the picture is another one."""
    page.ask(f"bench.view.turn({str(flat).lower()})")
    count = (
        "([kind]) => { const v = bench.view, shapes = bench.scene.shapes, own = bench.scene.shapes"
        ".filter(each => each.kind !== kind), take = () => { v.paint(); const c ="
        " document.createElement('canvas'); c.width = v.canvas.width; c.height = v.canvas.height;"
        "const p = c.getContext('2d'); p.drawImage(v.canvas, 0, 0);"
        "return p.getImageData(0, 0, c.width, c.height).data; };"
        "const before = take(); bench.scene.shapes = own; const after = take();"
        "bench.scene.shapes = shapes; v.paint(); let n = 0;"
        "for (let i = 0; i < before.length; i += 4) if (Math.abs(before[i] - after[i]) > 8) n++;"
        "return n; }"
    )
    for kind in ("mesh", "capsule", "surface"):
        assert page.ask(count, kind) > 300, kind
