"""C text of the helpers that a printed program may need: the same operations as in `symbolic`."""

from touchback.symbolic.sincos import (
    COS_COEFFICIENTS,
    LIMIT,
    MAGIC,
    PI_HALF,
    SIN_COEFFICIENTS,
    TWO_OVER_PI,
)


def sine_cosine() -> str:
    """Sine and cosine, operation by operation as `symbolic.sincos`."""
    reduction = "\n".join(f"    r = fma(-k, {part!r}, r);" for part in PI_HALF)
    horner = "\n".join(
        f"    ps = fma(ps, z, {SIN_COEFFICIENTS[degree]!r});\n"
        f"    pc = fma(pc, z, {COS_COEFFICIENTS[degree]!r});"
        for degree in range(4, -1, -1)
    )
    return f"""\
/* Sine and cosine: three steps of reduction, then polynomials; beyond 2^30 the library's. */
static inline void sine_cosine(double x, double *s, double *c)
{{
    if (!(fabs(x) <= {LIMIT!r})) {{
        *s = sin(x);
        *c = cos(x);
        return;
    }}
    const double k = fma(x, {TWO_OVER_PI!r}, {MAGIC!r}) - {MAGIC!r};
    double r = x;
{reduction}
    const double z = r * r;
    double ps = {SIN_COEFFICIENTS[5]!r};
    double pc = {COS_COEFFICIENTS[5]!r};
{horner}
    const double sine = fma(r * z, ps, r);
    const double cosine = fma(z * z, pc, fma(-0.5, z, 1.0));
    const int quadrant = (int)k & 3;
    const double first = quadrant & 1 ? cosine : sine;
    const double second = quadrant & 1 ? sine : cosine;
    *s = quadrant & 2 ? -first : first;
    *c = (quadrant + 1) & 2 ? -second : second;
}}
"""


KEEP_SIGNS = """\
/* The negative of a fused result. gcc would turn -fma(a, b, c) into fma(-a, b, -c), and so -0 into
 * +0; it leaves the subtraction alone once told that rounding might not be to nearest. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif
#define NEGATIVE(a) (-0.0 - (a))
"""

CELL = """\
/* Index of the cell [points[i], points[i + 1]) that holds the value; the end cells reach beyond. */
static int cell(const double *points, int n, double value)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (value < points[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

static int outside(const double *points, int n, double value)
{
    return !(points[0] <= value && value < points[n - 1]);
}

/* Where the value stands in cell i, from 0 to 1. */
static double fraction(const double *points, int n, int i, double value)
{
    if (value < points[0])
        value = points[0];
    if (points[n - 1] < value)
        value = points[n - 1];
    return (value - points[i]) / (points[i + 1] - points[i]);
}
"""

LOOKUP1 = """\
/* Linear interpolation: the value (want 0) or the slope (want 1). */
static double lookup1(const double *xs, int nx, const double *values, int want, double x)
{
    if (x != x)
        return x;
    const int i = cell(xs, nx, x);
    const double v0 = values[i], v1 = values[i + 1];
    if (want == 1)
        return outside(xs, nx, x) ? 0.0 : (v1 - v0) / (xs[i + 1] - xs[i]);
    return v0 + (v1 - v0) * fraction(xs, nx, i, x);
}
"""

LOOKUP2 = """\
/* Bilinear interpolation: the value (want 0) or its derivative by x (1), y (2) or both (3). */
static double lookup2(const double *xs, int nx, const double *ys, int ny, const double *values,
                      int want, double x, double y)
{
    if (x != x || y != y)
        return x + y;
    const int i = cell(xs, nx, x), j = cell(ys, ny, y);
    const double *v0 = values + i * ny + j, *v1 = v0 + ny;
    double low, high;
    if (want >= 2) {
        if (outside(ys, ny, y))
            return 0.0;
        low = (v0[1] - v0[0]) / (ys[j + 1] - ys[j]);
        high = (v1[1] - v1[0]) / (ys[j + 1] - ys[j]);
    } else {
        const double t = fraction(ys, ny, j, y);
        low = v0[0] + (v0[1] - v0[0]) * t;
        high = v1[0] + (v1[1] - v1[0]) * t;
    }
    if (want % 2 == 1)
        return outside(xs, nx, x) ? 0.0 : (high - low) / (xs[i + 1] - xs[i]);
    return low + (high - low) * fraction(xs, nx, i, x);
}
"""
