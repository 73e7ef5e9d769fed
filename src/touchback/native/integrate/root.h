/* The root of a function between two points where its signs differ. */
#ifndef TOUCHBACK_ROOT_H
#define TOUCHBACK_ROOT_H

typedef double (*tb_scalar)(void *data, double x);

/* A point within `tolerance` of a root in [a, b], given the values at both ends. */
double tb_root(tb_scalar f, void *data, double a, double b, double f_a, double f_b,
               double tolerance);

#endif
