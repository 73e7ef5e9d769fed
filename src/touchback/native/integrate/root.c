/* Interpolate, truncate, project: superlinear on smooth functions, and never more evaluations than
 * bisection plus one. Oliveira and Takahashi, An enhancement of the bisection method average
 * performance preserving minmax optimality, ACM TOMS 47 (2020). */
#include "integrate/root.h"

#include <float.h>
#include <math.h>

double tb_root(tb_scalar f, void *data, double a, double b, double f_a, double f_b,
               double tolerance) {
    if (f_a == 0.0)
        return a;
    if (f_b == 0.0)
        return b;
    double epsilon = fmax(0.5 * tolerance, 2.0 * DBL_EPSILON * fmax(fabs(a), fabs(b)));
    double truncation = 0.2 / (b - a);
    double radius = epsilon * exp2(fmax(ceil(log2((b - a) / (2.0 * epsilon))), 0.0) + 1.0);
    for (; b - a > 2.0 * epsilon; radius *= 0.5) {
        double half = 0.5 * (a + b), chord = (f_b * a - f_a * b) / (f_b - f_a);
        double towards = half >= chord ? 1.0 : -1.0;
        double shift = fmin(truncation * (b - a) * (b - a), fabs(half - chord));
        double x = chord + towards * shift, reach = radius - 0.5 * (b - a);
        if (fabs(x - half) > reach)
            x = half - towards * reach;
        double f_x = f(data, x);
        if (f_x == 0.0)
            return x;
        if ((f_x > 0.0) == (f_b > 0.0)) {
            b = x;
            f_b = f_x;
        } else {
            a = x;
            f_a = f_x;
        }
    }
    return 0.5 * (a + b);
}
