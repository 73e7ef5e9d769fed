/* Knots: the instants at which steps of methods with error control end, since the rate may have a
 * kink or a jump there: samples of inputs, and discontinuities of laws of time. A step that ends at
 * a knot sees nothing of what comes after it: all that it evaluates reads the last time before the
 * knot. The next one starts from the other side. */
#ifndef TOUCHBACK_KNOTS_H
#define TOUCHBACK_KNOTS_H

#include <math.h>

#include "integrate/problem.h"

/* Where a step from t must end at the latest: at the next knot, or at t_end. From here on nothing
 * is read beyond it. */
static inline double tb_approach_knot(const tb_problem *problem, double t, double t_end) {
    tb_knots *knots = problem->knots;
    if (!knots)
        return t_end;
    while (knots->next < knots->count && knots->at[knots->next] <= t)
        knots->next++;
    while (knots->next > 0 && knots->at[knots->next - 1] > t)
        knots->next--;
    if (knots->next == knots->count || knots->at[knots->next] > t_end)
        return t_end;
    knots->latest = knots->before[knots->next];
    return knots->at[knots->next];
}

/* Lets every time be read as it is. */
static inline void tb_leave_knot(const tb_problem *problem) {
    if (problem->knots)
        problem->knots->latest = INFINITY;
}

/* Whether a step that ended at t ended at the knot that it approached. */
static inline int tb_at_knot(const tb_problem *problem, double t) {
    const tb_knots *knots = problem->knots;
    return knots && knots->next < knots->count && knots->at[knots->next] == t;
}

/* Notes where a step ended. */
static inline void tb_note_step_end(const tb_problem *problem, double t) {
    if (problem->knots)
        problem->knots->ends[problem->knots->ended++] = t;
}

/* Whether no more ends can be noted before somebody has read them. */
static inline int tb_ends_full(const tb_problem *problem) {
    return problem->knots && problem->knots->ended == problem->knots->room;
}

#endif
