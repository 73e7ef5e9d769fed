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
static double *force_slopes(const tb_constrained_model *model, const tb_constrained_work *work) {
    return work->stiff + 2 * model->n * model->n;
}
static double *own_by_q(const tb_constrained_model *model, const tb_constrained_work *work) {
    return force_slopes(model, work) + model->n * model->nz;
}
static double *own_by_v(const tb_constrained_model *model, const tb_constrained_work *work) {
    return own_by_q(model, work) + model->nz * model->n;
}
static double *own_by_z(const tb_constrained_model *model, const tb_constrained_work *work) {
    return own_by_v(model, work) + model->nz * model->n;
}

void tb_auxiliary_out_of_matrix(const tb_constrained_model *model, tb_constrained_work *work,
                                double h) {
    long n = model->n, nz = model->nz;
    double *by_d = own_by_q(model, work), *by_v = own_by_v(model, work),
           *by_z = own_by_z(model, work), *Fz = force_slopes(model, work);
    for (long i = 0; i < nz; i++) {
        for (long k = 0; k < nz; k++)
            by_z[i * nz + k] = (i == k) - 0.5 * h * by_z[i * nz + k];
        for (long j = 0; j < n; j++)
            by_d[i * n + j] = 0.5 * h * by_d[i * n + j] + by_v[i * n + j];
    }
    if (tb_lu_factor(nz, by_z, work->z_pivots))
        work->statistics.singular++;
    for (long j = 0; j < n; j++) { /* column by column, as z_step */
        for (long i = 0; i < nz; i++)
            work->z_step[i] = by_d[i * n + j];
        tb_lu_solve(nz, by_z, work->z_pivots, work->z_step);
        for (long i = 0; i < nz; i++)
            by_d[i * n + j] = work->z_step[i];
    }
    for (long i = 0; i < n; i++)
        for (long k = 0; k < nz; k++) {
            double slope = 0.25 * h * h * Fz[i * nz + k];
            if (slope != 0.0)
                for (long j = 0; j < n; j++)
                    work->matrix[i * n + j] -= slope * by_d[k * n + j];
        }
}

void tb_auxiliary_out_of_force(const tb_constrained_model *model, tb_constrained_work *work,
                               double h, double *force) {
    memcpy(work->z_step, work->z_lack, (size_t)model->nz * sizeof *work->z_step);
    if (!model->stiffness.call)
        return;
    tb_lu_solve(model->nz, own_by_z(model, work), work->z_pivots, work->z_step);
    const double *Fz = force_slopes(model, work);
    for (long i = 0; i < model->n; i++)
        for (long k = 0; k < model->nz; k++)
            force[i] += 0.25 * h * h * Fz[i * model->nz + k] * work->z_step[k];
}

double tb_auxiliary_move(const tb_constrained_model *model, tb_constrained_work *work,
                         const double *d, double share, double *zeta) {
    const double *z = work->x + model->nq + model->n, *by_d = own_by_q(model, work);
    double largest = 0.0;
    for (long k = 0; k < model->nz; k++) {
        if (model->stiffness.call)
            for (long j = 0; j < model->n; j++)
                work->z_step[k] += by_d[k * model->n + j] * d[j];
        zeta[k] += share * work->z_step[k];
        largest = fmax(largest, fabs(work->z_step[k]) / fmax(1.0, fabs(z[k])));
    }
    return largest;
}
