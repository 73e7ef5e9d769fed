/* Evaluations and residuals that every formulation shares. */
#ifndef TB_ON_DEVICE
#include "constrained/constrained.h"

#include <math.h>
#include <string.h>
#endif

TB_DEVICE void tb_increment(const tb_constrained_model *model, tb_constrained_work *work,
                            double times, const double *restrict step, const double *u,
                            const double *p) {
    double *v = tb_velocities(model, work), *kept = work->n_scratch, *q = work->x;
    if (!TB_HAS(model, configuration_rate)) {
        for (long i = 0; i < model->n; i++)
            q[i] += times * step[i];
        return;
    }
    /* dq/dt is linear in v: at v = step it is the increment. */
    double *increment = work->increment;
    memcpy(kept, v, (size_t)model->n * sizeof *v);
    memcpy(v, step, (size_t)model->n * sizeof *v);
    TB_CALL(model, configuration_rate, work->x, u, p, increment);
    memcpy(v, kept, (size_t)model->n * sizeof *v);
    for (long i = 0; i < model->nq; i++)
        q[i] += times * increment[i];
}

TB_DEVICE double tb_widest_gap(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *x, const double *u, const double *p, const int *but) {
    double largest = 0.0;
    tb_load(model, work, x);
    tb_positions(model, work, u, p);
    for (long i = 0; i < model->m; i++)
        if (!(but && but[i]) && !(fabs(work->at_positions[i]) <= largest))
            largest = fabs(work->at_positions[i]);
    return largest;
}

TB_DEVICE void tb_velocity_residual(const tb_constrained_model *model, tb_constrained_work *work,
                                    const double *J, const double *wanted) {
    const double *v = tb_velocities(model, work);
    double *residual = work->residual;
    for (long i = 0; i < model->m; i++)
        residual[i] = wanted[i];
    for (long k = 0; k < model->J_count; k++)
        residual[model->J_rows[k]] -= J[k] * v[model->J_columns[k]];
}

TB_DEVICE void tb_reset_choice(const tb_constrained_model *model, tb_constrained_work *work) {
    work->started = work->truncated = 0;
    work->redundant_h = 0.0;
    memset(work->row_size, 0, (size_t)model->m * sizeof *work->row_size);
}

TB_DEVICE void tb_reset_run(const tb_constrained_model *model, tb_constrained_work *work) {
    tb_reset_choice(model, work);
    memset(&work->statistics, 0, sizeof work->statistics);
}

TB_DEVICE void tb_refuse_unknown(const tb_constrained_model *model, tb_constrained_work *work) {
    double sum = 0.0; /* 0 as long as all are finite */
    for (const double *each = work->at_terms; each < tb_terms_z(model, work); each++)
        sum += 0.0 * *each;
    if (sum == 0.0)
        return;
    for (long j = 0; j < model->n; j++)
        work->a[j] = NAN;
    for (long i = 0; i < model->m; i++)
        work->lambda[i] = NAN;
}

TB_DEVICE void tb_accept(const tb_constrained_model *model, tb_constrained_work *work, int first) {
    const double *h = work->at_positions;
    for (long i = 0; i < model->m; i++)
        if (model->holonomic[i])
            work->statistics.largest_h = fmax(work->statistics.largest_h, fabs(h[i]));
    if (first) { /* redundant rows show themselves at a consistent state only */
        tb_choose(model, work, tb_positions_J(model, work), model->rank_tolerance, model->m);
        work->most_rank = work->rank;
    } else
        tb_review_choice(model, work, h, tb_positions_J(model, work));
    memcpy(work->settled, work->x, (size_t)(model->nq + model->n + model->nz) * sizeof *work->x);
}
