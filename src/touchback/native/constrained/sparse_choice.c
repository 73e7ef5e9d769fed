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

static int wanted(const tb_constrained *c, long column, int level) {
    return c->level[column] != 0 && c->level[column] <= level;
}

/* One row of the choice: the row less its share in the pivots before it, in s->wide. Returns the
 * number of columns touched, listed from pool position `at`. */
static long reduced_row(const tb_constrained *c, const double *J, int row, long rank, long at) {
    const tb_sparse *s = c->sparse;
    double *wide = s->wide;
    long end = at;
    for (long e = s->row_starts[row]; e < s->row_starts[row + 1]; e++) {
        int k = s->row_entries[e], j = c->J_columns[k];
        wide[j] = J[k] * c->scale[j];
        s->pool_columns[end++] = j;
    }
    for (long k = 0; k < rank; k++) {
        double share = wide[c->columns[k]];
        if (share == 0.0)
            continue;
        long start = s->pool_starts[k], stop = s->pool_starts[k + 1];
        share /= s->pool_values[start]; /* a stored row has its pivot first */
        if (end + (stop - start) > s->pool_size)
            return -1;
        for (long e = start; e < stop; e++) {
            int j = s->pool_columns[e];
            if (wide[j] == 0.0)
                s->pool_columns[end++] = j;
            wide[j] -= share * s->pool_values[e];
        }
        wide[c->columns[k]] = 0.0;
    }
    return end - at;
}

/* Adds the row to the pool when it has a pivot; clears s->wide. Returns the pivot, 0 for none. */
static double keep_row(tb_constrained *c, long at, long count, double size, double tolerance,
                       long rank) {
    const tb_sparse *s = c->sparse;
    long best = at;
    for (long e = at; e < at + count; e++)
        if (fabs(s->wide[s->pool_columns[e]]) > fabs(s->wide[s->pool_columns[best]]))
            best = e;
    double pivot = count ? fabs(s->wide[s->pool_columns[best]]) : 0.0;
    int kept = pivot > tolerance * size;
    if (kept) {
        int first = s->pool_columns[best];
        s->pool_columns[best] = s->pool_columns[at];
        s->pool_columns[at] = first;
        c->columns[rank] = first;
    }
    long end = at;
    for (long e = at; e < at + count; e++) {
        int j = s->pool_columns[e];
        double value = s->wide[j];
        s->wide[j] = 0.0;
        if (kept && value != 0.0) { /* a column listed twice is cleared the first time */
            s->pool_columns[end] = j;
            s->pool_values[end++] = value;
        }
    }
    s->pool_starts[rank + 1] = (int)(kept ? end : at);
    return kept ? pivot : 0.0;
}

/* Rows in the order of the Gram matrix, each with the largest column that is left. */
static long choose_rows(tb_constrained *c, const double *J, int holonomic, double tolerance,
                        long rank, long limit, long *redundant) {
    const tb_sparse *s = c->sparse;
    for (long i = 0; i < c->m; i++) {
        int row = s->gram_order[i];
        if (!c->holonomic[row] != !holonomic)
            continue;
        double size = 0.0, pivot = 0.0;
        for (long e = s->row_starts[row]; e < s->row_starts[row + 1]; e++) {
            int k = s->row_entries[e];
            size = fmax(size, fabs(J[k] * c->scale[c->J_columns[k]]));
        }
        long at = s->pool_starts[rank];
        long room = s->row_starts[row + 1] - s->row_starts[row];
        long count = at + room > s->pool_size ? -1 : reduced_row(c, J, row, rank, at);
        if (count < 0) { /* no room: the row is left out, as if redundant */
            memset(s->wide, 0, (size_t)c->n * sizeof *s->wide);
            count = 0;
        }
        if (rank < limit)
            pivot = keep_row(c, at, count, size, tolerance, rank);
        if (pivot > 0.0) {
            c->row_size[row] = fmax(c->row_size[row], pivot);
            c->chosen_size[rank] = pivot / c->row_size[row];
            c->rows[rank++] = row;
        } else {
            for (long e = at; e < at + count; e++)
                s->wide[s->pool_columns[e]] = 0.0;
            c->rows[--*redundant] = row;
        }
    }
    return rank;
}

void tb_sparse_choose(tb_constrained *c, const double *J, double tolerance, long rank_limit) {
    const tb_sparse *s = c->sparse;
    long redundant = c->m, next;
    int *chosen = c->pivots;
    s->pool_starts[0] = 0;
    c->position_rank = choose_rows(c, J, 1, tolerance, 0, rank_limit, &redundant);
    c->rank = choose_rows(c, J, 0, tolerance, c->position_rank, rank_limit, &redundant);
    for (long j = 0; j < c->n; j++)
        chosen[j] = 0;
    for (long k = 0; k < c->rank; k++)
        chosen[c->columns[k]] = 1;
    next = c->rank;
    for (long j = 0; j < c->n; j++)
        if (!chosen[j])
            c->columns[next++] = (int)j;
}

int tb_sparse_factor(tb_constrained *c, const double *J, int level) {
    const tb_sparse *s = c->sparse;
    const tb_ldl *gram = &s->gram;
    int spent = 0;
    memset(gram->values, 0, (size_t)(c->m + gram->starts[c->m]) * sizeof *gram->values);
    for (long k = 0; k < s->products; k++) {
        long j = s->product_column[k];
        if (wanted(c, j, level)) {
            double weight = c->scale[j] * c->scale[j];
            gram->values[s->product_target[k]] +=
                weight * J[s->product_first[k]] * J[s->product_second[k]];
        }
    }
    for (long i = 0; i < c->m; i++) {
        long place = s->gram_place[i];
        s->gram_dropped[place] = c->dropped[i] || (level == TB_POSITION && !c->holonomic[i]);
        s->gram_reference[place] = gram->values[place];
    }
    tb_ldl_factor(gram, s->gram_reference, GRAM_ROUNDING, s->gram_dropped);
    if (level == TB_VELOCITY)
        for (long k = 0; k < c->rank; k++) {
            double inverse = gram->values[s->gram_place[c->rows[k]]];
            spent |= tb_note_pivot(c, k, inverse > 0.0 ? 1.0 / sqrt(inverse) : 0.0);
        }
    return spent;
}

void tb_sparse_correct(tb_constrained *c, const double *J, const double *residual, int level,
                       double *step) {
    const tb_sparse *s = c->sparse;
    double *mu = s->gram_scratch;
    for (long i = 0; i < c->m; i++)
        mu[s->gram_place[i]] = s->gram_dropped[s->gram_place[i]] ? 0.0 : residual[i];
    tb_ldl_solve(&s->gram, mu);
    memset(step, 0, (size_t)c->n * sizeof *step);
    for (long k = 0; k < c->J_count; k++) {
        long j = c->J_columns[k];
        if (wanted(c, j, level))
            step[j] += c->scale[j] * c->scale[j] * J[k] * mu[s->gram_place[c->J_rows[k]]];
    }
}

/* With K factored by tb_sparse_solve: M a = f + J_k^T s and J_k a = 0 for f = -J_row, where a = 0.
 */
void tb_sparse_row_shares(const tb_constrained *c, const double *J, long row, double *shares) {
    const tb_sparse *s = c->sparse;
    double *x = s->motion_scratch;
    memset(x, 0, (size_t)(c->n + c->m) * sizeof *x);
    for (long k = 0; k < c->J_count; k++)
        if (c->J_rows[k] == row)
            x[s->coordinate_place[c->J_columns[k]]] = -J[k];
    tb_ldl_solve(&s->motion, x);
    for (long i = 0; i < c->rank; i++)
        shares[i] = -x[s->row_place[c->rows[i]]];
}

void tb_sparse_solve(tb_constrained *c, const double *J, const double *M, const double *f,
                     const double *right, const double *softness, double *a, double *lambda) {
    const tb_sparse *s = c->sparse;
    const tb_ldl *K = &s->motion;
    long size = c->n + c->m;
    double *x = s->motion_scratch, *reference = s->motion_reference;
    memset(K->values, 0, (size_t)(size + K->starts[size]) * sizeof *K->values);
    memset(reference, 0, (size_t)size * sizeof *reference);
    for (long k = 0; k < c->M_count; k++)
        K->values[s->motion_M[k]] = M[k];
    for (long j = 0; j < c->n; j++) {
        reference[s->coordinate_place[j]] = K->values[s->coordinate_place[j]];
        x[s->coordinate_place[j]] = f[j];
        s->motion_dropped[s->coordinate_place[j]] = 0;
    }
    for (long k = 0; k < c->J_count; k++) {
        double scaled = J[k] * c->scale[c->J_columns[k]];
        K->values[s->motion_J[k]] = J[k];
        reference[s->row_place[c->J_rows[k]]] += scaled * scaled;
    }
    for (long i = 0; i < c->m; i++) {
        long place = s->row_place[i];
        x[place] = c->dropped[i] && !softness ? 0.0 : right[i];
        s->motion_dropped[place] = c->dropped[i] && !softness;
        if (softness)
            K->values[place] = -softness[i];
    }
    long passed = tb_ldl_factor(K, reference, MOTION_ROUNDING, s->motion_dropped);
    c->statistics.singular += !softness && passed > c->m - c->rank;
    tb_ldl_solve(K, x);
    for (long j = 0; j < c->n; j++)
        a[j] = x[s->coordinate_place[j]];
    for (long i = 0; i < c->m; i++)
        lambda[i] = -x[s->row_place[i]];
}
