/* Further states z of a mechanism (slips of tyres, pads of brakes) within the Newton iterations of
 * augmented_lagrangian.c: with s = z_n + h/2 (z'_n + z') - z what they lack of the trapezoidal
 * rule, their increments e and those of the positions d obey
 *
 *   (I - h/2 Zz) e = s + (h/2 Zq + Zv) d,   [...] d = ... + h^2/4 Fz e
 *
 * with Zq, Zv, Zz the slopes of z' and Fz = df/dz. Iterating z by itself instead would diverge
 * where h/2 |Zz| > 1: at 5 ms for all that settles faster than in 2.5 ms.
 */
#include <math.h>
#include <string.h>

#include "constrained/constrained.h"
#include "linear/dense.h"

/* Where the slopes are: of f by z, and of z' by d (over Zq and Zv), once taken out, and by z. */
static double *force_slopes(const tb_constrained *c) {
    return c->stiff + 2 * c->n * c->n;
}
static double *own_by_q(const tb_constrained *c) {
    return force_slopes(c) + c->n * c->nz;
}
static double *own_by_v(const tb_constrained *c) {
    return own_by_q(c) + c->nz * c->n;
}
static double *own_by_z(const tb_constrained *c) {
    return own_by_v(c) + c->nz * c->n;
}

void tb_auxiliary_out_of_matrix(tb_constrained *c, double h) {
    long n = c->n, nz = c->nz;
    double *by_d = own_by_q(c), *by_v = own_by_v(c), *by_z = own_by_z(c), *Fz = force_slopes(c);
    for (long i = 0; i < nz; i++) {
        for (long k = 0; k < nz; k++)
            by_z[i * nz + k] = (i == k) - 0.5 * h * by_z[i * nz + k];
        for (long j = 0; j < n; j++)
            by_d[i * n + j] = 0.5 * h * by_d[i * n + j] + by_v[i * n + j];
    }
    if (tb_lu_factor(nz, by_z, c->z_pivots))
        c->statistics.singular++;
    for (long j = 0; j < n; j++) { /* column by column, as z_step */
        for (long i = 0; i < nz; i++)
            c->z_step[i] = by_d[i * n + j];
        tb_lu_solve(nz, by_z, c->z_pivots, c->z_step);
        for (long i = 0; i < nz; i++)
            by_d[i * n + j] = c->z_step[i];
    }
    for (long i = 0; i < n; i++)
        for (long k = 0; k < nz; k++) {
            double slope = 0.25 * h * h * Fz[i * nz + k];
            if (slope != 0.0)
                for (long j = 0; j < n; j++)
                    c->matrix[i * n + j] -= slope * by_d[k * n + j];
        }
}

void tb_auxiliary_out_of_force(tb_constrained *c, double h, double *force) {
    memcpy(c->z_step, c->z_lack, (size_t)c->nz * sizeof *c->z_step);
    if (!c->stiffness.call)
        return;
    tb_lu_solve(c->nz, own_by_z(c), c->z_pivots, c->z_step);
    const double *Fz = force_slopes(c);
    for (long i = 0; i < c->n; i++)
        for (long k = 0; k < c->nz; k++)
            force[i] += 0.25 * h * h * Fz[i * c->nz + k] * c->z_step[k];
}

double tb_auxiliary_move(tb_constrained *c, const double *d, double share, double *zeta) {
    const double *z = c->x + c->nq + c->n, *by_d = own_by_q(c);
    double largest = 0.0;
    for (long k = 0; k < c->nz; k++) {
        if (c->stiffness.call)
            for (long j = 0; j < c->n; j++)
                c->z_step[k] += by_d[k * c->n + j] * d[j];
        zeta[k] += share * c->z_step[k];
        largest = fmax(largest, fabs(c->z_step[k]) / fmax(1.0, fabs(z[k])));
    }
    return largest;
}
