#include "contact/moreau_jean.h"

#include <math.h>
#include <string.h>

#include "contact/step_accessors.h"
#include "interrupt.h"
#include "linear/dense.h"
#include "linear/full_pivoting.h"

static const double REDUNDANT = 1e-12;
static const double TOUCHING = 1e-12; /* m or rad: rounding of a gap */

/* The first unknown of a part that impulses reach while A is solved forwards: a velocity, unless
 * rows of positions changed places with others. */
static int first_reached(const tb_contact_pattern *at, long part, const int *pivots) {
    int moving = at->part_moving[part];
    for (long k = 0; k < moving; k++)
        if (pivots[k] >= moving)
            return 0;
    return moving;
}

/* The smooth part: (I - h theta J) free = h dx/dt, part by part. */
static void take_free_step(tb_moreau_jean *s, const tb_problem *problem) {
    const tb_contact_pattern *at = &s->pattern;
    call(&s->smooth, s->x, problem, s->at_smooth);
    memset(s->A, 0, (size_t)at->slope_starts[at->parts] * sizeof *s->A);
    for (long k = 0; k < at->slopes; k++)
        s->A[at->slope_places[k]] = -s->h * s->theta * slopes_of(s)[k];
    for (long part = 0; part < at->parts; part++) {
        long size = part_size(at, part), start = at->part_starts[part];
        double *A = s->A + at->slope_starts[part];
        for (long i = 0; i < size; i++) {
            A[i * size + i] += 1.0;
            s->block[i] = s->h * s->at_smooth[at->part_places[start + i]];
        }
        tb_lu_factor(size, A, s->pivots_of_A + start);
        s->reached[part] = first_reached(at, part, s->pivots_of_A + start);
        tb_lu_solve(size, A, s->pivots_of_A + start, s->block);
        for (long i = 0; i < size; i++)
            s->free[at->part_places[start + i]] = s->block[i];
    }
}

/* Where bodies are lifted, a contact that pressed goes on if it would be back within this step: it
 * would else bounce from step to step without end, and those beside it take turns. */
static int takes_part(const tb_moreau_jean *s, long contact) {
    long row = s->normals[contact];
    double gap = gap_of(s)[contact], u = u_of(s, s->now)[row];
    if (gap + 0.5 * s->h * u <= TOUCHING)
        return 1;
    if (!s->lifts || !(s->impulses[row] > 0.0))
        return 0;
    double change = along_state(&s->pattern, W_of(s, s->now), row, s->free);
    return gap + s->h * (u + 0.5 * change) <= TOUCHING;
}

/* What unit impulses of rows do to a part, from s->reached on; the first `count` pairs of
 * s->together: they act half-way to the end of the free step. */
static void respond(tb_moreau_jean *s, long part, long count) {
    const tb_contact_pattern *at = &s->pattern;
    long size = part_size(at, part), first = s->reached[part];
    double *X = s->spread;
    memset(X + first * count, 0, (size_t)((size - first) * count) * sizeof *X);
    for (long j = 0; j < count; j++) {
        long pair = s->together[j];
        int own = at->pair_row[pair] < s->bilateral;
        const double *now = own ? E_of(s, s->now) : W_of(s, s->now);
        const double *then = own ? E_of(s, s->then) : W_of(s, s->then);
        for (long k = at->pair_entries[pair]; k < at->pair_entries[pair + 1]; k++)
            X[at->places[k] * count + j] = 0.5 * (now[k] + then[k]);
    }
    tb_cholesky_solve_many(at->part_velocities[part], s->mass + at->mass_starts[part], count,
                           X + at->part_moving[part] * count);
    tb_lu_solve_many(size, first, s->A + at->slope_starts[part],
                     s->pivots_of_A + at->part_starts[part], count, X);
    for (long j = 0; j < count; j++) {
        double *column = s->B + at->pair_B[s->together[j]];
        for (long i = first; i < size; i++)
            column[i] = X[i * count + j];
    }
}

/* Adds what an impulse does to a part, from s->reached on. */
static void apply_impulse(tb_moreau_jean *s, long pair, double impulse) {
    const tb_contact_pattern *at = &s->pattern;
    long part = at->pair_part[pair], size = part_size(at, part);
    const int *places = at->part_places + at->part_starts[part];
    const double *column = s->B + at->pair_B[pair];
    for (long i = s->reached[part]; i < size; i++)
        s->delta[places[i]] += column[i] * impulse;
}

/* Own rows alone: their impulses without contacts, and what these do, in s->delta. */
static void hold_own(tb_moreau_jean *s, long part) {
    const tb_contact_pattern *at = &s->pattern;
    long m = own_count(at, part), first = at->own_starts[part];
    double *own = s->own + at->own_places[part], *start = s->own_start + first;
    for (long k = 0; k < m; k++)
        s->together[k] = (int)own_pair(at, part, k);
    respond(s, part, m);
    for (long k = 0; k < m; k++) {
        const double *column = s->B + at->pair_B[own_pair(at, part, k)];
        for (long i = 0; i < m; i++)
            own[i * m + k] = along(at, W_of(s, s->then), own_pair(at, part, i), column);
    }
    s->own_rank[part] =
        (int)tb_full_factor(m, own, s->own_order + first, s->own_columns + first, REDUNDANT);
    for (long i = 0; i < m; i++)
        s->own_right[i] = u_of(s, s->then)[at->own_rows[first + i]];
    tb_solve_bilateral(s, part, NULL, start);
    for (long k = 0; k < m; k++)
        apply_impulse(s, own_pair(at, part, k), -start[k]);
}

/* What impulses of contacts do while own rows hold, and G. */
static void build(tb_moreau_jean *s) {
    const tb_contact_pattern *at = &s->pattern;
    tb_contact_problem *q = &s->problem;
    tb_factor_masses(s, s->now, s->then);
    memset(s->delta, 0, (size_t)size_of(s) * sizeof *s->delta);
    tb_list_rows(s);
    for (long part = 0; part < at->parts; part++) {
        long count = 0;
        if (own_count(at, part))
            hold_own(s, part);
        for (long pair = s->heads[part]; pair >= 0; pair = s->nexts[pair])
            s->together[count++] = (int)pair;
        respond(s, part, count);
    }
    for (long i = 0; i < q->rows; i++) {
        long row = s->listed[i];
        for (long pair = at->pair_starts[row]; pair < at->pair_starts[row + 1]; pair++) {
            long part = at->pair_part[pair], m = own_count(at, part);
            double *column = s->B + at->pair_B[pair], *found = s->found + at->pair_found[pair];
            if (m)
                tb_solve_bilateral(s, part, column, found);
            for (long k = 0; k < m; k++) {
                const double *own = s->B + at->pair_B[own_pair(at, part, k)];
                for (long j = s->reached[part]; j < part_size(at, part); j++)
                    column[j] -= found[k] * own[j];
            }
        }
        q->c[i] = u_of(s, s->then)[row] + along_state(at, W_of(s, s->then), row, s->delta);
    }
    tb_assemble_islands(s, W_of(s, s->then));
}

/* No impulses yet; those of the last step move to s->before. */
static void begin_impulses(tb_moreau_jean *s) {
    memcpy(s->before, s->impulses, (size_t)s->rows * sizeof *s->before);
    memset(s->impulses, 0, (size_t)s->rows * sizeof *s->impulses);
}

/* Impulses of all rows in s->p: those of contacts, and what own rows then take. */
static void solve(tb_moreau_jean *s, long islands) {
    const tb_contact_pattern *at = &s->pattern;
    tb_contact_problem *q = &s->problem;
    double fastest = 0.0, *p = s->p;
    for (long island = 0; island < islands; island++) /* restitution */
        for (long i = s->island_contacts[island]; i < s->island_contacts[island + 1]; i++) {
            long row = s->island_rows[island] + q->normals[i], all = s->listed[row];
            q->c[row] += restitution_of(s)[s->ordered[i]] * u_of(s, s->now)[all];
        }
    for (long i = 0; i < q->rows; i++)
        fastest = fmax(fastest, fabs(q->c[i]));
    for (long island = 0; island < islands; island++)
        s->unsettled += !tb_solve_island(s, island, fastest, p) && !tb_stop_asked();
    begin_impulses(s);
    for (long part = 0; part < at->parts; part++)
        for (long k = at->own_starts[part]; k < at->own_starts[part + 1]; k++)
            s->impulses[at->own_rows[k]] = -s->own_start[k];
    for (long i = 0; i < q->rows; i++) {
        long row = s->listed[i];
        s->impulses[row] = p[i];
        for (long pair = at->pair_starts[row]; pair < at->pair_starts[row + 1]; pair++) {
            long part = at->pair_part[pair];
            const double *found = s->found + at->pair_found[pair];
            apply_impulse(s, pair, p[i]);
            for (long k = 0; k < own_count(at, part); k++)
                s->impulses[at->own_rows[at->own_starts[part] + k]] -= found[k] * p[i];
        }
    }
}

/* Of own rows that are redundant the impulses of least norm, as least_multipliers.c has it. */
static void share_own(tb_moreau_jean *s, long part) {
    const tb_contact_pattern *at = &s->pattern;
    long m = own_count(at, part), first = at->own_starts[part];
    if (s->own_rank[part] == m)
        return;
    for (long k = 0; k < m; k++)
        s->own_right[k] = s->impulses[at->own_rows[first + k]];
    tb_full_shortest(m, s->own_rank[part], s->own + at->own_places[part], s->own_order + first,
                     s->own_columns + first, s->own_right, s->spread);
    for (long k = 0; k < m; k++)
        s->impulses[at->own_rows[first + k]] = s->own_right[k];
}

/* What impulses do to a part's unknowns before s->reached, which follow from the rest. */
static void reach(tb_moreau_jean *s, long part) {
    const tb_contact_pattern *at = &s->pattern;
    const int *places = at->part_places + at->part_starts[part];
    long size = part_size(at, part), first = s->reached[part];
    for (long i = first; i < size; i++)
        s->block[i] = s->delta[places[i]];
    tb_lu_solve_above(size, first, s->A + at->slope_starts[part], s->block);
    for (long i = 0; i < first; i++)
        s->delta[places[i]] = s->block[i];
}

/* What the impulse of a row did: p (u- + u+)/2 is exact where M and W stay. */
static void account(tb_moreau_jean *s, long row, double *losses, double *moved) {
    const tb_contact_pattern *at = &s->pattern;
    double p = s->impulses[row], before = u_of(s, s->now)[row];
    double after = u_of(s, s->then)[row] + along_state(at, W_of(s, s->then), row, s->delta);
    double own = along_state(at, W_of(s, s->now), row, s->x) +
                 along_state(at, W_of(s, s->then), row, s->ahead);
    losses[row] = -0.5 * p * (before + after);
    moved[row] = 0.5 * p * (own - before - after);
}

static void take_step(tb_moreau_jean *s, const tb_problem *problem, double *losses, double *moved) {
    long N = size_of(s);
    if (!s->steps)
        s->credit = 0.0;
    take_free_step(s, problem);
    call(&s->kinematics, s->x, problem, s->now);
    long islands = tb_list_islands(s, takes_part, coefficient_of(s));
    int any = islands || s->bilateral;
    for (long i = 0; i < N; i++)
        s->ahead[i] = s->x[i] + s->free[i];
    if (!any) {
        begin_impulses(s);
        return;
    }
    call(&s->kinematics, s->ahead, problem, s->then);
    build(s);
    solve(s, islands);
    for (long part = 0; part < s->pattern.parts; part++)
        if (s->heads[part] >= 0 || own_count(&s->pattern, part))
            reach(s, part);
    for (long i = 0; i < N; i++)
        s->ahead[i] += s->delta[i];
    for (long part = 0; part < s->pattern.parts; part++)
        share_own(s, part);
    for (long row = 0; row < s->bilateral; row++)
        account(s, row, losses, moved);
    for (long i = 0; i < s->problem.rows; i++)
        account(s, s->listed[i], losses, moved);
    if (s->lifts && islands)
        tb_correct_penetration(s, problem, islands, losses);
    if (s->bilateral)
        tb_project_drift(s, problem);
}

int tb_moreau_jean_take(tb_moreau_jean *s, const tb_problem *problem, double *losses,
                        double *moved) {
    long N = size_of(s);
    tb_set_inputs(problem, s->t0 + ((double)s->steps + s->theta) * s->h, s->x);
    take_step(s, problem, losses, moved);
    if (tb_stop_asked()) /* solvers may have ended early: the step doesn't count */
        return TB_INTERRUPTED;
    s->bad = tb_first_not_finite(s->ahead, N);
    if (s->bad >= 0)
        return TB_NOT_FINITE;
    memcpy(s->x, s->ahead, (size_t)N * sizeof *s->x);
    s->steps++;
    return TB_REACHED;
}

int tb_moreau_jean_advance(tb_moreau_jean *s, const tb_problem *problem, long count, double *states,
                           double *impulses, double *losses, double *moved, double *inputs,
                           long input_count) {
    long N = size_of(s);
    for (long k = 0; k < count; k++) {
        int status = tb_moreau_jean_take(s, problem, losses + k * s->rows, moved + k * s->rows);
        if (status != TB_REACHED)
            return status;
        memcpy(inputs + k * input_count, problem->u, (size_t)input_count * sizeof *inputs);
        memcpy(states + k * N, s->x, (size_t)N * sizeof *s->x);
        memcpy(impulses + k * s->rows, s->impulses, (size_t)s->rows * sizeof *s->impulses);
    }
    return TB_REACHED;
}
