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
static double *effort(const tb_constrained_model *model, double *stack) {
    return stack + model->nq;
}
static double *position(const tb_constrained_model *model, double *stack) {
    return stack + model->nq + model->n;
}
static double *speed(const tb_constrained_model *model, double *stack) {
    return position(model, stack) + model->m;
}
static double *acceleration(const tb_constrained_model *model, double *stack) {
    return speed(model, stack) + model->m;
}
static double *states(const tb_constrained_model *model, double *stack) {
    return acceleration(model, stack) + model->m;
}

/* What changes with an element of the state, `times` over, is added to a stack. */
static void add(const tb_rate_derivatives *s, long element, double times, double *stack) {
    for (long k = s->starts[element]; k < s->starts[element + 1]; k++)
        stack[s->rows[k]] += times * s->values[k];
}

/* The slopes where the rate at x is evaluated, whose terms, solution and factors stay in the
 * workspace. */
static void evaluate(const tb_rate_derivatives *s, const double *x, const double *u,
                     const double *p) {
    const tb_problem *problem = s->problem;
    const tb_callable *rate = &problem->rate;
    const tb_constrained_model *model = problem->constrained->model;
    tb_constrained_work *work = problem->constrained->work;
    long size = tb_state_size(problem);
    rate->call(x, u, problem->p, s->column, rate->work, rate->context);
    problem->newton->evaluations++;
    memcpy(s->u, u, (size_t)s->input_count * sizeof *u);
    memcpy(s->u + s->input_count, work->a, (size_t)model->n * sizeof *u);
    tb_active_multipliers(model, work, work->lambda, s->u + s->input_count + model->n);
    s->slopes.call(work->x, s->u, p, s->values, s->slopes.work, s->slopes.context);
    memset(s->stacks, 0, (size_t)(size * s->row_count) * sizeof *s->stacks);
    for (long k = 0; k < size; k++)
        add(s, k, 1.0, s->stacks + k * s->row_count);
}

/* LU of [[M, -W^T], [J, 0]] over the kept rows. Returns 0 when it has none: a branch without mass,
 * servo-constraints that can't be kept. */
static int factor(const tb_rate_derivatives *s, const tb_constrained_model *model,
                  tb_constrained_work *work) {
    long n = model->n, size = n + work->rank;
    const double *M = tb_terms_M(model, work), *J = tb_terms_J(model, work),
                 *W = model->W_count ? tb_terms_W(model, work) : J;
    const int *W_rows = model->W_count ? model->W_rows : model->J_rows;
    const int *W_columns = model->W_count ? model->W_columns : model->J_columns;
    int *place = s->pivots; /* of each row */
    memset(s->matrix, 0, (size_t)(size * size) * sizeof *s->matrix);
    for (long i = 0; i < model->m; i++)
        place[work->rows[i]] = i < work->rank ? (int)(n + i) : -1;
    for (long k = 0; k < model->M_count; k++) {
        s->matrix[model->M_rows[k] * size + model->M_columns[k]] = M[k];
        s->matrix[model->M_columns[k] * size + model->M_rows[k]] = M[k];
    }
    for (long k = 0; k < model->J_count; k++)
        if (place[model->J_rows[k]] >= 0)
            s->matrix[place[model->J_rows[k]] * size + model->J_columns[k]] = J[k];
    for (long k = 0; k < (model->W_count ? model->W_count : model->J_count); k++)
        if (place[W_rows[k]] >= 0)
            s->matrix[W_columns[k] * size + place[W_rows[k]]] = -W[k];
    return tb_lu_factor(size, s->matrix, s->pivots) == 0;
}

/* Accelerations a with M a - W^T lambda = s->right, J a = work->right. Many loops are factored
 * already, by the rate. */
static void solve(const tb_rate_derivatives *s, const tb_constrained_model *model,
                  tb_constrained_work *work, int factored, double *a) {
    const tb_sparse *many = model->sparse;
    const tb_sparse_work *own = work->sparse;
    long n = model->n;
    if (many) {
        double *x = own->motion_scratch;
        for (long j = 0; j < n; j++)
            x[many->coordinate_place[j]] = s->right[j];
        for (long i = 0; i < model->m; i++)
            x[many->row_place[i]] = work->dropped[i] ? 0.0 : work->right[i];
        tb_ldl_solve(&many->motion, own->motion_values, x);
        for (long j = 0; j < n; j++)
            a[j] = x[many->coordinate_place[j]];
    } else if (factored) {
        for (long i = 0; i < work->rank; i++)
            s->right[n + i] = work->right[work->rows[i]];
        tb_lu_solve(n + work->rank, s->matrix, s->pivots, s->right);
        memcpy(a, s->right, (size_t)n * sizeof *a);
    } else
        tb_solve(model, work, tb_terms_J(model, work), tb_terms_W(model, work),
                 tb_terms_M(model, work), s->right, work->right, a, work->mu);
}

/* The Jacobian from the stacks; pulled as baumgarte.c does. */
static void fill(const tb_rate_derivatives *s, int pulled, double *out) {
    const tb_constrained_model *model = s->problem->constrained->model;
    tb_constrained_work *work = s->problem->constrained->work;
    long size = model->nq + model->n + model->nz;
    tb_constraint_statistics kept = work->statistics; /* its counts are those of motion */
    int factored = !model->sparse && factor(s, model, work);
    for (long k = 0; k < size; k++) {
        double *stack = s->stacks + k * s->row_count, *column = s->column;
        for (long j = 0; j < model->n; j++)
            s->right[j] = -effort(model, stack)[j];
        for (long i = 0; i < model->m; i++) {
            work->right[i] = -acceleration(model, stack)[i];
            if (pulled)
                work->right[i] -=
                    model->alpha * speed(model, stack)[i] * (model->holonomic[i] ? 2.0 : 1.0) +
                    model->beta * model->beta * position(model, stack)[i];
        }
        memcpy(column, stack, (size_t)model->nq * sizeof *column);
        solve(s, model, work, factored, column + model->nq);
        memcpy(column + model->nq + model->n, states(model, stack),
               (size_t)model->nz * sizeof *column);
        for (long i = 0; i < size; i++)
            out[i * size + k] = column[i];
    }
    work->statistics = kept;
}

/* work->step: the change of coordinates that takes the change of constraints away, as
 * partitioning.c takes it: of the dependent ones, near a singular position of all. Returns 0 when
 * none changed. */
static int settle(const tb_constrained_model *model, tb_constrained_work *work,
                  const double *changed, int level, int spread) {
    int any = 0;
    for (long i = 0; i < model->m; i++) {
        work->residual[i] = -changed[i];
        any |= changed[i] != 0.0;
    }
    if (any && spread)
        tb_solve(model, work, tb_terms_J(model, work), NULL, tb_terms_M(model, work),
                 work->no_force, work->residual, work->step, work->mu);
    else if (any)
        tb_correct(model, work, tb_terms_J(model, work), work->residual, level, work->step);
    return any;
}

/* Adds what changes with the positions when they move by work->step, an increment in velocities. */
static void add_increment(const tb_rate_derivatives *s, const tb_constrained_model *model,
                          const tb_constrained_work *work, double *stack) {
    double *dq = s->column;
    memset(dq, 0, (size_t)model->nq * sizeof *dq);
    for (long j = 0; j < model->n; j++)
        for (long k = s->starts[model->nq + j]; k < s->starts[model->nq + j + 1]; k++)
            if (s->rows[k] < model->nq) /* dq/dt by a velocity */
                dq[s->rows[k]] += s->values[k] * work->step[j];
    for (long i = 0; i < model->nq; i++)
        if (dq[i] != 0.0)
            add(s, i, dq[i], stack);
}

/* Every change of the state is followed by what keeps h = 0 and J v = b. */
static void keep_consistent(const tb_rate_derivatives *s) {
    const tb_constrained_model *model = s->problem->constrained->model;
    tb_constrained_work *work = s->problem->constrained->work;
    long size = model->nq + model->n + model->nz;
    int spread = work->truncated || tb_smallest_pivot(work) < TB_NEARLY_SINGULAR;
    if (model->sparse)
        tb_factor(model, work, tb_terms_J(model, work), TB_POSITION);
    for (long k = 0; k < size; k++) {
        double *stack = s->stacks + k * s->row_count;
        if (settle(model, work, position(model, stack), TB_POSITION, spread))
            add_increment(s, model, work, stack);
    }
    if (model->sparse)
        tb_factor(model, work, tb_terms_J(model, work), TB_VELOCITY);
    for (long k = 0; k < size; k++) {
        double *stack = s->stacks + k * s->row_count;
        if (settle(model, work, speed(model, stack), TB_VELOCITY, spread))
            for (long j = 0; j < model->n; j++)
                if (work->step[j] != 0.0)
                    add(s, model->nq + j, work->step[j], stack);
    }
}

void tb_partitioning_jacobian(const double *x, const double *u, const double *p, double *out,
                              double *scratch, const void *context) {
    const tb_rate_derivatives *s = context;
    (void)scratch;
    evaluate(s, x, u, p);
    keep_consistent(s);
    fill(s, 0, out);
}

void tb_multipliers_jacobian(const double *x, const double *u, const double *p, double *out,
                             double *scratch, const void *context) {
    const tb_rate_derivatives *s = context;
    (void)scratch;
    evaluate(s, x, u, p);
    fill(s, 0, out);
}

void tb_baumgarte_jacobian(const double *x, const double *u, const double *p, double *out,
                           double *scratch, const void *context) {
    const tb_rate_derivatives *s = context;
    (void)scratch;
    evaluate(s, x, u, p);
    fill(s, 1, out);
}
