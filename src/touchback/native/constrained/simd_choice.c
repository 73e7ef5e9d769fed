/* Dependent coordinates of several states at once: as dense_choice.c in each lane, whose pivots may
 * be elsewhere than those of others. */
#include "constrained/at_states.h"
#include "constrained/simd.h"

/* 1 / sqrt(M_jj), or 1 where there is no mass. */
WIDE_INLINED void scale_columns(const tb_at_states *s, const tb_constrained_model *model,
                                const tb_lanes *M) {
    tb_lanes *scale = (tb_lanes *)s->scale;
    for (long k = 0; k < model->M_count; k++) {
        if (model->M_rows[k] != model->M_columns[k])
            continue;
        scale[model->M_rows[k]] =
            tb_chosen(M[k] > 0.0, 1.0 / tb_square_root(M[k]), (tb_lanes){} + 1.0);
    }
}

/* The largest of row's entries [k, n). Two by two: none waits for the one before. */
WIDE_INLINED tb_lanes largest_entry(const tb_lanes *row, long k, long n) {
    tb_lanes one = {}, other = {};
    for (; k + 1 < n; k += 2) {
        one = tb_larger(tb_size(row[k]), one);
        other = tb_larger(tb_size(row[k + 1]), other);
    }
    return tb_larger(k < n ? tb_larger(tb_size(row[k]), one) : one, other);
}

/* Rows with an equation for positions first, each as large as others; 1 where one is zero. */
WIDE_INLINED int fill_candidates(const tb_at_states *s, const tb_constrained_model *model,
                                 const tb_lanes *J) {
    long n = model->n, m = model->m, first = 0, last = m;
    tb_lanes *A = (tb_lanes *)s->A;
    const tb_lanes *scale = (const tb_lanes *)s->scale;
    for (long i = 0; i < m; i++) {
        long place = model->holonomic[i] ? first++ : --last;
        for (int lane = 0; lane < TB_LANES; lane++) {
            s->row_place[i * TB_LANES + lane] = (int)place;
            s->rows[place * TB_LANES + lane] = (int)i;
        }
    }
    for (long j = 0; j < n; j++)
        for (int lane = 0; lane < TB_LANES; lane++)
            s->columns[j * TB_LANES + lane] = (int)j;
    for (long k = 0; k < m * n; k++)
        A[k] = (tb_lanes){};
    for (long k = 0; k < model->J_count; k++)
        A[s->row_place[model->J_rows[k] * TB_LANES] * n + model->J_columns[k]] =
            J[k] * scale[model->J_columns[k]];
    for (long i = 0; i < m; i++) {
        tb_lanes size = largest_entry(A + i * n, 0, n);
        if (tb_any(~(size > 0.0)))
            return 1;
        for (long j = 0; j < n; j++)
            A[i * n + j] /= size;
    }
    return 0;
}

WIDE_INLINED void swap_lane(double *x, double *y, long count, long stride) {
    for (long i = 0; i < count; i++) {
        double kept = x[i * stride * TB_LANES];
        x[i * stride * TB_LANES] = y[i * stride * TB_LANES];
        y[i * stride * TB_LANES] = kept;
    }
}

static void swap_places(int *places, long i, long j, int lane) {
    int kept = places[i * TB_LANES + lane];
    places[i * TB_LANES + lane] = places[j * TB_LANES + lane];
    places[j * TB_LANES + lane] = kept;
}

/* Where all lanes have the same pivot. */
WIDE_INLINED void bring_pivot(tb_at_states *s, long k, long row, long column, long m, long n) {
    tb_lanes *A = (tb_lanes *)s->A;
    for (int lane = 0; lane < TB_LANES; lane++) {
        swap_places(s->rows, k, row, lane);
        swap_places(s->columns, k, column, lane);
    }
    for (long j = 0; j < n && row != k; j++) {
        tb_lanes kept = A[k * n + j];
        A[k * n + j] = A[row * n + j];
        A[row * n + j] = kept;
    }
    for (long i = 0; i < m && column != k; i++) {
        tb_lanes kept = A[i * n + k];
        A[i * n + k] = A[i * n + column];
        A[i * n + column] = kept;
    }
}

WIDE_INLINED void bring_pivots(tb_at_states *s, long k, tb_bits rows, tb_bits columns, long m,
                               long n) {
    if (!tb_any((rows != rows[0]) | (columns != columns[0]))) {
        bring_pivot(s, k, rows[0], columns[0], m, n);
        return;
    }
    s->alike = 0;
    for (int lane = 0; lane < TB_LANES; lane++) {
        double *A = s->A + lane;
        long row = rows[lane], column = columns[lane];
        if (row != k) {
            swap_lane(A + k * n * TB_LANES, A + row * n * TB_LANES, n, 1);
            swap_places(s->rows, k, row, lane);
        }
        if (column != k) {
            swap_lane(A + k * TB_LANES, A + column * TB_LANES, m, n);
            swap_places(s->columns, k, column, lane);
        }
    }
}

/* The largest entry of rows [k, to) and columns [k, n), and the first place where it is. */
WIDE_INLINED tb_lanes find_pivots(const tb_lanes *A, long k, long to, long n, tb_bits *row,
                                  tb_bits *column) {
    tb_lanes best = (tb_lanes){} - 1.0;
    for (long i = k; i < to; i++) {
        tb_lanes largest = largest_entry(A + i * n, k, n);
        tb_bits better = largest > best;
        if (!tb_any(better))
            continue;
        best = tb_chosen(better, largest, best);
        *row = (better & i) | (~better & *row);
        for (long j = n - 1; j >= k; j--) {
            tb_bits here = better & (tb_size(A[i * n + j]) == best);
            *column = (here & j) | (~here & *column);
        }
    }
    return best;
}

/* Pivots from..to among those rows; 1 where a lane has none left. */
WIDE_INLINED int eliminate(tb_at_states *s, long from, long to, long m, long n, double tolerance,
                           tb_lanes *largest) {
    tb_lanes *A = (tb_lanes *)s->A;
    for (long k = from; k < to; k++) {
        tb_bits row = {}, column = {};
        tb_lanes best = find_pivots(A, k, to, n, &row, &column);
        *largest = tb_chosen(best > *largest, best, *largest);
        if (tb_any(~(best > tolerance * *largest)))
            return 1;
        bring_pivots(s, k, row, column, m, n);
        for (long i = k + 1; i < m; i++) {
            tb_lanes ratio = A[i * n + k] / A[k * n + k];
            if (tb_any(ratio != 0.0))
                for (long j = k + 1; j < n; j++)
                    A[i * n + j] -= ratio * A[k * n + j];
        }
    }
    return 0;
}

WIDE int tb_simd_choose(tb_at_states *s) {
    const tb_constrained_model *model = s->one->constrained->model;
    const tb_lanes *J = (const tb_lanes *)s->at_terms + 3 * model->m, *M = J + model->J_count;
    long m = model->m, n = model->n, holonomic = 0;
    tb_lanes largest = {};
    s->alike = 1;
    for (long i = 0; i < m; i++)
        holonomic += model->holonomic[i] != 0;
    scale_columns(s, model, M);
    if (fill_candidates(s, model, J) ||
        eliminate(s, 0, holonomic, m, n, model->rank_tolerance, &largest) ||
        eliminate(s, holonomic, m, m, n, model->rank_tolerance, &largest))
        return 1;
    for (int lane = 0; lane < TB_LANES; lane++) {
        for (long i = 0; i < m; i++)
            s->row_place[s->rows[i * TB_LANES + lane] * TB_LANES + lane] = (int)i;
        for (long j = 0; j < n; j++)
            s->column_place[s->columns[j * TB_LANES + lane] * TB_LANES + lane] = (int)j;
    }
    return 0;
}
