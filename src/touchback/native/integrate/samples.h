/* Inputs given as samples on a time grid: linear in between, held beyond the ends. */
#ifndef TOUCHBACK_SAMPLES_H
#define TOUCHBACK_SAMPLES_H

#include "calls/table.h"

/* Tables in time for some of the inputs; slots[i] is the place of series i in u. */
typedef struct tb_samples {
    long count;
    const long *slots;
    const tb_table *tables;
} tb_samples;

/* A tb_input. */
void tb_sampled_input(double t, const double *x, double *u, const tb_samples *samples);

#endif
