/* double pendulum: rate
 * x[0]: upper
 * x[1]: lower
 * x[2]: upper rate
 * x[3]: lower rate
 * rate: out[4] from x[4], u[0], p[0]. Printed by Touchback.
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

void rate(const double *x, const double *u, const double *p, double *out,
          double *work, const void *ctx)
{
    (void)u; (void)p; (void)work; (void)ctx;
    double S1, C1; sine_cosine(x[0], &S1, &C1);
    double S2, C2; sine_cosine(x[1], &S2, &C2);
    const double t1 = C1 * 9.81;
    const double t2 = S1 * 9.81;
    const double t3 = fma(x[2], x[2], t1);
    const double t4 = C2 * t2;
    const double t5 = fma(S2, t3, t4);
    const double t6 = x[2] + x[3];
    const double t7 = t6 * t6;
    const double t8 = 0.27999999999999997 * t7;
    const double t9 = t5 * 0.5249999999999999;
    const double t10 = S2 * 0.5249999999999999;
    const double t11 = fma(-S2, t10, 0.5249999999999999);
    const double t12 = 1.0333333333333332 - t11;
    const double t13 = S2 * t8;
    const double t14 = fma(C2, t9, t13);
    const double t15 = fma(S1, 11.772, NEGATIVE(t14));
    const double t16 = 1.0 / t12;
    const double t17 = t15 * t16;
    const double t18 = C2 * t17;
    const double t19 = fma(1.8749999999999998, t18, t17);
    const double t20 = fma(-1.8749999999999998, t5, t19);
    out[0] = x[2];
    out[1] = x[3];
    out[2] = -t17;
    out[3] = t20;
}
