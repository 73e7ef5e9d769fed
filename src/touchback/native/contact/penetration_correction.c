/* Bodies that contacts hold are lifted out of each other at the end of a step: steps hold speeds,
 * and leave gaps where they were noticed, or where directions that turn have led them.
 *
 * The least change of positions, weighted by the mass, after which no contact that takes part
 * overlaps: 0 <= l _|_ gap + W M^-1 W^T l >= 0. Velocities stay. It does the work -l.(W a) against
 * the forces at rest, and only as much of it is done as contacts have taken so far: by their
 * impulses, and by p/h times what a gap has sunk in a step without a speed that says so. So energy
 * never comes of it; what it gives is taken off the losses of its contacts.
 *
 * Contacts that press for a second step are set down where they hover, by at most their gap:
 * lifting one contact raises others a little, and the last bounces end above the floor. Contacts
 * that bounce are not lifted: they leave by themselves, and lifted each time they would bounce
 * without end. */
#include <math.h>
#include <string.h>

#include "contact/step_accessors.h"
#include "linear/dense.h"

static const double DEEP = 1e-13, SETTLED = 1e-12; /* m; of the deepest gap */
enum { SWEEPS = 1000 };

/* Whether a contact pressed in this step and the one before: none does that bounces. */
static int stays(const tb_moreau_jean *s, long contact) {
    long row = s->normals[contact];
    return s->impulses[row] > 0.0 && s->before[row] > 0.0;
}

/* What contacts took in this step, and s->aims; returns the largest of these among contacts that
 * press: what is to be lifted or set down. */
static double count_losses(tb_moreau_jean *s, double *losses) {
    const tb_contact_pattern *at = &s->pattern;
    double deepest = 0.0;
    for (long i = 0; i < s->problem.contacts; i++) {
        long contact = s->ordered[i], row = s->normals[contact];
        double p = s->impulses[row], gap = gap_of(s)[contact];
        double after = u_of(s, s->then)[row] + along_state(at, W_of(s, s->then), row, s->delta);
        double sunk = s->gaps[contact] + 0.5 * s->h * (u_of(s, s->now)[row] + after) - gap;
        losses[row] += p / s->h * fmax(0.0, fmin(sunk, s->gaps[contact] - gap));
        int stay = stays(s, contact);
        s->aims[i] = !stay && s->h * after > DEEP ? fmax(gap, 0.0) : gap;
        if (p > 0.0)
            deepest = fmax(deepest, stay ? fabs(s->aims[i]) : -s->aims[i]);
    }
    for (long i = 0; i < s->problem.rows; i++)
        s->credit += losses[s->listed[i]];
    return deepest;
}

/* M^-1 W^T of the listed rows into B, and G. */
static void respond(tb_moreau_jean *s, const double *W) {
    const tb_contact_pattern *at = &s->pattern;
    tb_list_rows(s);
    for (long i = 0; i < s->problem.rows; i++)
        for (long pair = at->pair_starts[s->listed[i]]; pair < at->pair_starts[s->listed[i] + 1];
             pair++) {
            long part = at->pair_part[pair];
            double *column = s->B + at->pair_B[pair];
            memset(column, 0, (size_t)part_size(at, part) * sizeof *column);
            for (long k = at->pair_entries[pair]; k < at->pair_entries[pair + 1]; k++)
                column[at->places[k]] = W[k];
            tb_cholesky_solve(at->part_velocities[part], s->mass + at->mass_starts[part],
                              column + at->part_moving[part]);
        }
    tb_assemble_islands(s, W);
}

/* How far each row lifts, in s->p. */
static void solve(tb_moreau_jean *s, long islands, double deepest) {
    tb_contact_problem *q = &s->problem;
    memset(q->c, 0, (size_t)q->rows * sizeof *q->c);
    memset(s->p, 0, (size_t)q->rows * sizeof *s->p);
    for (long island = 0; island < islands; island++) {
        for (long i = s->island_contacts[island]; i < s->island_contacts[island + 1]; i++) {
            long row = s->island_rows[island] + q->normals[i], contact = s->ordered[i];
            int lowers = stays(s, contact) && s->aims[i] > 0.0 && q->own[row] > 0.0;
            q->c[row] = s->aims[i];
            s->least[i] = lowers ? -s->aims[i] / q->own[row] : 0.0;
        }
        tb_contact_problem own = tb_island_of(s, island);
        own.groups = 0; /* no friction against being lifted */
        tb_gauss_seidel(&own, s->least + s->island_contacts[island], s->p + s->island_rows[island],
                        SETTLED * deepest, SWEEPS);
    }
}

/* Gaps as the next step finds them, and the accelerations a of forces alone: those at rest. */
static void check_at_rest(tb_moreau_jean *s, const tb_problem *problem) {
    double *v = s->ahead + s->nq;
    memcpy(s->free, v, (size_t)s->n * sizeof *v);
    memset(v, 0, (size_t)s->n * sizeof *v);
    call(&s->smooth, s->ahead, problem, s->at_smooth);
    memcpy(v, s->free, (size_t)s->n * sizeof *v);
}

void tb_correct_penetration(tb_moreau_jean *s, const tb_problem *problem, long islands,
                            double *losses) {
    const tb_contact_pattern *at = &s->pattern;
    const double *W = W_of(s, s->then);
    double work = 0.0;
    memcpy(s->gaps, gap_of(s), (size_t)s->contacts * sizeof *s->gaps);
    tb_set_inputs(problem, s->t0 + ((double)s->steps + 1.0 + s->theta) * s->h, s->ahead);
    check_at_rest(s, problem);
    double deepest = count_losses(s, losses);
    if (deepest > DEEP && s->credit > 0.0) {
        call(&s->kinematics, s->ahead, problem, s->then);
        tb_factor_masses(s, s->then, s->then);
        respond(s, W);
        solve(s, islands, deepest);
        for (long i = 0; i < s->problem.rows; i++)
            work -= s->p[i] * along_state(at, W, s->listed[i], s->at_smooth);
        double part = work > s->credit ? s->credit / work : 1.0;
        memset(s->free, 0, (size_t)size_of(s) * sizeof *s->free);
        for (long i = 0; i < s->problem.rows; i++) {
            long row = s->listed[i];
            double own = part * s->p[i];
            losses[row] += own * along_state(at, W, row, s->at_smooth);
            for (long pair = at->pair_starts[row]; pair < at->pair_starts[row + 1]; pair++) {
                const int *places = at->part_places + at->part_starts[at->pair_part[pair]];
                for (long k = 0; k < part_size(at, at->pair_part[pair]); k++)
                    s->free[places[k]] += s->B[at->pair_B[pair] + k] * own;
            }
        }
        s->credit -= part * work;
        tb_move_positions(s, problem);
    }
    tb_set_inputs(problem, s->t0 + ((double)s->steps + s->theta) * s->h, s->x);
}
