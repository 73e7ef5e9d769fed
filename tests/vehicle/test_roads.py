"""Roads: heights, slopes, files and spectra against closed forms and SciPy."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad

from touchback.errors import ModelError
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
