/* Energy that leaves a live run through a port: what a passivity observer counts, and the damping
 * that a passivity controller injects (Hannaford and Ryu 2002). */
#ifndef TOUCHBACK_LIVE_ENERGY_H
#define TOUCHBACK_LIVE_ENERGY_H

#include <stdint.h>

typedef struct tb_energy { /* of one port: pairs of an output force and an input motion */
    long count;
    const long *forces;  /* places among the outputs */
    const long *motions; /* places in u */
    long by_position;    /* motions are positions; else velocities */
    double limit;        /* J that may have left in all */
    double damping;      /* the most that may be injected [N s/m]; 0: none, the limit trips */
    double trip;         /* J at which a damped port trips */
    double *before;      /* the motions of the tick before */
    double *velocity;    /* of this tick */
    long started;
    double energy;         /* J that has left so far */
    double largest, taken; /* the most so far; J taken out by damping */
    int64_t damped;        /* ticks */
} tb_energy;

/* Books what the forces delivered since the last tick have done, over `length` seconds. */
void tb_energy_observe(tb_energy *port, const double *u, const double *delivered, double length);
/* Foresees what these forces will do until the next tick, and damps them at the limit. Returns 1
 * when they were damped. */
int tb_energy_damp(tb_energy *port, double *forces, double length);
/* Whether more would leave than may. */
int tb_energy_trips(const tb_energy *port, const double *forces, double length);

#endif
