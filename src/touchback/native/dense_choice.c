/* Constraints of small mechanisms: Gaussian elimination with complete pivoting chooses, the same
 * order without pivoting is used until the next choice, and the equations of motion are reduced to
 * the independent coordinates (Wehage and Haug 1982; Docquier 2021, eq. 5-8):
 *
 *   a = [a_v; a_u],  a_v = B a_u + J_v^-1 right,  B = -J_v^-1 J_u,  Z = [B; 1]
 *   (Z^T M Z) a_u = Z^T (f - M [J_v^-1 right; 0])
 *   J_v^T lambda = (M a - f)_v
 */
#include <math.h>
#include <string.h>

#include "constrained.h"

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
            for (long j = k; j < n; j++)
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

void tb_dense_choose(tb_constrained *c, const double *J, double tolerance, long rank_limit) {
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
        double *size = &c->row_size[c->rows[i]];
        for (long j = 0; j < n; j++)
            *size = fmax(*size, fabs(A[i * n + j]));
        for (long j = 0; j < n && *size > 0.0; j++)
            A[i * n + j] /= *size;
    }
    c->position_rank = eliminate(c, 0, first, tolerance, rank_limit, &largest);
    move_behind(c, c->position_rank, first, m);
    long tried = c->position_rank + (m - first);
    c->rank = eliminate(c, c->position_rank, tried, tolerance, rank_limit, &largest);
    /* Where each nonzero of J goes in LU, and each of M in mass. */
    int *column_place = c->pivots;
    for (long j = 0; j < n; j++)
        column_place[c->columns[j]] = (int)j;
    for (long k = 0; k < c->J_count; k++)
        c->J_places[k] = -1;
    for (long i = 0; i < c->rank; i++)
        for (long k = 0; k < c->J_count; k++)
            if (c->J_rows[k] == c->rows[i])
                c->J_places[k] = (int)(i * n + column_place[c->J_columns[k]]);
    memset(c->mass, 0, (size_t)(n * n) * sizeof *c->mass);
    for (long k = 0; k < c->M_count; k++) {
        long i = column_place[c->M_rows[k]], j = column_place[c->M_columns[k]];
        c->M_places[2 * k] = (int)(i * n + j);
        c->M_places[2 * k + 1] = (int)(j * n + i);
    }
}

int tb_dense_factor(tb_constrained *c, const double *J) {
    long n = c->n, r = c->rank;
    double *U = c->LU;
    memset(U, 0, (size_t)(r * n) * sizeof *U);
    for (long k = 0; k < c->J_count; k++)
        if (c->J_places[k] >= 0)
            U[c->J_places[k]] = J[k];
    for (long k = 0; k < r; k++) {
        if (tb_note_pivot(c, k, fabs(U[k * n + k])))
            return 1;
        double inverse = c->inverse_pivot[k] = 1.0 / U[k * n + k];
        for (long i = k + 1; i < r; i++) {
            double ratio = U[i * n + k] *= inverse;
            if (ratio != 0.0)
                for (long j = k + 1; j < n; j++)
                    U[i * n + j] -= ratio * U[k * n + j];
        }
    }
    return 0;
}

/* y <- U_v^-1 L^-1 y over the first r rows. */
static void solve_dependent(const tb_constrained *c, long r, double *y) {
    long n = c->n;
    const double *U = c->LU;
    for (long i = 1; i < r; i++)
        for (long k = 0; k < i; k++)
            y[i] -= U[i * n + k] * y[k];
    for (long i = r - 1; i >= 0; i--) {
        for (long k = i + 1; k < r; k++)
            y[i] -= U[i * n + k] * y[k];
        y[i] *= c->inverse_pivot[i];
    }
}

void tb_dense_correct(tb_constrained *c, const double *residual, int level, double *step) {
    long r = level == TB_POSITION ? c->position_rank : c->rank;
    double *y = c->m_scratch;
    for (long i = 0; i < r; i++)
        y[i] = residual[c->rows[i]];
    solve_dependent(c, r, y);
    memset(step, 0, (size_t)c->n * sizeof *step);
    for (long i = 0; i < r; i++)
        step[c->columns[i]] = y[i];
}

/* B (r x free) and the particular solution y = J_v^-1 right. */
static void nullspace(tb_constrained *c, const double *right, double *y) {
    long n = c->n, r = c->rank, nu = n - r;
    const double *U = c->LU;
    double *B = c->B;
    for (long i = 0; i < r; i++)
        y[i] = right[c->rows[i]];
    solve_dependent(c, r, y);
    for (long i = r - 1; i >= 0; i--) {
        double inverse = c->inverse_pivot[i];
        for (long j = 0; j < nu; j++) {
            double sum = -U[i * n + r + j];
            for (long k = i + 1; k < r; k++)
                sum -= U[i * n + k] * B[k * nu + j];
            B[i * nu + j] = sum * inverse;
        }
    }
}

/* lambda over the kept rows from what they must carry: J_v^T lambda = carried. */
static void multipliers(tb_constrained *c, double *carried, double *lambda) {
    long n = c->n, r = c->rank;
    const double *U = c->LU;
    for (long i = 0; i < r; i++) {
        for (long k = 0; k < i; k++)
            carried[i] -= U[k * n + i] * carried[k];
        carried[i] *= c->inverse_pivot[i];
    }
    for (long i = r - 1; i >= 0; i--)
        for (long k = i + 1; k < r; k++)
            carried[i] -= U[k * n + i] * carried[k];
    memset(lambda, 0, (size_t)c->m * sizeof *lambda);
    for (long i = 0; i < r; i++)
        lambda[c->rows[i]] = carried[i];
}

/* With c->mass (n x n in the order of the choice): T = mass Z, g = f - mass [y; 0]. */
static void project_motion(tb_constrained *c, const double *f, const double *y, double *g) {
    long n = c->n, r = c->rank, nu = n - r;
    const double *A = c->mass, *B = c->B;
    for (long i = 0; i < n; i++) {
        double *T = c->T + i * nu, sum = f[c->columns[i]];
        for (long j = 0; j < nu; j++)
            T[j] = A[i * n + r + j];
        for (long k = 0; k < r; k++) {
            double entry = A[i * n + k];
            sum -= entry * y[k];
            for (long j = 0; j < nu; j++)
                T[j] += entry * B[k * nu + j];
        }
        g[i] = sum;
    }
}

/* reduced = Z^T T and its right side, into the independent part of g. */
static void reduce(tb_constrained *c, double *g) {
    long r = c->rank, nu = c->n - r;
    for (long i = 0; i < nu; i++) {
        for (long j = 0; j < nu; j++) {
            double sum = c->T[(r + i) * nu + j];
            for (long k = 0; k < r; k++)
                sum += c->B[k * nu + i] * c->T[k * nu + j];
            c->reduced[i * nu + j] = sum;
        }
        for (long k = 0; k < r; k++)
            g[r + i] += c->B[k * nu + i] * g[k];
    }
}

/* From the independent accelerations in au: all of them, and the multipliers. */
static void expand(tb_constrained *c, const double *au, const double *y, double *g, double *a,
                   double *lambda) {
    long r = c->rank, nu = c->n - r;
    for (long i = 0; i < r; i++) {
        double sum = y[i], carried = -g[i];
        for (long j = 0; j < nu; j++) {
            sum += c->B[i * nu + j] * au[j];
            carried += c->T[i * nu + j] * au[j];
        }
        a[c->columns[i]] = sum;
        g[i] = carried;
    }
    for (long j = 0; j < nu; j++)
        a[c->columns[r + j]] = au[j];
    multipliers(c, g, lambda);
}

/* Entries that are zero stay so from one choice to the next. */
static void gather_mass(tb_constrained *c, const double *M) {
    for (long k = 0; k < c->M_count; k++)
        c->mass[c->M_places[2 * k]] = c->mass[c->M_places[2 * k + 1]] = M[k];
}

/* Servo-constraints act through W: M Z a_u - W^T lambda = f - M y, an n x n system in
 * (lambda of the kept rows, a_u). Returns 1 when their efforts can't keep the constraints. */
static int solve_servo(tb_constrained *c, const double *W, const double *y, double *g, double *a,
                       double *lambda) {
    long n = c->n, r = c->rank, nu = n - r;
    int *place = c->pivots;
    for (long j = 0; j < n; j++)
        place[c->columns[j]] = (int)j;
    memset(c->A, 0, (size_t)(n * n) * sizeof *c->A);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < nu; j++)
            c->A[i * n + r + j] = c->T[i * nu + j];
    for (long i = 0; i < r; i++)
        for (long k = 0; k < c->W_count; k++)
            if (c->W_rows[k] == c->rows[i])
                c->A[place[c->W_columns[k]] * n + i] = -W[k];
    if (tb_lu_factor(n, c->A, c->pivots))
        return 1;
    tb_lu_solve(n, c->A, c->pivots, g);
    memset(lambda, 0, (size_t)c->m * sizeof *lambda);
    for (long i = 0; i < r; i++) {
        lambda[c->rows[i]] = g[i];
        a[c->columns[i]] = y[i];
        for (long j = 0; j < nu; j++)
            a[c->columns[i]] += c->B[i * nu + j] * g[r + j];
    }
    for (long j = 0; j < nu; j++)
        a[c->columns[r + j]] = g[r + j];
    return 0;
}

/* x <- A^-1 x by L D L^T of the lower triangle, in place. Returns 1 when a pivot isn't positive. */
static int solve_definite(long n, double *A, double *x) {
    for (long k = 0; k < n; k++) {
        if (!(A[k * n + k] > 0.0))
            return 1;
        double inverse = A[k * n + k] = 1.0 / A[k * n + k];
        for (long i = k + 1; i < n; i++) {
            double ratio = A[i * n + k] * inverse;
            for (long j = k + 1; j <= i; j++)
                A[i * n + j] -= ratio * A[j * n + k];
            x[i] -= ratio * x[k];
        }
    }
    for (long i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (long j = i + 1; j < n; j++)
            sum -= A[j * n + i] * x[j];
        x[i] = sum * A[i * n + i];
    }
    return 0;
}

void tb_dense_solve(tb_constrained *c, const double *W, const double *M, const double *f,
                    const double *right, double *a, double *lambda) {
    long r = c->rank, nu = c->n - r;
    double *y = c->m_scratch, *g = c->n_scratch;
    nullspace(c, right, y);
    gather_mass(c, M);
    project_motion(c, f, y, g);
    if (c->W_count && W) {
        if (!solve_servo(c, W, y, g, a, lambda))
            return;
        c->statistics.singular++;
        project_motion(c, f, y, g);
    }
    reduce(c, g);
    if (solve_definite(nu, c->reduced, g + r)) { /* a branch without mass: no acceleration rather than none that is a number */
        c->statistics.singular++;
        memset(g + r, 0, (size_t)nu * sizeof *g);
    }
    expand(c, g + r, y, g, a, lambda);
}

void tb_dense_solve_general(tb_constrained *c, const double *A, const double *f,
                            const double *right, double *a, double *lambda) {
    long n = c->n, r = c->rank, nu = n - r;
    double *y = c->m_scratch, *g = c->n_scratch;
    nullspace(c, right, y);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            c->mass[i * n + j] = A[c->columns[i] * n + c->columns[j]];
    project_motion(c, f, y, g);
    memset(c->mass, 0, (size_t)(n * n) * sizeof *c->mass);
    reduce(c, g);
    if (tb_lu_factor(nu, c->reduced, c->pivots) == 0)
        tb_lu_solve(nu, c->reduced, c->pivots, g + r);
    else {
        c->statistics.singular++;
        memset(g + r, 0, (size_t)nu * sizeof *g);
    }
    expand(c, g + r, y, g, a, lambda);
}
