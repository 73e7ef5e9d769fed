"""Heights on a grid: surveyed tracks, meshes, random profiles; bilinear between them."""

from functools import cached_property
from math import isfinite

from touchback.errors import ModelError
from touchback.numbers import as_float, is_real, shown
from touchback.spatial.vectors import Scalar
from touchback.symbolic.operand import call
from touchback.symbolic.table import Table, Want
from touchback.vehicle.roads.base import Road

MOST = 1_000_000  # heights of a road


class GridRoad(Road, frozen=True, kw_only=True, tag="grid-road", dict=True):
    """Heights z [m] on lines `x` and `y` [m], a row of all y for each x; bilinear within a cell,
    level beyond the ends. In the tick it is a lookup table, whose cost hardly grows with its
    size."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    heights: tuple[float, ...]

    def __repr__(self) -> str:
        """Without its heights, which may be a million."""
        ends = ", ".join(f"{w} = {v[0]:g} … {v[-1]:g} m" for w, v in (("x", self.x), ("y", self.y)))
        return f"GridRoad({len(self.x)} × {len(self.y)} heights, {ends})"

    def __post_init__(self) -> None:
        super().__post_init__()
        for axis in (self.x, self.y, self.heights):
            if not isinstance(axis, tuple | list) or not all(map(is_real, axis)):
                raise ModelError(f"GridRoad: a row of numbers is expected, got {shown(axis)}.")
        if len(self.heights) > MOST:
            raise ModelError(
                f"GridRoad: {len(self.heights)} heights; at most {MOST} are taken. Cut the road, "
                "or take larger cells."
            )
        if not all(isfinite(as_float(height)) for height in self.heights):
            raise ModelError("GridRoad: some of its heights are no finite numbers.")
        try:
            _ = self._table
        except ModelError as error:
            raise ModelError(str(error).replace("Table:", "GridRoad:", 1)) from None

    @cached_property
    def _table(self) -> Table:
        return Table(self.x, self.heights, self.y)

    def surface(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        table = self._table
        height, slope_x, slope_y = (
            call("lookup", table, x, y, want) for want in (Want.VALUE, Want.DX, Want.DY)
        )
        return height, slope_x, slope_y
