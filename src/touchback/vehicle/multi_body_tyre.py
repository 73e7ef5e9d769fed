"""The tyre of CommonRoad's multi-body car: a Magic Formula without scales, pressure or turn slip.

Althoff and Würsching, "CommonRoad: Vehicle models", 2020, table 7 and section 9."""

from msgspec import structs

from touchback.model.value import Data, Value, check_positive, check_values
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import atan, cos, sign, sin


class CommonRoadTyre(Data, frozen=True, kw_only=True):
    """Coefficients by their names in the Magic Formula."""

    p_cx1: Value = 1.6411
    p_dx1: Value = 1.1739
    p_dx3: Value = 0.0
    p_ex1: Value = 0.46403
    p_kx1: Value = 22.303
    p_hx1: Value = 0.0012297
    p_vx1: Value = -8.8098e-06
    r_bx1: Value = 13.276
    r_bx2: Value = -13.778
    r_cx1: Value = 1.2568
    r_ex1: Value = 0.65225
    r_hx1: Value = 0.0050722
    p_cy1: Value = 1.3507
    p_dy1: Value = 1.0489
    p_dy3: Value = -2.8821
    p_ey1: Value = -0.0074722
    p_ky1: Value = -21.92
    p_hy1: Value = 0.0026747
    p_hy3: Value = 0.031415
    p_vy1: Value = 0.037318
    p_vy3: Value = -0.32931
    r_by1: Value = 7.1433
    r_by2: Value = 9.1916
    r_by3: Value = -0.027856
    r_cy1: Value = 1.0719
    r_ey1: Value = -0.27572
    r_hy1: Value = 5.7448e-06
    r_vy1: Value = -0.027825
    r_vy3: Value = -0.27568
    r_vy4: Value = 12.12
    r_vy5: Value = 1.9
    r_vy6: Value = -10.704

    def __post_init__(self) -> None:
        check_values("CommonRoadTyre", **structs.asdict(self))
        shapes = {name: getattr(self, name) for name in ("p_cx1", "p_dx1", "p_cy1", "p_dy1")}
        check_positive("CommonRoadTyre", **shapes)  # stiffnesses are divided by them

    def forces(
        self, slip: Scalar, angle: Scalar, camber: Scalar, load: Scalar
    ) -> tuple[Scalar, Scalar]:
        """Along and to the left [N] at a slip 1 − R ω/u (positive: braked), a slip angle to the
        left, a camber to the right [rad] and a load [N]."""
        grip_x = self.p_dx1 * (1.0 - self.p_dx3 * camber * camber)
        # CommonRoad adds the vertical shift to the argument of the sine
        along = (
            grip_x
            * load
            * sin(
                self.p_cx1
                * _bent(self.p_kx1 / (self.p_cx1 * grip_x) * (self.p_hx1 - slip), self.p_ex1)
                + load * self.p_vx1
            )
        )
        side, lean = sign(camber), abs(camber)
        grip_y = self.p_dy1 * (1.0 - self.p_dy3 * camber * camber)
        shifted = angle + side * (self.p_hy1 + self.p_hy3 * lean)
        across = grip_y * load * sin(
            self.p_cy1 * _bent(self.p_ky1 / (self.p_cy1 * grip_y) * shifted, self.p_ey1)
        ) + side * load * (self.p_vy1 + self.p_vy3 * lean)
        B = self.r_bx1 * cos(atan(self.r_bx2 * slip))
        along = along * _weight(B, self.r_cx1, self.r_ex1, self.r_hx1, angle)
        B = self.r_by1 * cos(atan(self.r_by2 * (angle - self.r_by3)))
        across = across * _weight(B, self.r_cy1, self.r_ey1, self.r_hy1, slip)
        induced = grip_y * load * (self.r_vy1 + self.r_vy3 * camber)
        induced = induced * cos(atan(self.r_vy4 * angle))
        return along, across + induced * sin(self.r_vy5 * atan(self.r_vy6 * slip))


def _bent(x: Scalar, curvature: Value) -> Scalar:
    """atan(x − E (x − atan x))."""
    return atan(x - curvature * (x - atan(x)))


def _weight(B: Scalar, shape: Value, curvature: Value, shift: Value, at: Scalar) -> Scalar:
    """What is left of a force under the other slip: cos(C …(at + S))/cos(C …(S))."""
    full = cos(shape * _bent(B * shift, curvature))
    return cos(shape * _bent(B * (at + shift), curvature)) / full
