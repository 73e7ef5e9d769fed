/* Several states at once: as dense_factor.c and dense_solve.c in each lane, whose order of rows and
 * columns may be other than that of others. */
#include "constrained/at_states.h"
#include "constrained/simd.h"

/* L U of J; 1 where a pivot is zero or no number. */
WIDE_INLINED int factor(const tb_at_states *s, const tb_constrained_model *model, const tb_lanes *J,
                        long n, long r) {
    tb_lanes *U = (tb_lanes *)s->A, *inverse_pivot = (tb_lanes *)s->inverse_pivot;
    for (long k = 0; k < r * n; k++)
        U[k] = (tb_lanes){};
    for (long k = 0; k < model->J_count; k++) {
        const int *row = s->row_place + model->J_rows[k] * TB_LANES;
        const int *column = s->column_place + model->J_columns[k] * TB_LANES;
        if (s->alike)
            U[row[0] * n + column[0]] = J[k];
        for (int lane = 0; lane < TB_LANES && !s->alike; lane++)
            s->A[(row[lane] * n + column[lane]) * TB_LANES + lane] = J[k][lane];
    }
    for (long k = 0; k < r; k++) {
        if (tb_any(~(tb_size(U[k * n + k]) > 0.0)))
            return 1;
        tb_lanes inverse = inverse_pivot[k] = 1.0 / U[k * n + k];
        for (long i = k + 1; i < r; i++) {
            tb_lanes ratio = U[i * n + k] *= inverse;
            tb_bits some = (tb_bits)(ratio != 0.0) | -(long)(r <= 2); /* as a state alone */
            for (long j = k + 1; j < n && tb_any(some); j++)
                U[i * n + j] = tb_chosen(some, U[i * n + j] - ratio * U[k * n + j], U[i * n + j]);
        }
    }
    return 0;
}

WIDE_INLINED void nullspace(const tb_at_states *s, long n, long r) {
    const tb_lanes *U = (const tb_lanes *)s->A, *inverse = (const tb_lanes *)s->inverse_pivot;
    tb_lanes *B = (tb_lanes *)s->B;
    long nu = n - r;
    for (long i = r - 1; i >= 0; i--)
        for (long j = 0; j < nu; j++) {
            tb_lanes sum = -U[i * n + r + j];
            for (long k = i + 1; k < r; k++)
                sum -= U[i * n + k] * B[k * nu + j];
            B[i * nu + j] = sum * inverse[i];
        }
}

/* y = J_v^-1 right. */
WIDE_INLINED void particular(const tb_at_states *s, long n, long r) {
    const tb_lanes *U = (const tb_lanes *)s->A, *inverse = (const tb_lanes *)s->inverse_pivot;
    tb_lanes *y = (tb_lanes *)s->y;
    for (long i = 0; i < r; i++)
        y[i] = tb_picked((const tb_lanes *)s->right, s->rows + i * TB_LANES);
    for (long i = 1; i < r; i++)
        for (long k = 0; k < i; k++)
            y[i] -= U[i * n + k] * y[k];
    for (long i = r - 1; i >= 0; i--) {
        for (long k = i + 1; k < r; k++)
            y[i] -= U[i * n + k] * y[k];
        y[i] *= inverse[i];
    }
}

WIDE_INLINED void gather_mass(const tb_at_states *s, const tb_constrained_model *model,
                              const tb_lanes *M, long n) {
    tb_lanes *mass = (tb_lanes *)s->mass;
    for (long k = 0; k < n * n; k++)
        mass[k] = (tb_lanes){};
    for (long k = 0; k < model->M_count; k++) {
        const int *row = s->column_place + model->M_rows[k] * TB_LANES;
        const int *column = s->column_place + model->M_columns[k] * TB_LANES;
        if (s->alike)
            mass[row[0] * n + column[0]] = mass[column[0] * n + row[0]] = M[k];
        for (int lane = 0; lane < TB_LANES && !s->alike; lane++)
            s->mass[(row[lane] * n + column[lane]) * TB_LANES + lane] =
                s->mass[(column[lane] * n + row[lane]) * TB_LANES + lane] = M[k][lane];
    }
}

/* T = mass Z, g = f - mass [y; 0]. */
WIDE_INLINED void project_motion(const tb_at_states *s, const tb_lanes *f, long n, long r) {
    const tb_lanes *A = (const tb_lanes *)s->mass, *B = (const tb_lanes *)s->B;
    const tb_lanes *y = (const tb_lanes *)s->y;
    tb_lanes *g = (tb_lanes *)s->g;
    long nu = n - r;
    for (long i = 0; i < n; i++) {
        tb_lanes *T = (tb_lanes *)s->T + i * nu, sum = tb_picked(f, s->columns + i * TB_LANES);
        for (long j = 0; j < nu; j++)
            T[j] = A[i * n + r + j];
        for (long k = 0; k < r; k++) {
            tb_lanes entry = A[i * n + k];
            sum -= entry * y[k];
            for (long j = 0; j < nu; j++)
                T[j] += entry * B[k * nu + j];
        }
        g[i] = sum;
    }
}

/* reduced = Z^T T and its right side, into the independent part of g. */
WIDE_INLINED void reduce(const tb_at_states *s, long n, long r) {
    const tb_lanes *B = (const tb_lanes *)s->B, *T = (const tb_lanes *)s->T;
    tb_lanes *reduced = (tb_lanes *)s->reduced, *g = (tb_lanes *)s->g;
    long nu = n - r;
    for (long i = 0; i < nu; i++) {
        for (long j = 0; j <= i; j++) { /* the lower triangle is enough */
            tb_lanes sum = T[(r + i) * nu + j];
            for (long k = 0; k < r; k++)
                sum += B[k * nu + i] * T[k * nu + j];
            reduced[i * nu + j] = sum;
        }
        for (long k = 0; k < r; k++)
            g[r + i] += B[k * nu + i] * g[k];
    }
}

/* x <- A^-1 x; 1 where a pivot isn't positive. */
WIDE_INLINED int solve_definite(long n, tb_lanes *A, tb_lanes *x) {
    for (long k = 0; k < n; k++) {
        if (tb_any(~(A[k * n + k] > 0.0)))
            return 1;
        tb_lanes inverse = A[k * n + k] = 1.0 / A[k * n + k];
        for (long i = k + 1; i < n; i++) {
            tb_lanes ratio = A[i * n + k] * inverse;
            for (long j = k + 1; j <= i; j++)
                A[i * n + j] -= ratio * A[j * n + k];
            x[i] -= ratio * x[k];
        }
    }
    for (long i = n - 1; i >= 0; i--) {
        tb_lanes sum = x[i];
        for (long j = i + 1; j < n; j++)
            sum -= A[j * n + i] * x[j];
        x[i] = sum * A[i * n + i];
    }
    return 0;
}

/* From the independent accelerations in the rear of g: all of them, and what rows must carry. */
WIDE_INLINED void expand(const tb_at_states *s, tb_lanes *a, long n, long r) {
    const tb_lanes *B = (const tb_lanes *)s->B, *T = (const tb_lanes *)s->T;
    const tb_lanes *y = (const tb_lanes *)s->y;
    tb_lanes *g = (tb_lanes *)s->g;
    long nu = n - r;
    for (long i = 0; i < r; i++) {
        tb_lanes sum = y[i], carried = -g[i];
        for (long j = 0; j < nu; j++) {
            sum += B[i * nu + j] * g[r + j];
            carried += T[i * nu + j] * g[r + j];
        }
        tb_put(a, s->columns + i * TB_LANES, sum);
        g[i] = carried;
    }
    for (long j = r; j < n; j++)
        tb_put(a, s->columns + j * TB_LANES, g[j]);
}

/* J_v^T lambda = what rows must carry. */
WIDE_INLINED void multipliers(const tb_at_states *s, tb_lanes *lambda, long n, long r) {
    const tb_lanes *U = (const tb_lanes *)s->A, *inverse = (const tb_lanes *)s->inverse_pivot;
    tb_lanes *carried = (tb_lanes *)s->g;
    for (long i = 0; i < r; i++) {
        for (long k = 0; k < i; k++)
            carried[i] -= U[k * n + i] * carried[k];
        carried[i] *= inverse[i];
    }
    for (long i = r - 1; i >= 0; i--) {
        for (long k = i + 1; k < r; k++)
            carried[i] -= U[k * n + i] * carried[k];
        tb_put(lambda, s->rows + i * TB_LANES, carried[i]);
    }
}

WIDE_INLINED int solve(const tb_at_states *s, tb_lanes *a, tb_lanes *lambda, long n, long r) {
    const tb_constrained_model *model = s->one->constrained->model;
    const tb_lanes *J = (const tb_lanes *)s->at_terms + 3 * r, *M = J + model->J_count;
    if (factor(s, model, J, n, r))
        return 1;
    nullspace(s, n, r);
    particular(s, n, r);
    gather_mass(s, model, M, n);
    project_motion(s, M + model->M_count, n, r);
    reduce(s, n, r);
    if (solve_definite(n - r, (tb_lanes *)s->reduced, (tb_lanes *)s->g + r))
        return 1;
    expand(s, a, n, r);
    multipliers(s, lambda, n, r);
    return 0;
}

WIDE int tb_simd_solve(const tb_at_states *s, double *a, double *lambda) {
    const tb_constrained_model *model = s->one->constrained->model;
    return solve(s, (tb_lanes *)a, (tb_lanes *)lambda, model->n, model->m);
}
