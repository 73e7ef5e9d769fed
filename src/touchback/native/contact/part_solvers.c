/* What steps, the projection of drift and the correction of penetrations solve within parts. */
#include <string.h>

#include "contact/step_accessors.h"
#include "linear/dense.h"
#include "linear/full_pivoting.h"

void tb_factor_masses(tb_moreau_jean *s, const double *first, const double *second) {
    const tb_contact_pattern *at = &s->pattern;
    memset(s->mass, 0, (size_t)at->mass_starts[at->parts] * sizeof *s->mass);
    for (long k = 0; k < at->masses; k++)
        s->mass[at->mass_places[k]] = 0.5 * (first[k] + second[k]);
    for (long part = 0; part < at->parts; part++)
        tb_cholesky_factor(at->part_velocities[part], s->mass + at->mass_starts[part]);
}

void tb_solve_bilateral(tb_moreau_jean *s, long part, const double *motion, double *found) {
    const tb_contact_pattern *at = &s->pattern;
    long m = own_count(at, part), first = at->own_starts[part];
    for (long i = 0; motion && i < m; i++)
        s->own_right[i] = along(at, W_of(s, s->then), own_pair(at, part, i), motion);
    tb_full_solve(m, s->own_rank[part], s->own + at->own_places[part], s->own_order + first,
                  s->own_columns + first, s->own_right, found);
}

void tb_move_positions(tb_moreau_jean *s, const tb_problem *problem) {
    long n = s->n;
    double *v = s->ahead + s->nq, *step = s->free + s->nq;
    const tb_callable *rate = &problem->configuration_rate;
    if (!rate->call) {
        for (long j = 0; j < n; j++)
            s->ahead[j] += step[j];
        return;
    }
    memcpy(s->delta, v, (size_t)n * sizeof *v);
    memcpy(v, step, (size_t)n * sizeof *v);
    call(rate, s->ahead, problem, s->free); /* linear in v: an increment */
    memcpy(v, s->delta, (size_t)n * sizeof *v);
    for (long i = 0; i < s->nq; i++)
        s->ahead[i] += s->free[i];
}
