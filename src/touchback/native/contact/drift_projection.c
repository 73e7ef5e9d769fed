/* After a step, what of positions has drifted off the bilateral constraints goes back. */
#include <math.h>
#include <string.h>

#include "contact/step_accessors.h"
#include "linear/dense.h"
#include "linear/full_pivoting.h"

static const double REDUNDANT = 1e-12, DRIFT = 1e-13;

/* A part's positions onto its constraints: a correction weighted by the mass, in s->free. */
static void correct(tb_moreau_jean *s, long part) {
    const tb_contact_pattern *at = &s->pattern;
    long m = own_count(at, part), first = at->own_starts[part], size = part_size(at, part);
    double *own = s->own + at->own_places[part], *found = s->own_start + first;
    const double *W = W_of(s, s->then), *h = h_of(s, s->then);
    for (long k = 0; k < m; k++) {
        long pair = own_pair(at, part, k);
        double *column = s->B + at->pair_B[pair];
        memset(column, 0, (size_t)size * sizeof *column);
        for (long j = at->pair_entries[pair]; j < at->pair_entries[pair + 1]; j++)
            column[at->places[j]] = W[j];
        tb_cholesky_solve(at->part_velocities[part], s->mass + at->mass_starts[part],
                          column + at->part_moving[part]);
        for (long i = 0; i < m; i++)
            own[i * m + k] = along(at, W, own_pair(at, part, i), column);
    }
    for (long i = 0; i < m; i++)
        s->own_right[i] = -h[at->own_rows[first + i]];
    s->own_rank[part] =
        (int)tb_full_factor(m, own, s->own_order + first, s->own_columns + first, REDUNDANT);
    tb_solve_bilateral(s, part, NULL, found);
    for (long k = 0; k < m; k++) {
        const double *column = s->B + at->pair_B[own_pair(at, part, k)];
        for (long i = 0; i < size; i++)
            s->free[at->part_places[at->part_starts[part] + i]] += column[i] * found[k];
    }
}

void tb_project_drift(tb_moreau_jean *s, const tb_problem *problem) {
    double largest = 0.0;
    call(&s->kinematics, s->ahead, problem, s->then);
    for (long i = 0; i < s->bilateral; i++)
        largest = fmax(largest, fabs(h_of(s, s->then)[i]));
    if (!(largest > DRIFT))
        return;
    tb_factor_masses(s, s->then, s->then);
    memset(s->free, 0, (size_t)size_of(s) * sizeof *s->free);
    for (long part = 0; part < s->pattern.parts; part++)
        if (own_count(&s->pattern, part))
            correct(s, part);
    tb_move_positions(s, problem);
}
