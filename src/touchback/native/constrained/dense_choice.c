/* Dependent coordinates of small mechanisms: Gaussian elimination with complete pivoting chooses
 * them (Wehage and Haug 1982); dense_solve.c keeps to its order, without pivoting, until the next
 * choice. */
#ifndef TB_ON_DEVICE
#include <math.h>
#include <string.h>

#include "constrained/constrained.h"
#endif

static void swap_ints(int *values, long i, long j) {
    int kept = values[i];
    values[i] = values[j];
    values[j] = kept;
}

/* The first of the largest entries of a row from a column on: -1 where none is a number. */
static double largest_entry(const double *row, long from, long n, int *column) {
    double best = -1.0;
    long at = from;
    for (long j = from; j < n; j++)
        if (fabs(row[j]) > best)
            best = fabs(row[j]), at = j;
    *column = (int)at;
    return best;
}

static void swap_rows(double *restrict first, double *restrict second, long n) {
    for (long j = 0; j < n; j++) {
        double kept = first[j];
        first[j] = second[j];
        second[j] = kept;
    }
}

static void subtract(double *restrict row, double ratio, const double *restrict pivot_row,
                     long from, long n) {
    for (long j = from; j < n; j++)
        row[j] -= ratio * pivot_row[j];
}

/* Pivots from..rank among rows [from, to) of the candidates; returns the new rank. The largest
 * entry of each of these rows is kept with its column, and looked for again only where the row
 * changes or that column is taken: most entries of J are zero, and most rows stay as they are. */
static long eliminate(const tb_constrained_model *model, tb_constrained_work *work, long from,
                      long to, double tolerance, long limit, double *largest) {
    long n = model->n, m = model->m;
    double *A = work->candidates, *size = work->m_scratch;
    int *column = work->dropped; /* which is filled later */
    for (long i = from; i < to; i++)
        size[i] = largest_entry(A + i * n, from, n, column + i);
    for (long k = from; k < to && k < n && k < limit; k++) {
        long best_row = k;
        double best = -1.0;
        for (long i = k; i < to; i++)
            if (size[i] > best)
                best = size[i], best_row = i;
        long best_column = best > -1.0 ? column[best_row] : k;
        if (best > *largest)
            *largest = best;
        if (!(best > tolerance * *largest))
            return k;
        work->chosen_size[k] = best / *largest;
        swap_ints(work->rows, k, best_row);
        swap_ints(work->columns, k, best_column);
        if (best_row != k) {
            swap_rows(A + k * n, A + best_row * n, n);
            size[best_row] = size[k], column[best_row] = column[k];
        }
        for (long i = 0; i < m && best_column != k; i++) {
            double kept = A[i * n + k];
            A[i * n + k] = A[i * n + best_column];
            A[i * n + best_column] = kept;
        }
        for (long i = k + 1; i < m; i++) {
            double ratio = A[i * n + k] / A[k * n + k];
            if (ratio != 0.0)
                subtract(A + i * n, ratio, A + k * n, k, n);
            if (i < to && (ratio != 0.0 || column[i] == k || column[i] == best_column))
                size[i] = largest_entry(A + i * n, k + 1, n, column + i);
        }
    }
    long most = to < n ? to : n;
    return most < limit ? most : limit;
}

/* Rows of zero entries below the rank go behind those that are tried next. */
static void move_behind(const tb_constrained_model *model, tb_constrained_work *work, long from,
                        long to, long count) {
    /* rows [from, to) are redundant; bring rows [to, count) before them */
    double *A = work->candidates;
    long n = model->n, at = from;
    for (long i = to; i < count; i++, at++) {
        swap_ints(work->rows, at, i);
        if (at != i)
            swap_rows(A + at * n, A + i * n, n);
    }
}

TB_DEVICE void tb_dense_choose(const tb_constrained_model *model, tb_constrained_work *work,
                               const double *J, double tolerance, long rank_limit) {
    long n = model->n, m = model->m, first = 0, last = m;
    int *place = work->pivots; /* of each row among the candidates */
    double *A = work->candidates, largest = 0.0;
    for (long i = 0; i < m; i++) {
        place[i] = (int)(model->holonomic[i] ? first++ : --last);
        work->rows[place[i]] = (int)i;
    }
    memset(A, 0, (size_t)(m * n) * sizeof *A);
    for (long j = 0; j < n; j++)
        work->columns[j] = (int)j;
    for (long k = 0; k < model->J_count; k++)
        A[place[model->J_rows[k]] * n + model->J_columns[k]] =
            J[k] * work->scale[model->J_columns[k]];
    for (long i = 0; i < m; i++) {
        double size = work->row_size[work->rows[i]];
        for (long j = 0; j < n; j++)
            size = fabs(A[i * n + j]) > size ? fabs(A[i * n + j]) : size;
        for (long j = 0; j < n && size > 0.0; j++)
            A[i * n + j] /= size;
        work->row_size[work->rows[i]] = size;
    }
    work->position_rank = eliminate(model, work, 0, first, tolerance, rank_limit, &largest);
    move_behind(model, work, work->position_rank, first, m);
    long tried = work->position_rank + (m - first);
    work->rank =
        eliminate(model, work, work->position_rank, tried, tolerance, rank_limit, &largest);
}

TB_DEVICE void tb_dense_places(const tb_constrained_model *model, tb_constrained_work *work) {
    long n = model->n, m = model->m;
    int *column_place = work->pivots, *row_place = work->dropped; /* which is filled later */
    for (long j = 0; j < n; j++)
        column_place[work->columns[j]] = (int)j;
    for (long i = 0; i < m; i++)
        row_place[work->rows[i]] = (int)i;
    for (long k = 0; k < model->J_count; k++) {
        long i = row_place[model->J_rows[k]]; /* rows left out go behind the matrix: of no use */
        work->J_places[k] =
            (int)(i < work->rank ? i * n + column_place[model->J_columns[k]] : m * n);
    }
    memset(work->mass, 0, (size_t)(n * n) * sizeof *work->mass);
    for (long k = 0; k < model->M_count; k++) {
        long i = column_place[model->M_rows[k]], j = column_place[model->M_columns[k]];
        work->M_places[2 * k] = (int)(i * n + j);
        work->M_places[2 * k + 1] = (int)(j * n + i);
    }
}
