/* Where things are in what a step of contacts works on, for the files of moreau_jean.c. */
#ifndef TOUCHBACK_CONTACT_STEP_ACCESSORS_H
#define TOUCHBACK_CONTACT_STEP_ACCESSORS_H

#include "contact/moreau_jean.h"

static inline long size_of(const tb_moreau_jean *s) {
    return s->nq + s->n + s->nz;
}
static inline const double *slopes_of(const tb_moreau_jean *s) {
    return s->at_smooth + size_of(s);
}
static inline const double *gap_of(const tb_moreau_jean *s) {
    return slopes_of(s) + s->pattern.slopes;
}
static inline const double *coefficient_of(const tb_moreau_jean *s) {
    return gap_of(s) + s->contacts;
}
static inline const double *restitution_of(const tb_moreau_jean *s) {
    return coefficient_of(s) + s->groups;
}
static inline double *u_of(const tb_moreau_jean *s, double *at) {
    return at + s->pattern.masses;
}
static inline double *W_of(const tb_moreau_jean *s, double *at) {
    return u_of(s, at) + s->rows;
}
static inline double *E_of(const tb_moreau_jean *s, double *at) {
    return W_of(s, at) + s->pattern.entries;
}
static inline double *h_of(const tb_moreau_jean *s, double *at) {
    return E_of(s, at) + s->pattern.pair_entries[s->pattern.pair_starts[s->bilateral]];
}

static inline long part_size(const tb_contact_pattern *at, long part) {
    return at->part_starts[part + 1] - at->part_starts[part];
}
static inline long own_count(const tb_contact_pattern *at, long part) {
    return at->own_starts[part + 1] - at->own_starts[part];
}
static inline long own_pair(const tb_contact_pattern *at, long part, long k) {
    return at->pair_starts[at->own_rows[at->own_starts[part] + k]];
}

/* A row of W or E along a vector of a part's unknowns. */
static inline double along(const tb_contact_pattern *at, const double *W, long pair,
                           const double *part) {
    double sum = 0.0;
    for (long k = at->pair_entries[pair]; k < at->pair_entries[pair + 1]; k++)
        sum += W[k] * part[at->places[k]];
    return sum;
}

/* The same along a state. */
static inline double along_state(const tb_contact_pattern *at, const double *W, long row,
                                 const double *x) {
    double sum = 0.0;
    for (long pair = at->pair_starts[row]; pair < at->pair_starts[row + 1]; pair++) {
        const int *places = at->part_places + at->part_starts[at->pair_part[pair]];
        for (long k = at->pair_entries[pair]; k < at->pair_entries[pair + 1]; k++)
            sum += W[k] * x[places[at->places[k]]];
    }
    return sum;
}

static inline void call(const tb_callable *f, const double *x, const tb_problem *problem,
                        double *out) {
    f->call(x, problem->u, problem->p, out, f->work, f->context);
}

#pragma GCC visibility push(hidden)

/* The mean of two mass matrices, factored part by part. */
void tb_factor_masses(tb_moreau_jean *s, const double *first, const double *second);
/* The impulses of a part's own rows that undo a motion of it, or speeds in own_right. */
void tb_solve_bilateral(tb_moreau_jean *s, long part, const double *motion, double *found);
/* Positions onto the constraints; velocities keep theirs to the end of the step. Positions with
 * quaternions are moved along dq/dt of the problem (contact/drift_projection.c). */
void tb_project_drift(tb_moreau_jean *s, const tb_problem *problem);
/* Moves the positions in s->ahead by the velocities in s->free, which it uses up with s->delta. */
void tb_move_positions(tb_moreau_jean *s, const tb_problem *problem);
/* One island of the problem by itself (contact/islands.c). */
tb_contact_problem tb_island_of(const tb_moreau_jean *s, long island);
/* Positions out of overlaps, by as much as contacts have taken of energy; what that gives is taken
 * off their losses (contact/penetration_correction.c). */
void tb_correct_penetration(tb_moreau_jean *s, const tb_problem *problem, long islands,
                            double *losses);

#pragma GCC visibility pop

#endif
