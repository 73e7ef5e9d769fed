/* What a run with constraints counts. */
#ifndef TOUCHBACK_CONSTRAINT_STATISTICS_H
#define TOUCHBACK_CONSTRAINT_STATISTICS_H

typedef struct tb_constraint_statistics {
    long solves;          /* of the position constraints by Newton's method */
    long iterations_last; /* of the latest solve */
    long iterations_most;
    long iterations;     /* of all solves together */
    long not_converged;  /* solves that gave up and left the integrator's values */
    long choices;        /* how often dependent coordinates were chosen, the first time included */
    long singular;       /* accepted states at, or almost at, a singular position */
    long paradoxes;      /* evaluations in which no forces agree with their friction, or several */
    double worst_choice; /* seconds that the slowest choice took */
    double largest_h;    /* of all position constraints at all accepted states */
} tb_constraint_statistics;

#endif
