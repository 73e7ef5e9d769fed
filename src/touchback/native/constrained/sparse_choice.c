/* Constraints of mechanisms with many loops: cost in proportion to the nonzeros.
 *
 * Accelerations and weighted corrections come from the static factors of [[M, J^T], [J, 0]].
 * Strict dependents come from the Gram matrix of J with its independent columns struck out:
 * J_v D J_v^T mu = residual, step = D J_v^T mu is the one solution that leaves the independents
 * alone, and its pattern is the same whatever is chosen. The squared condition number is paid back
 * by refining the velocities once more; Newton refines itself.
 */
#include <math.h>
#include <string.h>

#include "constrained/constrained.h"

static const double GRAM_ROUNDING = 1e-20; /* pivots are squares */
static const double MOTION_ROUNDING = 1e-13;

static int wanted(const tb_constrained_work *work, long column, int level) {
    return work->level[column] != 0 && work->level[column] <= level;
}

/* One row of the choice: the row less its share in the pivots before it, in own->wide. Returns the
 * number of columns touched, listed from pool position `at`. */
static long reduced_row(const tb_constrained_model *model, const tb_constrained_work *work,
                        const double *J, int row, long rank, long at) {
    const tb_sparse *s = model->sparse;
    const tb_sparse_work *own = work->sparse;
    double *wide = own->wide;
    long end = at;
    for (long e = s->row_starts[row]; e < s->row_starts[row + 1]; e++) {
        int k = s->row_entries[e], j = model->J_columns[k];
        wide[j] = J[k] * work->scale[j];
        own->pool_columns[end++] = j;
    }
    for (long k = 0; k < rank; k++) {
        double share = wide[work->columns[k]];
        if (share == 0.0)
            continue;
        long start = own->pool_starts[k], stop = own->pool_starts[k + 1];
        share /= own->pool_values[start]; /* a stored row has its pivot first */
        if (end + (stop - start) > s->pool_size)
            return -1;
        for (long e = start; e < stop; e++) {
            int j = own->pool_columns[e];
            if (wide[j] == 0.0)
                own->pool_columns[end++] = j;
            wide[j] -= share * own->pool_values[e];
        }
        wide[work->columns[k]] = 0.0;
    }
    return end - at;
}

/* Adds the row to the pool when it has a pivot; clears own->wide. Returns the pivot, 0 for none. */
static double keep_row(tb_constrained_work *work, long at, long count, double size,
                       double tolerance, long rank) {
    const tb_sparse_work *own = work->sparse;
    long best = at;
    for (long e = at; e < at + count; e++)
        if (fabs(own->wide[own->pool_columns[e]]) > fabs(own->wide[own->pool_columns[best]]))
            best = e;
    double pivot = count ? fabs(own->wide[own->pool_columns[best]]) : 0.0;
    int kept = pivot > tolerance * size;
    if (kept) {
        int first = own->pool_columns[best];
        own->pool_columns[best] = own->pool_columns[at];
        own->pool_columns[at] = first;
        work->columns[rank] = first;
    }
    long end = at;
    for (long e = at; e < at + count; e++) {
        int j = own->pool_columns[e];
        double value = own->wide[j];
        own->wide[j] = 0.0;
        if (kept && value != 0.0) { /* a column listed twice is cleared the first time */
            own->pool_columns[end] = j;
            own->pool_values[end++] = value;
        }
    }
    own->pool_starts[rank + 1] = (int)(kept ? end : at);
    return kept ? pivot : 0.0;
}

/* Rows in the order of the Gram matrix, each with the largest column that is left. */
static long choose_rows(const tb_constrained_model *model, tb_constrained_work *work,
                        const double *J, int holonomic, double tolerance, long rank, long limit,
                        long *redundant) {
    const tb_sparse *s = model->sparse;
    const tb_sparse_work *own = work->sparse;
    for (long i = 0; i < model->m; i++) {
        int row = s->gram_order[i];
        if (!model->holonomic[row] != !holonomic)
            continue;
        double size = 0.0, pivot = 0.0;
        for (long e = s->row_starts[row]; e < s->row_starts[row + 1]; e++) {
            int k = s->row_entries[e];
            size = fmax(size, fabs(J[k] * work->scale[model->J_columns[k]]));
        }
        long at = own->pool_starts[rank];
        long room = s->row_starts[row + 1] - s->row_starts[row];
        long count = at + room > s->pool_size ? -1 : reduced_row(model, work, J, row, rank, at);
        if (count < 0) { /* no room: the row is left out, as if redundant */
            memset(own->wide, 0, (size_t)model->n * sizeof *own->wide);
            count = 0;
        }
        if (rank < limit)
            pivot = keep_row(work, at, count, size, tolerance, rank);
        if (pivot > 0.0) {
            work->row_size[row] = fmax(work->row_size[row], pivot);
            work->chosen_size[rank] = pivot / work->row_size[row];
            work->rows[rank++] = row;
        } else {
            for (long e = at; e < at + count; e++)
                own->wide[own->pool_columns[e]] = 0.0;
            work->rows[--*redundant] = row;
        }
    }
    return rank;
}

void tb_sparse_choose(const tb_constrained_model *model, tb_constrained_work *work, const double *J,
                      double tolerance, long rank_limit) {
    const tb_sparse_work *own = work->sparse;
    long redundant = model->m, next;
    int *chosen = work->pivots;
    own->pool_starts[0] = 0;
    work->position_rank = choose_rows(model, work, J, 1, tolerance, 0, rank_limit, &redundant);
    work->rank =
        choose_rows(model, work, J, 0, tolerance, work->position_rank, rank_limit, &redundant);
    for (long j = 0; j < model->n; j++)
        chosen[j] = 0;
    for (long k = 0; k < work->rank; k++)
        chosen[work->columns[k]] = 1;
    next = work->rank;
    for (long j = 0; j < model->n; j++)
        if (!chosen[j])
            work->columns[next++] = (int)j;
}

int tb_sparse_factor(const tb_constrained_model *model, tb_constrained_work *work, const double *J,
                     int level) {
    const tb_sparse *s = model->sparse;
    const tb_sparse_work *own = work->sparse;
    const tb_ldl *gram = &s->gram;
    int spent = 0;
    memset(own->gram_values, 0,
           (size_t)(model->m + gram->starts[model->m]) * sizeof *own->gram_values);
    for (long k = 0; k < s->products; k++) {
        long j = s->product_column[k];
        if (wanted(work, j, level)) {
            double weight = work->scale[j] * work->scale[j];
            own->gram_values[s->product_target[k]] +=
                weight * J[s->product_first[k]] * J[s->product_second[k]];
        }
    }
    for (long i = 0; i < model->m; i++) {
        long place = s->gram_place[i];
        own->gram_dropped[place] =
            work->dropped[i] || (level == TB_POSITION && !model->holonomic[i]);
        own->gram_reference[place] = own->gram_values[place];
    }
    tb_ldl_factor(gram, own->gram_values, own->gram_reference, GRAM_ROUNDING, own->gram_dropped);
    if (level == TB_VELOCITY)
        for (long k = 0; k < work->rank; k++) {
            double inverse = own->gram_values[s->gram_place[work->rows[k]]];
            spent |= tb_note_pivot(work, k, inverse > 0.0 ? 1.0 / sqrt(inverse) : 0.0);
        }
    return spent;
}

void tb_sparse_correct(const tb_constrained_model *model, tb_constrained_work *work,
                       const double *J, const double *residual, int level, double *step) {
    const tb_sparse *s = model->sparse;
    const tb_sparse_work *own = work->sparse;
    double *mu = own->gram_scratch;
    for (long i = 0; i < model->m; i++)
        mu[s->gram_place[i]] = own->gram_dropped[s->gram_place[i]] ? 0.0 : residual[i];
    tb_ldl_solve(&s->gram, own->gram_values, mu);
    memset(step, 0, (size_t)model->n * sizeof *step);
    for (long k = 0; k < model->J_count; k++) {
        long j = model->J_columns[k];
        if (wanted(work, j, level))
            step[j] += work->scale[j] * work->scale[j] * J[k] * mu[s->gram_place[model->J_rows[k]]];
    }
}

/* With K factored by tb_sparse_solve: M a = f + J_k^T s and J_k a = 0 for f = -J_row, where a = 0.
 */
void tb_sparse_row_shares(const tb_constrained_model *model, const tb_constrained_work *work,
                          const double *J, long row, double *shares) {
    const tb_sparse *s = model->sparse;
    const tb_sparse_work *own = work->sparse;
    double *x = own->motion_scratch;
    memset(x, 0, (size_t)(model->n + model->m) * sizeof *x);
    for (long k = 0; k < model->J_count; k++)
        if (model->J_rows[k] == row)
            x[s->coordinate_place[model->J_columns[k]]] = -J[k];
    tb_ldl_solve(&s->motion, own->motion_values, x);
    for (long i = 0; i < work->rank; i++)
        shares[i] = -x[s->row_place[work->rows[i]]];
}

void tb_sparse_solve(const tb_constrained_model *model, tb_constrained_work *work, const double *J,
                     const double *M, const double *f, const double *right, const double *softness,
                     double *a, double *lambda) {
    const tb_sparse *s = model->sparse;
    const tb_sparse_work *own = work->sparse;
    const tb_ldl *K = &s->motion;
    long size = model->n + model->m;
    double *x = own->motion_scratch, *reference = own->motion_reference;
    memset(own->motion_values, 0, (size_t)(size + K->starts[size]) * sizeof *own->motion_values);
    memset(reference, 0, (size_t)size * sizeof *reference);
    for (long k = 0; k < model->M_count; k++)
        own->motion_values[s->motion_M[k]] = M[k];
    for (long j = 0; j < model->n; j++) {
        reference[s->coordinate_place[j]] = own->motion_values[s->coordinate_place[j]];
        x[s->coordinate_place[j]] = f[j];
        own->motion_dropped[s->coordinate_place[j]] = 0;
    }
    for (long k = 0; k < model->J_count; k++) {
        double scaled = J[k] * work->scale[model->J_columns[k]];
        own->motion_values[s->motion_J[k]] = J[k];
        reference[s->row_place[model->J_rows[k]]] += scaled * scaled;
    }
    for (long i = 0; i < model->m; i++) {
        long place = s->row_place[i];
        x[place] = work->dropped[i] && !softness ? 0.0 : right[i];
        own->motion_dropped[place] = work->dropped[i] && !softness;
        if (softness)
            own->motion_values[place] = -softness[i];
    }
    long passed =
        tb_ldl_factor(K, own->motion_values, reference, MOTION_ROUNDING, own->motion_dropped);
    work->statistics.singular += !softness && passed > model->m - work->rank;
    tb_ldl_solve(K, own->motion_values, x);
    for (long j = 0; j < model->n; j++)
        a[j] = x[s->coordinate_place[j]];
    for (long i = 0; i < model->m; i++)
        lambda[i] = -x[s->row_place[i]];
}
