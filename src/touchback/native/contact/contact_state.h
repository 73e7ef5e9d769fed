/* Motion in one state of rigid contacts: which are closed, and whether what rubs there holds or
 * slips.
 *
 *   M a = f + E^T lambda,   W a + bias = 0 in the rows that hold
 *
 * Rows are the mechanism's own constraints (they always hold), then of each contact its normal and
 * its friction. Closed normals and sticking friction hold; friction that slips has the force
 * -coefficient * lambda_n * way. Rows that repeat others share what they bear.
 *
 * One struct serves one run: it holds the run's memory. Which state follows which is up to
 * the caller. */
#ifndef TOUCHBACK_CONTACT_STATE_H
#define TOUCHBACK_CONTACT_STATE_H

#include "integrate/problem.h"

typedef struct tb_contact_state {
    long nq, n, nz, bilateral, rows, contacts, groups;
    tb_callable forces; /* [M, f, dz/dt, u, W, E, bias, h, gap, coefficient, restitution,
                           coefficient while it holds] */
    tb_callable configuration_rate;
    const int *normals;    /* of each contact */
    const int *group_rows; /* two of each group of friction, -1: none */
    const int *group_contact;

    int *closed; /* of each contact */
    int *stuck;  /* of each group: holds; else it slips along its way */
    double *way; /* two components of each group */
    int *pinned; /* of each group: at its limit, but held by others; it ends nothing */

    double *x, *at, *a, *lambda; /* the state worked on, what was evaluated, its solution */
    double *mass, *effect, *spread, *G, *right; /* n x n; rows x n; n x rows; rows x rows; rows */
    int *active, *order, *columns;              /* rows each */
    double *increment, *step, *null;            /* nq, n, rows x rows */
} tb_contact_state;

/* dx/dt, with the contact state as the context. */
void tb_contact_rate(const double *x, const double *u, const double *p, double *out, double *work,
                     const void *context);

/* What ends a contact state when it falls through zero. Of each contact: its gap while it is open,
 * its force while it is closed. Of each group: what friction could still hold, or the speed of
 * slipping. Then of each contact the slope of its gap, 0 while it is closed. */
void tb_contact_indicators(const double *x, const double *u, const double *p, double *out,
                           double *work, const void *context);

/* Moves states onto the rows that hold, with corrections weighted by the mass. */
extern const tb_dynamics_kind tb_contact_kind;

#endif
