"""Roads: heights, slopes, files and spectra against closed forms and SciPy."""

from math import pi
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad

import touchback as tb
from touchback.draw import Track, scene_of
from touchback.dynamics import initial_coordinates
from touchback.errors import ModelError
from touchback.model import GroundShape, corners_of
from touchback.vehicle.roads import (
    SMALL_TRACK,
    Bump,
    GridRoad,
    Kerb,
    Patch,
    PlaneRoad,
    Road,
    coherence,
    iso8608_road,
    parse_height_map,
    read_height_map,
    read_mesh_road,
    roughness,
)
from touchback.vehicle.roads.base import MOST_PLACES

HUMP = Bump(2.0, 3.0, 0.1)
KERB = Bump(-0.6, 1.2, 0.12, ramp=0.3, along="y", between=(0.0, 8.0))
ROADS: dict[str, Road] = {
    "plane": PlaneRoad(height=0.3, slope_x=0.05, slope_y=-0.02),
    "bumps": PlaneRoad(bumps=(HUMP, KERB)),
    "map": read_height_map(SMALL_TRACK),
    "random": iso8608_road("C", 60.0, seed=3),
}


@pytest.mark.parametrize("name", ROADS)
def test_slopes_are_those_of_the_heights(name: str) -> None:
    road, random, h = ROADS[name], np.random.default_rng(1), 1e-7
    x, y = random.uniform(0.5, 9.5, 200), random.uniform(-0.68, 0.68, 200)
    x += 0.0137  # off the lines of grids, where slopes jump
    at = road.at(x, y)
    dx = (road.at(x + h, y).height - road.at(x - h, y).height) / (2 * h)
    dy = (road.at(x, y + h).height - road.at(x, y - h).height) / (2 * h)
    assert_allclose(at.slope_x + 0 * x, dx, atol=1e-6)
    assert_allclose(at.slope_y + 0 * x, dy, atol=1e-6)


def test_a_rounded_bump_is_highest_in_its_middle_and_a_kerb_level_on_top() -> None:
    road = PlaneRoad(bumps=(HUMP, KERB))
    assert_allclose(road.at(3.5, 5.0).height, 0.1)
    assert_allclose(road.at(3.5, 0.0).height, 0.1 + 0.12)
    assert [road.at(1.9, 3.0).height, road.at(5.1, 3.0).height] == [0.0, 0.0]
    assert road.at(8.1, 0.0).height == 0.0 and road.at(7.9, 0.0).height == 0.12


def test_later_patches_lie_on_earlier_ones() -> None:
    ice, grit = Patch((0.0, 10.0), (-1.0, 1.0), 0.1), Patch((4.0, 5.0), (-1.0, 1.0), 0.5)
    road = PlaneRoad(grip=0.9, patches=(ice, grit))
    places = ((-1.0, 0.0), (2.0, 0.0), (4.5, 0.0), (4.5, 1.5))
    assert [float(road.at(*place).grip) for place in places] == [0.9, 0.1, 0.5, 0.9]


GRID = (
    "ncols 3\nnrows 2\nxllcorner 10\nyllcorner -2\ncellsize 2\nNODATA_value -9999\n1 2 3\n5 6 8\n"
)


def test_a_surveyed_road_is_printed_by_its_size() -> None:
    shown = repr(read_height_map(SMALL_TRACK))
    assert shown == "GridRoad(61 × 25 heights, x = 0 … 60 m, y = -12 … 12 m)"


def test_a_height_map_has_its_north_at_the_top_and_its_corner_half_a_cell_out() -> None:
    x, y, heights = parse_height_map(GRID)
    road = GridRoad(x=x, y=y, heights=heights)
    assert x == (11.0, 13.0, 15.0) and y == (-1.0, 1.0)
    assert float(road.at(11.0, 1.0).height) == 1.0  # first row, first column: north-west
    assert float(road.at(15.0, -1.0).height) == 8.0
    assert float(road.at(12.0, 0.0).height) == (1 + 2 + 5 + 6) / 4
    assert float(road.at(99.0, -99.0).height) == 8.0  # level beyond its ends


@pytest.mark.parametrize(
    "corner, x, y",
    [
        ("", 1.0, 1.0),
        ("xllcorner 10\n", 11.0, 1.0),
        ("yllcorner -2\n", 1.0, -1.0),
        ("xllcenter 10\nyllcenter -2\n", 10.0, -2.0),
    ],
)
def test_a_height_map_begins_at_its_corner_or_the_middle_of_its_first_cell(
    corner: str, x: float, y: float
) -> None:
    """At the origin where it doesn't say, as Esri's grids do."""
    found = parse_height_map(GRID.replace("xllcorner 10\nyllcorner -2\n", corner))
    assert (found[0][0], found[1][0]) == (x, y)


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("ncols 3", "ncols 4", "line 7: 3 heights for ncols 4"),
        ("nrows 2", "nrows 3", "2 rows of heights for nrows 3"),
        ("cellsize 2", "", "cellsize is missing"),
        ("cellsize 2", "cellsize -2", "cellsize is -2 m; give a number above 0"),
        ("cellsize", "cellsise", "line 5: no key 'cellsise' is known; did you mean 'cellsize'"),
        ("8", "x", "line 8: 'x' is no number"),
        ("8\n", "-9999\n", "row 2 has no height in column 3"),
        ("ncols 3", "ncols 3\nncols 3", "line 2, ncols: write it once"),
        ("ncols 3", "ncols 3000000", "ncols is 3e+06; give a whole number from 2 on"),
    ],
)
def test_a_broken_map_is_refused_by_line(old: str, new: str, said: str) -> None:
    with pytest.raises(ModelError) as error:
        parse_height_map(GRID.replace(old, new, 1), "lap.asc")
    assert said in str(error.value) and str(error.value).startswith("lap.asc")


@given(st.integers(0, len(GRID)), st.text(max_size=20), st.integers(0, 9))
def test_any_text_is_a_map_or_refused_in_our_words(at: int, junk: str, cut: int) -> None:
    try:
        parse_height_map(GRID[:at] + junk + GRID[at + cut :], "junk.asc")
    except ModelError as error:
        assert str(error).startswith("junk.asc")


def wedge(tmp_path: Path, faces: str) -> Path:
    """A level square with a ramp behind it, as triangles."""
    points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (4, 0, 1), (4, 1, 1)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in points) + faces
    path = tmp_path / "wedge.obj"
    path.write_text(text)
    return path


FACES = "f 1 2 3\nf 1 3 4\nf 2 5 6\nf 2 6 3\n"


def test_a_mesh_is_its_upper_side(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    road = read_mesh_road(wedge(tmp_path, FACES), cell=0.1)
    x, y = np.linspace(0, 4, 37), np.linspace(0, 1, 37)
    # the kink lies on a line of the grid, so that bilinear heights are the triangles' own
    assert_allclose(road.at(x, y).height, np.maximum(x - 2.0, 0.0) / 2.0, atol=1e-6)
    assert_allclose(road.at(3.03, 0.51).slope_x, 0.5, atol=1e-5)
    with pytest.raises(ModelError, match="no triangle lies at x = "):
        read_mesh_road(wedge(tmp_path, FACES.replace("f 2 6 3\n", "")), cell=0.1)


@pytest.mark.parametrize("road_class, middle", [("A", 16e-6), ("C", 256e-6), ("H", 262144e-6)])
def test_a_profile_has_the_spectrum_of_its_class(road_class: str, middle: float) -> None:
    """Periodogram of the left track. Its waves fit into the road, so there is no leakage, and each
    bin holds G_d(n₀) (n/n₀)⁻² to rounding (numbers: ISO 8608:2016, table C.1)."""
    length, step = 400.0, 0.1
    road = iso8608_road(road_class, length, step=step, seed=7)
    z = np.array(road.heights).reshape(-1, 2)[:-1, 1]
    n = np.fft.rfftfreq(len(z), step)
    density = 2.0 * np.abs(np.fft.rfft(z)) ** 2 * step / len(z)
    inside = (n >= 0.0125) & (n < 4.9)
    assert_allclose(density[inside], middle * (n[inside] / 0.1) ** -2, rtol=1e-6)
    assert density[n < 0.009].max() < 1e-6 * density[inside].max()
    assert_allclose(roughness(road_class, 0.1), middle)


def surface(n: float, m: float) -> float:
    """The spectrum of an isotropic surface whose tracks have one of n⁻²."""
    return float((n * n + m * m) ** -1.5)


def test_both_tracks_are_of_one_isotropic_surface() -> None:
    """γ(n) against the integral of a surface's spectrum (n² + m²)^(−3/2), and as it is made."""
    b = 1.4
    for n in (0.02, 0.1, 0.4):
        shared = quad(
            lambda m, n=n: (n * n + m * m) ** -1.5, 0, np.inf, weight="cos", wvar=2 * np.pi * b
        )
        whole = 1.0 / n**2
        assert_allclose(coherence(np.array([n]), b)[0], shared[0] / whole, rtol=1e-6)
    road = iso8608_road("B", 2000.0, track=b, step=0.5, seed=1)
    right, left = np.array(road.heights).reshape(-1, 2)[:-1].T
    n, L, R = np.fft.rfftfreq(len(left), 0.5), np.fft.rfft(left), np.fft.rfft(right)
    band = (n > 0.05) & (n < 0.15)
    found = np.mean((L * R.conj()).real[band] * n[band] ** 2) / np.mean(
        np.abs(L[band] * n[band]) ** 2
    )
    assert_allclose(found, coherence(n[band], b).mean(), atol=0.07)  # 200 bins: 1/√200
    power = np.mean(np.abs(R) ** 2) / np.mean(np.abs(L) ** 2)
    assert_allclose(power, 1.0, atol=0.15)


def test_a_seed_is_a_road() -> None:
    one, same, other = (iso8608_road("B", 20.0, seed=seed) for seed in (1, 1, 2))
    assert one == same and one.heights != other.heights
    with pytest.raises(ModelError, match="has no class 'Z'"):
        iso8608_road("Z", 20.0)


def test_impossible_roads_are_refused_by_name() -> None:
    with pytest.raises(ModelError, match="its ramp is 2"):
        Bump(0.0, 1.0, 0.1, ramp=2.0)
    with pytest.raises(ModelError, match=r"Patch: its x goes from 2.0 to 1\.0"):
        Patch((2.0, 1.0), (0.0, 1.0), 0.5)
    with pytest.raises(ModelError, match="GridRoad: 4 values expected"):
        GridRoad(x=(0.0, 1.0), y=(0.0, 1.0), heights=(1.0,))
    for wrong, said in (
        (lambda: PlaneRoad(height=float("nan")), "PlaneRoad: height: nan"),
        (lambda: PlaneRoad(slope_x="steep"), "PlaneRoad: slope_x"),
        (lambda: PlaneRoad(kerbs=0.1), "its kerbs are several of Kerb"),
        (lambda: Kerb(at=3.0, top=0.1), "Kerb: at: two numbers"),
        (lambda: Patch(1.0, (0.0, 1.0), 0.5), "Patch: x: two numbers"),
        (lambda: Bump(0.0, 1.0, 0.1, between=2.0), "Bump: between: two numbers"),
        (lambda: Bump(0.0, 1.0, 0.1, ramp="x"), "Bump: ramp"),
    ):
        with pytest.raises(ModelError, match=said):
            wrong()
    with pytest.raises(ModelError, match="PlaneRoad: its grip is 0"):
        PlaneRoad(grip=0.0)


def drawn(road: Road) -> dict[str, tuple[GroundShape, np.ndarray]]:
    """What pictures show of a road: by its paint, with the places of its corners."""
    found = {}
    for frame, shape in road.shapes():
        assert isinstance(shape, GroundShape) and frame.body == "ground"
        found[shape.paint] = shape, corners_of(shape).reshape(-1, 3) + np.array(frame.at)
    return found


def test_a_plane_road_is_drawn_with_lanes_that_never_end() -> None:
    """Three lanes of 3.5 m, the middle one about y = 0: dashes of 4 m every 12 m at ±1.75 m, whole
    lines at ±5.25 m; 1200 m of them follow again after 12 m, on a slope 12 m along it."""
    shown = drawn(PlaneRoad(height=0.5, slope_x=0.1))
    shape, corners = shown["marking"]
    assert set(np.round(np.abs(corners[:, 1]), 3)) == {1.675, 1.825, 5.175, 5.325}
    assert shape.way == pytest.approx((12.0, 0.0, 1.2)) and len(corners) // 3 <= 2000
    assert_allclose(corners[:, 2], 0.5 + 0.1 * corners[:, 0], atol=1e-4)  # floats of a mesh
    surface, corners = shown["asphalt"]
    assert surface.way == pytest.approx((48.0, 0.0, 4.8))  # four periods of the lines
    assert set(np.abs(corners[:, 1]).round(3)) == {5.75}


def test_bumps_ice_and_gravel_are_drawn_where_wheels_meet_them() -> None:
    bump, ice = Bump(5.0, 2.0, 0.1, between=(-1.0, 1.0)), Patch((20.0, 24.0), (-2.0, 0.0), 0.1)
    road = PlaneRoad(bumps=(bump,), patches=(ice, Patch((30.0, 31.0), (1.0, 2.0), 0.6)))
    shown = drawn(road)
    near = shown["asphalt"][1][np.abs(shown["asphalt"][1][:, 0]) < 100.0]
    assert near[:, 2].max() == pytest.approx(0.1, abs=1e-6)  # the middle of the bump
    assert_allclose(near[:, 2], road.heights_at(near[:, 0], near[:, 1]), atol=1e-6)
    for paint, box in (("ice", ice), ("gravel", road.patches[1])):
        low, high = shown[paint][1].min(axis=0), shown[paint][1].max(axis=0)
        assert_allclose([low[:2], high[:2]], np.transpose([box.x, box.y]))


@pytest.mark.parametrize("towards", [0.0, 0.7, -pi / 2])
def test_a_wall_is_drawn_at_its_face_up_to_its_top(towards: float) -> None:
    wall = Kerb(at=(12.0, 3.0), top=1.2, towards=towards)
    shown = drawn(PlaneRoad(kerbs=(wall, Kerb(at=(0.0, 9.0), top=0.12, towards=pi / 2))))
    assert {"kerb", "light kerb", "wall", "light wall"} <= set(shown)
    for paint in ("wall", "light wall"):
        shape, corners = shown[paint]
        past, above = wall.reached(corners.T)
        assert_allclose([past.min(), above.max()], 0.0, atol=1e-4)  # floats, 300 m away
        face = corners[past < 1e-3]
        assert face[:, 2].min() < 0.0 and face[:, 2].max() == pytest.approx(1.2)
        after = np.array([12.0, 3.0, 0.0]) + shape.way
        assert wall.reached(after)[0] == pytest.approx(0.0, abs=1e-9)


def test_a_surveyed_track_is_drawn_with_its_own_heights() -> None:
    road = read_height_map(SMALL_TRACK)
    _, corners = drawn(road)["asphalt"]
    inside = corners[(np.abs(corners[:, 0] - 30.0) < 30.0) & (np.abs(corners[:, 1]) < 12.0)]
    places = {(round(float(x), 3), round(float(y), 3)) for x, y, _ in inside}
    assert places == {(x, y) for x in road.x[1:-1] for y in road.y[1:-1]}  # lines of the map
    assert_allclose(inside[:, 2], road.heights_at(inside[:, 0], inside[:, 1]), atol=1e-6)
    x, y = road.x[17] + 0.3, road.y[4] + 0.6  # within a cell, as the tick's table has it
    assert road.heights_at(np.array(x), np.array(y)) == pytest.approx(road.at(x, y).height)


def test_a_map_of_a_million_heights_is_drawn_coarser() -> None:
    """A page gets it once: at most 20 000 places, so 40 000 triangles of 36 bytes."""
    side = 1000
    lines = tuple(map(float, range(side)))
    road = GridRoad(x=lines, y=lines, heights=(0.25,) * side**2)
    shown = drawn(road)
    assert sum(len(corners) // 3 for _, corners in shown.values()) <= 2 * MOST_PLACES
    assert all(np.ptp(corners[:, 2]) == 0.0 for _, corners in shown.values())


def test_a_road_does_not_make_pictures_of_its_car_any_larger() -> None:
    model = tb.Model("car")
    tb.vehicle.add_car(model, road=PlaneRoad(kerbs=(Kerb((12.0, 0.0), 1.2),)))
    names = [each for name, joint in model.joints.items() for each in joint.position_names(name)]
    start = initial_coordinates(model).q
    track = Track(np.array([0.0]), {name: np.array([x]) for name, x in zip(names, start)})
    scene = scene_of(model, track)
    paints = [piece.ground.paint for piece in scene.pieces if piece.ground is not None]
    assert sorted(paints) == ["asphalt", "light wall", "marking", "verge", "wall"]  # each once
    assert np.ptp(scene.points, axis=0).max() < 5.0  # the car
