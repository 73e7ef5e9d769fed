#include "moreau_jean.h"

#include <math.h>
#include <string.h>

#include "constrained.h"
#include "full_pivoting.h"

static const double REDUNDANT = 1e-12, SETTLED = 1e-13, ROUGHLY = 1e-5, DRIFT = 1e-13;
static const double TOUCHING = 1e-12; /* m or rad: rounding of a gap */
static const long SWEEPS = 100000, FIRST_SWEEPS = 100, PATIENCE = 1500;

/* ---- where things are --------------------------------------------------------------------- */

static long size_of(const tb_moreau_jean *s) { return s->nq + s->n + s->nz; }
static const double *slopes_of(const tb_moreau_jean *s) { return s->at_smooth + size_of(s); }
static const double *gap_of(const tb_moreau_jean *s) {
    return slopes_of(s) + size_of(s) * size_of(s);
}
static const double *coefficient_of(const tb_moreau_jean *s) { return gap_of(s) + s->contacts; }
static const double *restitution_of(const tb_moreau_jean *s) {
    return coefficient_of(s) + s->groups;
}
static double *u_of(const tb_moreau_jean *s, double *at) { return at + s->n * s->n; }
static double *W_of(const tb_moreau_jean *s, double *at) { return u_of(s, at) + s->rows; }
static double *E_of(const tb_moreau_jean *s, double *at) { return W_of(s, at) + s->rows * s->n; }
static double *h_of(const tb_moreau_jean *s, double *at) { return E_of(s, at) + s->rows * s->n; }

static double dot(long n, const double *x, const double *y) {
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void call(const tb_callable *f, const double *x, const tb_problem *problem, double *out) {
    f->call(x, problem->u, problem->p, out, f->work, f->context);
}

/* The smooth part: (I - h theta J) free = h dx/dt. */
static void take_free_step(tb_moreau_jean *s, const tb_problem *problem) {
    long N = size_of(s);
    call(&s->smooth, s->x, problem, s->at_smooth);
    const double *slopes = slopes_of(s);
    for (long i = 0; i < N; i++) {
        for (long j = 0; j < N; j++)
            s->A[i * N + j] = (i == j) - s->h * s->theta * slopes[i * N + j];
        s->free[i] = s->h * s->at_smooth[i];
    }
    tb_lu_factor(N, s->A, s->pivots_of_A);
    tb_lu_solve(N, s->A, s->pivots_of_A, s->free);
}

static int takes_part(const tb_moreau_jean *s, long contact) {
    return gap_of(s)[contact] + 0.5 * s->h * u_of(s, s->now)[s->normals[contact]] <=
           TOUCHING;
}

/* Lists the rows that may have impulses: the mechanism's own, then those of near contacts. */
static long list_rows(tb_moreau_jean *s) {
    tb_contact_problem *q = &s->problem;
    long count = 0;
    q->contacts = q->groups = 0;
    for (long i = 0; i < s->bilateral; i++)
        s->local[count++] = (int)i;
    for (long i = 0; i < s->contacts; i++) {
        if (!takes_part(s, i))
            continue;
        q->normals[q->contacts] = (int)(count - s->bilateral);
        s->local[count++] = s->normals[i];
        for (long g = 0; g < s->groups; g++) {
            if (s->group_contact[g] != i || s->group_rows[2 * g] < 0 ||
                !(coefficient_of(s)[g] > 0.0))
                continue;
            for (long k = 0; k < 2; k++) {
                int row = s->group_rows[2 * g + k];
                q->group_rows[2 * q->groups + k] = row < 0 ? -1 : (int)(count - s->bilateral);
                if (row >= 0)
                    s->local[count++] = row;
            }
            q->group_contact[q->groups] = (int)q->contacts;
            q->coefficient[q->groups++] = coefficient_of(s)[g];
        }
        q->contacts++;
    }
    q->rows = count - s->bilateral;
    return count;
}

/* What unit impulses of the listed rows do (rows of B), and G = W B. They act half-way to the end
 * of the free step; what counts is the velocity there. */
static void build(tb_moreau_jean *s, long count) {
    long n = s->n, N = size_of(s);
    for (long i = 0; i < n * n; i++)
        s->mass[i] = 0.5 * (s->now[i] + s->then[i]);
    tb_cholesky_factor(n, s->mass);
    for (long k = 0; k < count; k++) {
        double *column = s->B + k * N;
        memset(column, 0, (size_t)N * sizeof *column);
        for (long j = 0; j < n; j++) {
            long place = s->local[k] * n + j;
            column[s->nq + j] = 0.5 * (E_of(s, s->now)[place] + E_of(s, s->then)[place]);
        }
        tb_cholesky_solve(n, s->mass, column + s->nq);
        tb_lu_solve(N, s->A, s->pivots_of_A, column);
    }
    for (long i = 0; i < count; i++) {
        s->c[i] = u_of(s, s->then)[s->local[i]];
        for (long k = 0; k < count; k++)
            s->G[i * count + k] =
                dot(n, W_of(s, s->then) + s->local[i] * n, s->B + k * N + s->nq);
    }
}

/* Contacts alone: the impulses of the mechanism's own rows follow from theirs. */
static void eliminate_own(tb_moreau_jean *s, long count) {
    tb_contact_problem *q = &s->problem;
    long m = s->bilateral, width = q->rows + 1;
    for (long i = 0; i < m; i++)
        memcpy(s->own + i * m, s->G + i * count, (size_t)m * sizeof *s->own);
    long rank = tb_full_factor(m, s->own, s->own_order, s->own_columns, REDUNDANT);
    for (long j = 0; j < width; j++) {
        for (long i = 0; i < m; i++)
            s->own_right[i] = j < q->rows ? s->G[i * count + m + j] : s->c[i];
        tb_full_solve(m, rank, s->own, s->own_order, s->own_columns, s->own_right,
                      s->own_found + j * m);
    }
    for (long i = 0; i < q->rows; i++) {
        const double *row = s->G + (m + i) * count;
        q->c[i] = s->c[m + i] - dot(m, row, s->own_found + q->rows * m);
        for (long j = 0; j < q->rows; j++)
            q->G[i * q->rows + j] = row[m + j] - dot(m, row, s->own_found + j * m);
    }
    for (long i = 0; i < q->contacts; i++) { /* restitution */
        long row = q->normals[i], all = s->local[m + row];
        for (long k = 0; k < s->contacts; k++)
            if (s->normals[k] == all)
                q->c[row] += restitution_of(s)[k] * u_of(s, s->now)[all];
    }
}

static int planar(const tb_contact_problem *q) {
    for (long g = 0; g < q->groups; g++)
        if (q->group_rows[2 * g + 1] >= 0)
            return 0;
    return 1;
}

/* Sweeps with, ever more rarely, Newton's method between them. Contacts that repeat each other but
 * for rounding may have no exact impulses within reach: rough ones do. Returns whether there are
 * any. */
static int sweep(tb_moreau_jean *s, double *p) {
    long taken = 0;
    for (long most = FIRST_SWEEPS; taken < SWEEPS; most *= 2) {
        long sweeps = tb_gauss_seidel(&s->problem, p, SETTLED, most);
        s->sweeps += sweeps < 0 ? most : sweeps;
        if (sweeps >= 0)
            return 1;
        taken += most;
        tb_contact_newton(&s->problem, p, &s->memory);
        if (taken >= PATIENCE && tb_gauss_seidel(&s->problem, p, ROUGHLY, 1) >= 0) {
            s->rough++;
            return 1;
        }
    }
    return 0;
}

/* Impulses of all listed rows in s->p. */
static void solve(tb_moreau_jean *s, long count) {
    tb_contact_problem *q = &s->problem;
    long m = s->bilateral;
    double *p = s->p + m;
    eliminate_own(s, count);
    long pivots = q->rows && planar(q) ? tb_lemke(q, p, &s->memory) : -1;
    if (pivots >= 0)
        s->pivots += pivots;
    else if (q->rows) {
        for (long i = 0; i < q->rows; i++)
            p[i] = s->impulses[s->local[m + i]];
        s->swept++;
        s->unsettled += !sweep(s, p);
    }
    for (long i = 0; i < m; i++) {
        s->p[i] = -s->own_found[q->rows * m + i];
        for (long j = 0; j < q->rows; j++)
            s->p[i] -= s->own_found[j * m + i] * p[j];
    }
}

/* The step with impulses: writes the state after it into s->ahead, and what they did. */
static void apply(tb_moreau_jean *s, long count, double *losses, double *moved) {
    long n = s->n, N = size_of(s);
    for (long i = 0; i < N; i++)
        s->ahead[i] = s->x[i] + s->free[i];
    memset(s->impulses, 0, (size_t)s->rows * sizeof *s->impulses);
    for (long k = 0; k < count; k++) {
        s->impulses[s->local[k]] = s->p[k];
        for (long i = 0; i < N; i++)
            s->ahead[i] += s->B[k * N + i] * s->p[k];
    }
    for (long k = 0; k < count; k++) { /* p (u- + u+)/2: exact where M and W stay */
        long row = s->local[k];
        double before = u_of(s, s->now)[row];
        double after = u_of(s, s->then)[row] + dot(count, s->G + k * count, s->p);
        double own = dot(n, W_of(s, s->now) + row * n, s->x + s->nq) +
                     dot(n, W_of(s, s->then) + row * n, s->ahead + s->nq);
        losses[row] = -0.5 * s->p[k] * (before + after);
        moved[row] = 0.5 * s->p[k] * (own - before - after);
    }
}

/* Positions onto the constraints, with a correction weighted by the mass; velocities keep theirs to
 * the end of the step. Positions with quaternions are moved along dq/dt of the problem. */
static void project(tb_moreau_jean *s, const tb_problem *problem) {
    long n = s->n, m = s->bilateral;
    double largest = 0.0, *at = s->then, *v = s->ahead + s->nq, *kept = s->B, *step = s->B + n;
    call(&s->kinematics, s->ahead, problem, at);
    for (long i = 0; i < m; i++)
        largest = fmax(largest, fabs(h_of(s, at)[i]));
    if (!(largest > DRIFT))
        return;
    memcpy(s->mass, at, (size_t)(n * n) * sizeof *s->mass);
    tb_cholesky_factor(n, s->mass);
    double *spread = s->B + 2 * n; /* m x n */
    for (long k = 0; k < m; k++) {
        memcpy(spread + k * n, W_of(s, at) + k * n, (size_t)n * sizeof *spread);
        tb_cholesky_solve(n, s->mass, spread + k * n);
    }
    for (long i = 0; i < m; i++) {
        s->own_right[i] = -h_of(s, at)[i];
        for (long k = 0; k < m; k++)
            s->own[i * m + k] = dot(n, W_of(s, at) + i * n, spread + k * n);
    }
    long rank = tb_full_factor(m, s->own, s->own_order, s->own_columns, REDUNDANT);
    tb_full_solve(m, rank, s->own, s->own_order, s->own_columns, s->own_right, s->own_found);
    memset(step, 0, (size_t)n * sizeof *step);
    for (long k = 0; k < m; k++)
        for (long j = 0; j < n; j++)
            step[j] += spread[k * n + j] * s->own_found[k];
    const tb_callable *rate = &problem->configuration_rate;
    if (!rate->call) {
        for (long j = 0; j < n; j++)
            s->ahead[j] += step[j];
        return;
    }
    memcpy(kept, v, (size_t)n * sizeof *v);
    memcpy(v, step, (size_t)n * sizeof *v);
    call(rate, s->ahead, problem, s->free); /* linear in v: an increment */
    memcpy(v, kept, (size_t)n * sizeof *v);
    for (long i = 0; i < s->nq; i++)
        s->ahead[i] += s->free[i];
}

static void take_step(tb_moreau_jean *s, const tb_problem *problem, double *losses,
                      double *moved) {
    long N = size_of(s);
    take_free_step(s, problem);
    call(&s->kinematics, s->x, problem, s->now);
    long count = list_rows(s);
    for (long i = 0; i < N && count; i++)
        s->ahead[i] = s->x[i] + s->free[i];
    if (count) {
        call(&s->kinematics, s->ahead, problem, s->then);
        build(s, count);
        solve(s, count);
    }
    apply(s, count, losses, moved);
    if (s->bilateral)
        project(s, problem);
}

int tb_moreau_jean_advance(tb_moreau_jean *s, const tb_problem *problem, long count,
                           double *states, double *impulses, double *losses, double *moved,
                           double *inputs, long input_count) {
    long N = size_of(s);
    for (long k = 0; k < count; k++) {
        tb_set_inputs(problem, s->t0 + ((double)s->steps + s->theta) * s->h, s->x);
        memcpy(inputs + k * input_count, problem->u, (size_t)input_count * sizeof *inputs);
        take_step(s, problem, losses + k * s->rows, moved + k * s->rows);
        s->bad = tb_first_not_finite(s->ahead, N);
        if (s->bad >= 0)
            return TB_NOT_FINITE;
        memcpy(s->x, s->ahead, (size_t)N * sizeof *s->x);
        memcpy(states + k * N, s->x, (size_t)N * sizeof *s->x);
        memcpy(impulses + k * s->rows, s->impulses, (size_t)s->rows * sizeof *s->impulses);
        s->steps++;
    }
    return TB_REACHED;
}
