/* Exact impulses of planar contacts by Lemke's pivoting.
 *
 * With p_t = f - b and the speed of slipping g, the laws are the linear complementarity problem of
 * D. E. Stewart and J. C. Trinkle (1996), whose matrix is copositive, so that Lemke's method ends
 * with a solution:
 *
 *   u_n      =  G_nn p_n + G_nt (f - b) + c_n          >= 0  _|_  p_n >= 0
 *   u_t + g  =  G_tn p_n + G_tt (f - b) + c_t + g      >= 0  _|_  f >= 0
 *   g - u_t  = -G_tn p_n - G_tt (f - b) - c_t + g      >= 0  _|_  b >= 0
 *   left     =  coefficient p_n - f - b                >= 0  _|_  g >= 0
 *
 * Which unknowns are in the basis at the end tells which contacts are closed and what slips; the
 * impulses are then solved anew from G, so that pivoting leaves no rounding in them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/problem.h"
#include "linear/full_pivoting.h"

static const double SMALL_PIVOT = 1e-11, REDUNDANT = 1e-12, NOTHING = 1e-13, TIE = 1e-12,
                    WRONG = 1e-9;

/* Rows of [w, z, z0, q]: w - M z - z0 = q, with z = [p_n, f, b, g]. */
static void fill(const tb_contact_problem *q, const double *G, long size, double *T) {
    long width = 2 * size + 2, C = q->contacts, N = q->groups;
    memset(T, 0, (size_t)(size * width) * sizeof *T);
    for (long i = 0; i < size; i++) {
        T[i * width + i] = 1.0;
        T[i * width + 2 * size] = -1.0;
    }
    for (long i = 0; i < C + 2 * N; i++) {
        double sign = i < C + N ? 1.0 : -1.0, *line = T + i * width + size;
        int row = i < C ? q->normals[i] : q->group_rows[2 * ((i - C) % N)];
        T[i * width + 2 * size + 1] = sign * q->c[row];
        for (long j = 0; j < C; j++)
            line[j] = -sign * G[row * q->rows + q->normals[j]];
        for (long g = 0; g < N; g++) {
            double entry = sign * G[row * q->rows + q->group_rows[2 * g]];
            line[C + g] = -entry;
            line[C + N + g] = entry;
        }
        if (i >= C)
            line[C + 2 * N + (i - C) % N] = -1.0;
    }
    for (long g = 0; g < N; g++) {
        double *line = T + (C + 2 * N + g) * width + size;
        line[q->group_contact[g]] = -q->coefficient[g];
        line[C + g] = line[C + N + g] = 1.0;
    }
}

static void pivot(double *T, long size, long row, long column) {
    long width = 2 * size + 2;
    double *here = T + row * width, inverse = 1.0 / here[column];
    for (long j = 0; j < width; j++)
        here[j] *= inverse;
    for (long i = 0; i < size; i++) {
        double factor = T[i * width + column];
        if (i == row || factor == 0.0)
            continue;
        for (long j = 0; j < width; j++)
            T[i * width + j] -= factor * here[j];
    }
}

/* The row that leaves when a column enters: the least ratio, z0 where it is among the least but for
 * rounding; -1: a ray. */
static long leaving(const double *T, const int *basis, long size, long column) {
    long width = 2 * size + 2, best = -1, end = -1;
    double least = INFINITY, last = INFINITY;
    for (long i = 0; i < size; i++) {
        double entry = T[i * width + column];
        if (entry <= SMALL_PIVOT)
            continue;
        double ratio = T[i * width + 2 * size + 1] / entry;
        if (basis[i] == 2 * size) {
            end = i;
            last = ratio;
        }
        if (ratio < least) {
            least = ratio;
            best = i;
        }
    }
    return end >= 0 && last <= least + TIE * (fabs(least) + fabs(last)) ? end : best;
}

/* Brings the basis to a complementary one; returns the pivots, or -1. */
static long complement(double *T, int *basis, long size) {
    long width = 2 * size + 2, row = 0;
    for (long i = 0; i < size; i++) {
        basis[i] = (int)i;
        if (T[i * width + 2 * size + 1] < T[row * width + 2 * size + 1])
            row = i;
    }
    if (T[row * width + 2 * size + 1] >= 0.0)
        return 0;
    long column = 2 * size;
    for (long count = 1; count <= 50 * size; count++) {
        int left = basis[row];
        pivot(T, size, row, column);
        basis[row] = (int)column;
        if (left == 2 * size)
            return count;
        column = left < size ? left + size : left - size;
        row = leaving(T, basis, size, column);
        if (row < 0)
            return -1;
    }
    return -1;
}

/* Impulses with u_n = 0 in closed contacts and u_t = 0 in what sticks, solved from G. */
static void resolve(const tb_contact_problem *q, const int *in, tb_contact_memory *m, double *p) {
    long C = q->contacts, N = q->groups, n = q->rows, count = 0;
    memset(m->spread, 0, (size_t)(n * n) * sizeof *m->spread);
    for (long i = 0; i < C; i++) {
        if (!in[i])
            continue;
        double *column = m->spread + count * n;
        column[q->normals[i]] = 1.0;
        m->held[count++] = q->normals[i];
        for (long g = 0; g < N; g++) {
            int slips = in[C + 2 * N + g], forward = in[C + N + g], t = q->group_rows[2 * g];
            if (q->group_contact[g] != i)
                continue;
            if (slips)
                column[t] = forward ? -q->coefficient[g] : q->coefficient[g];
            else {
                m->spread[count * n + t] = 1.0;
                m->held[count++] = t;
            }
        }
    }
    for (long i = 0; i < count; i++) {
        m->right[i] = -q->c[m->held[i]];
        for (long k = 0; k < count; k++) {
            double sum = 0.0;
            for (long j = q->starts[m->held[i]]; j < q->starts[m->held[i] + 1]; j++)
                sum += q->G[j] * m->spread[k * n + q->columns[j]];
            m->matrix[i * count + k] = sum;
        }
    }
    long rank = tb_full_factor(count, m->matrix, m->order, m->columns, REDUNDANT);
    tb_full_solve(count, rank, m->matrix, m->order, m->columns, m->right, m->found);
    memset(p, 0, (size_t)n * sizeof *p);
    for (long k = 0; k < count; k++)
        for (long j = 0; j < n; j++)
            p[j] += m->spread[k * n + j] * m->found[k];
}

/* By how much p breaks the laws, as a part of the largest velocity or impulse. */
static double broken(const tb_contact_problem *q, const double *p) {
    double speed = DBL_MIN, size = DBL_MIN, worst = 0.0;
    for (long i = 0; i < q->rows; i++) {
        speed = fmax(speed, fabs(q->c[i]));
        size = fmax(size, fabs(p[i]));
    }
    for (long i = 0; i < q->contacts; i++) {
        double u = tb_contact_velocity(q, q->normals[i], p), force = p[q->normals[i]];
        worst = fmax(worst, fmax(-u / speed, -force / size));
        worst = fmax(worst, fmin(u / speed, force / size));
    }
    for (long g = 0; g < q->groups; g++) {
        double limit = q->coefficient[g] * p[q->normals[q->group_contact[g]]];
        worst = fmax(worst, (fabs(p[q->group_rows[2 * g]]) - limit) / size);
    }
    return worst;
}

long tb_lemke(const tb_contact_problem *q, double *p, tb_contact_memory *m) {
    long size = q->contacts + 3 * q->groups, width = 2 * size + 2;
    if (size > m->size || q->rows > m->rows)
        return -1;
    memset(m->spread, 0, (size_t)(q->rows * q->rows) * sizeof *m->spread);
    for (long i = 0; i < q->rows; i++)
        for (long k = q->starts[i]; k < q->starts[i + 1]; k++)
            m->spread[i * q->rows + q->columns[k]] = q->G[k];
    fill(q, m->spread, size, m->tableau);
    long pivots = complement(m->tableau, m->basis, size);
    if (pivots < 0)
        return -1;
    int *in = m->basis + size; /* of each z: whether it is in the basis and not just zero */
    double largest = 0.0;
    memset(in, 0, (size_t)size * sizeof *in);
    for (long i = 0; i < size; i++)
        largest = fmax(largest, m->tableau[i * width + 2 * size + 1]);
    for (long i = 0; i < size; i++)
        if (m->basis[i] >= size && m->basis[i] < 2 * size)
            in[m->basis[i] - size] = m->tableau[i * width + 2 * size + 1] > NOTHING * largest;
    resolve(q, in, m, m->trial);
    if (!(broken(q, m->trial) <= WRONG))
        return -1;
    memcpy(p, m->trial, (size_t)q->rows * sizeof *p);
    return pivots;
}
