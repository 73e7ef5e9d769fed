/* A pendulum.
 * x = (q, v)
 * pendulum: out[3] from x[2], u[1], p[2]. Printed by Touchback.
 * Compile with -ffp-contract=off: every fused multiply-add is an fma() below.
 */
#include <math.h>

/* The negative of a fused result. gcc would turn -fma(a, b, c) into fma(-a, b, -c), and so -0 into
 * +0; it leaves the subtraction alone once told that rounding might not be to nearest. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif
#define NEGATIVE(a) (-0.0 - (a))

/* Sine and cosine: three steps of reduction, then polynomials; beyond 2^30 the library's. */
static inline void sine_cosine(double x, double *s, double *c)
{
    if (!(fabs(x) <= 1073741824.0)) {
        *s = sin(x);
        *c = cos(x);
        return;
    }
    const double k = fma(x, 0.6366197723675814, 6755399441055744.0) - 6755399441055744.0;
    double r = x;
    r = fma(-k, 1.5707963267948966, r);
    r = fma(-k, 6.123233995736766e-17, r);
    r = fma(-k, -1.4973849048591833e-33, r);
    const double z = r * r;
    double ps = 1.58969099521155e-10;
    double pc = -1.1359647557788195e-11;
    ps = fma(ps, z, -2.5050760253406863e-08);
    pc = fma(pc, z, 2.087572321298175e-09);
    ps = fma(ps, z, 2.7557313707070068e-06);
    pc = fma(pc, z, -2.7557314351390663e-07);
    ps = fma(ps, z, -0.0001984126982985795);
    pc = fma(pc, z, 2.480158728947673e-05);
    ps = fma(ps, z, 0.00833333333332249);
    pc = fma(pc, z, -0.001388888888887411);
    ps = fma(ps, z, -0.16666666666666632);
    pc = fma(pc, z, 0.0416666666666666);
    const double sine = fma(r * z, ps, r);
    const double cosine = fma(z * z, pc, fma(-0.5, z, 1.0));
    const int quadrant = (int)k & 3;
    const double first = quadrant & 1 ? cosine : sine;
    const double second = quadrant & 1 ? sine : cosine;
    *s = quadrant & 2 ? -first : first;
    *c = (quadrant + 1) & 2 ? -second : second;
}

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

static const double table1_x[3] = {
    -1.0, 0.0, 1.0
};
static const double table1_values[3] = {
    -0.5, 0.0, 0.5
};

void pendulum(const double *x, const double *u, const double *p, double *out,
              double *work, const void *ctx)
{
    (void)work; (void)ctx;
    const double t1 = lookup1(table1_x, 3, table1_values, 0, x[1]);
    double S1, C1; sine_cosine(x[0], &S1, &C1);
    const double t2 = p[1] / p[0];
    const double t3 = fma(-S1, t2, u[0]);
    const double t4 = t1 - t3;
    const double t5 = 1.0 - C1;
    const double t6 = p[0] * t5;
    const double t7 = p[1] * t6;
    const double t8 = x[1] * x[1];
    const double t9 = fma(0.5, t8, t7);
    const double t10 = u[0] < x[1] ? 1.0 : 0.0;
    const double t11 = -t4;
    const double t12 = t10 != 0.0 ? t11 : t4;
    out[0] = x[1];
    out[1] = t12;
    out[2] = NEGATIVE(t9);
}
