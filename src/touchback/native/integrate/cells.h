/* Cells: numbers that depend on positions alone, each with rising breaks at which what depends on
 * it has a kink or a jump: where wheels are along a road, its bumps and the lines of its grid. In a
 * step with error control no number goes further than half of the cell between two breaks in which
 * it begins, nor beyond the middle of the next one, lest what lies in a cell be stepped over. */
#ifndef TOUCHBACK_CELLS_H
#define TOUCHBACK_CELLS_H

#include <math.h>

#include "integrate/problem.h"

/* The width of the cell that ends at break i, endless at both sides of all. */
static inline double tb_cell_width(const double *at, long count, long i) {
    return i > 0 && i < count ? at[i] - at[i - 1] : INFINITY;
}

/* How far a number may go from `first` towards `last`. */
static inline double tb_way_in_cells(const double *at, long count, double first, double last) {
    long low = 0,
         high = count; /* where the first break above `first` is; going down, not below it */
    int rises = last > first;
    while (low < high) {
        long middle = (low + high) / 2;
        if (rises ? at[middle] > first : at[middle] >= first)
            high = middle;
        else
            low = middle + 1;
    }
    double way = 0.5 * tb_cell_width(at, count, low);
    if (rises && low < count && last > at[low])
        way = fmin(way, at[low] - first + 0.5 * tb_cell_width(at, count, low + 1));
    if (!rises && low > 0 && last < at[low - 1])
        way = fmin(way, first - at[low - 1] + 0.5 * tb_cell_width(at, count, low - 1));
    return way;
}

/* How far a step goes, as a multiple of how far it may; 0 without cells. */
static inline double tb_too_far(const tb_problem *problem, const double *x, const double *next) {
    const tb_cells *cells = problem->cells;
    double most = 0.0;
    if (!cells)
        return 0.0;
    TB_CALL(cells, numbers, x, problem->u, cells->p, cells->first);
    TB_CALL(cells, numbers, next, problem->u, cells->p, cells->last);
    for (long i = 0; i < cells->count; i++) {
        const double *at = cells->breaks + cells->starts[i];
        long count = cells->starts[i + 1] - cells->starts[i];
        double first = cells->first[i], last = cells->last[i], way = fabs(last - first);
        if (way > 0.0)
            most = fmax(most, way / tb_way_in_cells(at, count, first, last));
    }
    return most;
}

#endif
