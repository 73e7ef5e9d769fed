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

/* Pivots from..rank among rows [from, to) of the candidates; returns the new rank. */
static long eliminate(tb_constrained *c, long from, long to, double tolerance, long limit,
                      double *largest) {
    long n = c->n;
    double *A = c->candidates;
    for (long k = from; k < to && k < n && k < limit; k++) {
        long best_row = k, best_column = k;
        double best = -1.0;
        for (long i = k; i < to; i++)
            for (long j = k; j < n; j++)
                if (fabs(A[i * n + j]) > best)
                    best = fabs(A[i * n + j]), best_row = i, best_column = j;
        if (best > *largest)
            *largest = best;
        if (!(best > tolerance * *largest))
            return k;
        c->chosen_size[k] = best / *largest;
        swap_ints(c->rows, k, best_row);
        swap_ints(c->columns, k, best_column);
        for (long j = 0; j < n && best_row != k; j++) {
            double kept = A[k * n + j];
            A[k * n + j] = A[best_row * n + j];
            A[best_row * n + j] = kept;
        }
        for (long i = 0; i < c->m && best_column != k; i++) {
            double kept = A[i * n + k];
            A[i * n + k] = A[i * n + best_column];
            A[i * n + best_column] = kept;
        }
        for (long i = k + 1; i < c->m; i++) {
            double ratio = A[i * n + k] / A[k * n + k];
            for (long j = k; j < n && ratio != 0.0; j++)
                A[i * n + j] -= ratio * A[k * n + j];
        }
    }
    long most = to < n ? to : n;
    return most < limit ? most : limit;
}

/* Rows of zero entries below the rank go behind those that are tried next. */
static void move_behind(tb_constrained *c, long from, long to, long count) {
    /* rows [from, to) are redundant; bring rows [to, count) before them */
    double *A = c->candidates;
    long n = c->n, at = from;
    for (long i = to; i < count; i++, at++) {
        swap_ints(c->rows, at, i);
        for (long j = 0; j < n; j++) {
            double kept = A[at * n + j];
            A[at * n + j] = A[i * n + j];
            A[i * n + j] = kept;
        }
    }
}

TB_DEVICE void tb_dense_choose(tb_constrained *c, const double *J, double tolerance,
                               long rank_limit) {
    long n = c->n, m = c->m, first = 0, last = m;
    int *place = c->pivots; /* of each row among the candidates */
    double *A = c->candidates, largest = 0.0;
    for (long i = 0; i < m; i++) {
        place[i] = (int)(c->holonomic[i] ? first++ : --last);
        c->rows[place[i]] = (int)i;
    }
    memset(A, 0, (size_t)(m * n) * sizeof *A);
    for (long j = 0; j < n; j++)
        c->columns[j] = (int)j;
    for (long k = 0; k < c->J_count; k++)
        A[place[c->J_rows[k]] * n + c->J_columns[k]] = J[k] * c->scale[c->J_columns[k]];
    for (long i = 0; i < m; i++) {
        double size = c->row_size[c->rows[i]];
        for (long j = 0; j < n; j++)
            size = fabs(A[i * n + j]) > size ? fabs(A[i * n + j]) : size;
        for (long j = 0; j < n && size > 0.0; j++)
            A[i * n + j] /= size;
        c->row_size[c->rows[i]] = size;
    }
    c->position_rank = eliminate(c, 0, first, tolerance, rank_limit, &largest);
    move_behind(c, c->position_rank, first, m);
    long tried = c->position_rank + (m - first);
    c->rank = eliminate(c, c->position_rank, tried, tolerance, rank_limit, &largest);
}

TB_DEVICE void tb_dense_places(tb_constrained *c) {
    long n = c->n, m = c->m;
    int *column_place = c->pivots, *row_place = c->dropped; /* which is filled later */
    for (long j = 0; j < n; j++)
        column_place[c->columns[j]] = (int)j;
    for (long i = 0; i < m; i++)
        row_place[c->rows[i]] = (int)i;
    for (long k = 0; k < c->J_count; k++) {
        long i = row_place[c->J_rows[k]]; /* rows left out go behind the matrix: of no use */
        c->J_places[k] = (int)(i < c->rank ? i * n + column_place[c->J_columns[k]] : m * n);
    }
    memset(c->mass, 0, (size_t)(n * n) * sizeof *c->mass);
    for (long k = 0; k < c->M_count; k++) {
        long i = column_place[c->M_rows[k]], j = column_place[c->M_columns[k]];
        c->M_places[2 * k] = (int)(i * n + j);
        c->M_places[2 * k + 1] = (int)(j * n + i);
    }
}
