/* Sine and cosine as every back end computes them: the same operations, so the same bits.
 *
 * Within 2^30: Cody and Waite (1980) reduction by three parts of pi/2 with fused steps, fdlibm's
 * kernel polynomials (Sun Microsystems 1993) by Horner's rule with fused multiply-adds, then the
 * quadrant swaps and signs. Beyond, and for NaN and infinities, the C library.
 */
#ifndef TOUCHBACK_SINCOS_H
#define TOUCHBACK_SINCOS_H

#include <math.h>

static inline void tb_sincos(double x, double *sine, double *cosine) {
    static const double part[3] = {1.5707963267948966, 6.123233995736766e-17,
                                   -1.4973849048591833e-33};
    static const double sc[6] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                                 -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                 -2.50507602534068634195e-08, 1.58969099521155010221e-10};
    static const double cc[6] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                 2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                 2.08757232129817482790e-09, -1.13596475577881948265e-11};
    const double two_over_pi = 0.63661977236758134308, magic = 6755399441055744.0;
    if (!(fabs(x) <= 1073741824.0)) {
        *sine = sin(x);
        *cosine = cos(x);
        return;
    }
    double k = fma(x, two_over_pi, magic) - magic;
    double r = fma(-k, part[2], fma(-k, part[1], fma(-k, part[0], x)));
    double z = r * r;
    double ps = sc[5], pc = cc[5];
    for (int degree = 4; degree >= 0; degree--) {
        ps = fma(ps, z, sc[degree]);
        pc = fma(pc, z, cc[degree]);
    }
    double s = fma(r * z, ps, r);
    double c = fma(z * z, pc, fma(-0.5, z, 1.0));
    long n = (long)k & 3;
    if (n & 1) {
        double swapped = s;
        s = c;
        c = swapped;
    }
    *sine = n & 2 ? -s : s;
    *cosine = (n + 1) & 2 ? -c : c;
}

#endif
