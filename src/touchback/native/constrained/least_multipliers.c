/* Redundant rows: mechanics determines W^T lambda, not lambda. Of all multipliers that give these
 * forces runs and functions take those of least norm, sqrt(sum lambda_i^2), newtons and newton
 * metres counted alike. With the rows that are kept, k, and those that are left out, d, of a
 * choice,
 *
 *   J_d = S J_k,   l = lambda_k + S^T lambda_d,   (1 + S S^T) y = S l
 *
 * lambda_d becomes y and lambda_k becomes l - S^T y. */
#ifndef TB_ON_DEVICE
#include <math.h>
#include <string.h>

#include "constrained/constrained.h"
#endif

static const double CONTRADICTED = 1e-9; /* of what rows demand: more is no rounding */
static const double ELSEWHERE =
    1e-9; /* of a row's forces: what acts elsewhere than others together */

/* Whether the forces of a row that is left out are those of its shares of others: with servos and
 * friction they needn't be, though what they constrain is. */
static int acts_alike(const tb_constrained_model *model, tb_constrained_work *work, const double *W,
                      long row, const double *shares) {
    double *force = work->n_scratch, size = 0.0;
    memset(force, 0, (size_t)model->n * sizeof *force);
    for (long k = 0; k < model->W_count; k++) {
        double share = model->W_rows[k] == row ? 1.0 : 0.0;
        for (long i = 0; i < work->rank; i++)
            share -= model->W_rows[k] == work->rows[i] ? shares[i] : 0.0;
        force[model->W_columns[k]] += share * W[k];
        size = fmax(size, fabs(share * W[k]));
    }
    for (long j = 0; j < model->n; j++)
        if (!(fabs(force[j]) <= ELSEWHERE * size))
            return 0;
    return 1;
}

/* S by rows, `rank` wide. Returns 1 where a row demands something else than the others. */
static int find_shares(const tb_constrained_model *model, tb_constrained_work *work,
                       const double *J, const double *W) {
    long r = work->rank;
    int contradicted = 0;
    for (long d = r; d < model->m; d++) {
        double *shares = work->load_shares + (d - r) * r;
        double demanded = work->right[work->rows[d]], size = fabs(demanded);
        tb_row_shares(model, work, J, work->rows[d], shares);
        for (long i = 0; i < r; i++) {
            double part = shares[i] * work->right[work->rows[i]];
            demanded -= part;
            size += fabs(part);
        }
        contradicted |= !(fabs(demanded) <= CONTRADICTED * size);
        if (model->W_count && W && !acts_alike(model, work, W, work->rows[d], shares))
            memset(shares, 0, (size_t)r * sizeof *shares);
    }
    return contradicted;
}

/* y <- (1 + S S^T)^-1 y by L L^T. */
static void solve_gram(const tb_constrained_model *model, tb_constrained_work *work, double *y) {
    long r = work->rank, count = model->m - r;
    double *G = work->load_gram; /* the lower triangle by rows */
    for (long i = 0; i < count; i++) {
        double *row = G + i * (i + 1) / 2;
        for (long j = 0; j <= i; j++) {
            const double *other = G + j * (j + 1) / 2;
            double sum = i == j ? 1.0 : 0.0;
            for (long k = 0; k < r; k++)
                sum += work->load_shares[i * r + k] * work->load_shares[j * r + k];
            for (long k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
        for (long k = 0; k < i; k++)
            y[i] -= row[k] * y[k];
        y[i] /= row[i];
    }
    for (long i = count - 1; i >= 0; i--) {
        for (long k = i + 1; k < count; k++)
            y[i] -= G[k * (k + 1) / 2 + i] * y[k];
        y[i] /= G[i * (i + 1) / 2 + i];
    }
}

TB_DEVICE void tb_active_multipliers(const tb_constrained_model *model,
                                     const tb_constrained_work *work, const double *lambda,
                                     double *kept) {
    long r = work->rank;
    for (long i = 0; i < model->m; i++)
        kept[i] = lambda[i];
    for (long d = r; d < model->m; d++) {
        double carried = kept[work->rows[d]];
        kept[work->rows[d]] = 0.0;
        for (long i = 0; i < r; i++)
            kept[work->rows[i]] += work->load_shares[(d - r) * r + i] * carried;
    }
}

TB_DEVICE int tb_least_multipliers(const tb_constrained_model *model, tb_constrained_work *work,
                                   const double *J, const double *W, double *lambda) {
    long r = work->rank, count = model->m - r;
    double *y = work->m_scratch;
    const double *S = work->load_shares;
    int contradicted = find_shares(model, work, J, W);
    tb_active_multipliers(model, work, lambda, lambda);
    for (long d = 0; d < count; d++) {
        y[d] = 0.0;
        for (long i = 0; i < r; i++)
            y[d] += S[d * r + i] * lambda[work->rows[i]];
    }
    solve_gram(model, work, y);
    for (long d = 0; d < count; d++) {
        lambda[work->rows[r + d]] = y[d];
        for (long i = 0; i < r; i++)
            lambda[work->rows[i]] -= S[d * r + i] * y[d];
    }
    return contradicted;
}
