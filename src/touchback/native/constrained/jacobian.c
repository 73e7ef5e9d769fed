/* The Jacobian of the rate of a mechanism with constraints, for implicit methods. With the
 * accelerations and multipliers that solve the equations of motion, their derivatives solve
 *
 *   M da - W^T dlambda = -d(M a - f - W^T lambda),   J da = -d(J a + gamma)
 *
 * with the same matrix and the same rows, where d on the right is by the state alone: generated
 * functions give it, the "slopes". One solution a column of the Jacobian; nothing is differenced.
 *
 * With partitioning the rate is that of the consistent state: a change of an independent coordinate
 * carries the dependent ones along, a change of a dependent one has no effect.
 */
#include <string.h>

#include "constrained/formulations.h"
#include "integrate/newton.h"
#include "linear/dense.h"

/* The blocks of a stack: dq/dt (nq), M a - f - W^T lambda (n), h (m), J v - b (m), J a + gamma (m),
 * dz/dt (nz). */
static double *effort(const tb_constrained *c, double *stack) {
    return stack + c->nq;
}
static double *position(const tb_constrained *c, double *stack) {
    return stack + c->nq + c->n;
}
static double *speed(const tb_constrained *c, double *stack) {
    return position(c, stack) + c->m;
}
static double *acceleration(const tb_constrained *c, double *stack) {
    return speed(c, stack) + c->m;
}
static double *states(const tb_constrained *c, double *stack) {
    return acceleration(c, stack) + c->m;
}

/* What changes with an element of the state, `times` over, is added to a stack. */
static void add(const tb_rate_derivatives *s, long element, double times, double *stack) {
    for (long k = s->starts[element]; k < s->starts[element + 1]; k++)
        stack[s->rows[k]] += times * s->values[k];
}

/* The slopes where the rate at x is evaluated, whose terms, solution and factors stay with c. */
static tb_constrained *evaluate(const tb_rate_derivatives *s, const double *x, const double *u,
                                const double *p) {
    const tb_problem *problem = s->problem;
    const tb_callable *rate = &problem->rate;
    tb_constrained *c = problem->constrained;
    long size = tb_state_size(problem);
    rate->call(x, u, problem->p, s->column, rate->work, rate->context);
    problem->newton->evaluations++;
    memcpy(s->u, u, (size_t)s->input_count * sizeof *u);
    memcpy(s->u + s->input_count, c->a, (size_t)c->n * sizeof *u);
    tb_active_multipliers(c, c->lambda, s->u + s->input_count + c->n);
    s->slopes.call(c->x, s->u, p, s->values, s->slopes.work, s->slopes.context);
    memset(s->stacks, 0, (size_t)(size * s->row_count) * sizeof *s->stacks);
    for (long k = 0; k < size; k++)
        add(s, k, 1.0, s->stacks + k * s->row_count);
    return c;
}

/* LU of [[M, -W^T], [J, 0]] over the kept rows. Returns 0 when it has none: a branch without mass,
 * servo-constraints that can't be kept. */
static int factor(const tb_rate_derivatives *s, tb_constrained *c) {
    long n = c->n, size = n + c->rank;
    const double *M = tb_terms_M(c), *J = tb_terms_J(c), *W = c->W_count ? tb_terms_W(c) : J;
    const int *W_rows = c->W_count ? c->W_rows : c->J_rows;
    const int *W_columns = c->W_count ? c->W_columns : c->J_columns;
    int *place = s->pivots; /* of each row */
    memset(s->matrix, 0, (size_t)(size * size) * sizeof *s->matrix);
    for (long i = 0; i < c->m; i++)
        place[c->rows[i]] = i < c->rank ? (int)(n + i) : -1;
    for (long k = 0; k < c->M_count; k++) {
        s->matrix[c->M_rows[k] * size + c->M_columns[k]] = M[k];
        s->matrix[c->M_columns[k] * size + c->M_rows[k]] = M[k];
    }
    for (long k = 0; k < c->J_count; k++)
        if (place[c->J_rows[k]] >= 0)
            s->matrix[place[c->J_rows[k]] * size + c->J_columns[k]] = J[k];
    for (long k = 0; k < (c->W_count ? c->W_count : c->J_count); k++)
        if (place[W_rows[k]] >= 0)
            s->matrix[W_columns[k] * size + place[W_rows[k]]] = -W[k];
    return tb_lu_factor(size, s->matrix, s->pivots) == 0;
}

/* Accelerations a with M a - W^T lambda = s->right, J a = c->right. Many loops are factored
 * already, by the rate. */
static void solve(const tb_rate_derivatives *s, tb_constrained *c, int factored, double *a) {
    const tb_sparse *many = c->sparse;
    long n = c->n;
    if (many) {
        double *x = many->motion_scratch;
        for (long j = 0; j < n; j++)
            x[many->coordinate_place[j]] = s->right[j];
        for (long i = 0; i < c->m; i++)
            x[many->row_place[i]] = c->dropped[i] ? 0.0 : c->right[i];
        tb_ldl_solve(&many->motion, x);
        for (long j = 0; j < n; j++)
            a[j] = x[many->coordinate_place[j]];
    } else if (factored) {
        for (long i = 0; i < c->rank; i++)
            s->right[n + i] = c->right[c->rows[i]];
        tb_lu_solve(n + c->rank, s->matrix, s->pivots, s->right);
        memcpy(a, s->right, (size_t)n * sizeof *a);
    } else
        tb_solve(c, tb_terms_J(c), tb_terms_W(c), tb_terms_M(c), s->right, c->right, a, c->mu);
}

/* The Jacobian from the stacks; pulled as baumgarte.c does. */
static void fill(const tb_rate_derivatives *s, tb_constrained *c, int pulled, double *out) {
    long size = c->nq + c->n + c->nz;
    tb_constraint_statistics kept = c->statistics; /* its counts are those of motion */
    int factored = !c->sparse && factor(s, c);
    for (long k = 0; k < size; k++) {
        double *stack = s->stacks + k * s->row_count, *column = s->column;
        for (long j = 0; j < c->n; j++)
            s->right[j] = -effort(c, stack)[j];
        for (long i = 0; i < c->m; i++) {
            c->right[i] = -acceleration(c, stack)[i];
            if (pulled)
                c->right[i] -= c->alpha * speed(c, stack)[i] * (c->holonomic[i] ? 2.0 : 1.0) +
                               c->beta * c->beta * position(c, stack)[i];
        }
        memcpy(column, stack, (size_t)c->nq * sizeof *column);
        solve(s, c, factored, column + c->nq);
        memcpy(column + c->nq + c->n, states(c, stack), (size_t)c->nz * sizeof *column);
        for (long i = 0; i < size; i++)
            out[i * size + k] = column[i];
    }
    c->statistics = kept;
}

/* c->step: the change of coordinates that takes the change of constraints away, as partitioning.c
 * takes it: of the dependent ones, near a singular position of all. Returns 0 when none changed. */
static int settle(tb_constrained *c, const double *changed, int level, int spread) {
    int any = 0;
    for (long i = 0; i < c->m; i++) {
        c->residual[i] = -changed[i];
        any |= changed[i] != 0.0;
    }
    if (any && spread)
        tb_solve(c, tb_terms_J(c), NULL, tb_terms_M(c), c->no_force, c->residual, c->step, c->mu);
    else if (any)
        tb_correct(c, tb_terms_J(c), c->residual, level, c->step);
    return any;
}

/* Adds what changes with the positions when they move by c->step, an increment in velocities. */
static void add_increment(const tb_rate_derivatives *s, const tb_constrained *c, double *stack) {
    double *dq = s->column;
    memset(dq, 0, (size_t)c->nq * sizeof *dq);
    for (long j = 0; j < c->n; j++)
        for (long k = s->starts[c->nq + j]; k < s->starts[c->nq + j + 1]; k++)
            if (s->rows[k] < c->nq) /* dq/dt by a velocity */
                dq[s->rows[k]] += s->values[k] * c->step[j];
    for (long i = 0; i < c->nq; i++)
        if (dq[i] != 0.0)
            add(s, i, dq[i], stack);
}

/* Every change of the state is followed by what keeps h = 0 and J v = b. */
static void keep_consistent(const tb_rate_derivatives *s, tb_constrained *c) {
    long size = c->nq + c->n + c->nz;
    int spread = c->truncated || tb_smallest_pivot(c) < TB_NEARLY_SINGULAR;
    if (c->sparse)
        tb_factor(c, tb_terms_J(c), TB_POSITION);
    for (long k = 0; k < size; k++) {
        double *stack = s->stacks + k * s->row_count;
        if (settle(c, position(c, stack), TB_POSITION, spread))
            add_increment(s, c, stack);
    }
    if (c->sparse)
        tb_factor(c, tb_terms_J(c), TB_VELOCITY);
    for (long k = 0; k < size; k++) {
        double *stack = s->stacks + k * s->row_count;
        if (settle(c, speed(c, stack), TB_VELOCITY, spread))
            for (long j = 0; j < c->n; j++)
                if (c->step[j] != 0.0)
                    add(s, c->nq + j, c->step[j], stack);
    }
}

void tb_partitioning_jacobian(const double *x, const double *u, const double *p, double *out,
                              double *work, const void *context) {
    const tb_rate_derivatives *s = context;
    (void)work;
    tb_constrained *c = evaluate(s, x, u, p);
    keep_consistent(s, c);
    fill(s, c, 0, out);
}

void tb_multipliers_jacobian(const double *x, const double *u, const double *p, double *out,
                             double *work, const void *context) {
    const tb_rate_derivatives *s = context;
    (void)work;
    fill(s, evaluate(s, x, u, p), 0, out);
}

void tb_baumgarte_jacobian(const double *x, const double *u, const double *p, double *out,
                           double *work, const void *context) {
    const tb_rate_derivatives *s = context;
    (void)work;
    fill(s, evaluate(s, x, u, p), 1, out);
}
