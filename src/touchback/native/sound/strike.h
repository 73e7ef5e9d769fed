/* A felt hammer meets a string: F = K (ξ^p + delay d(ξ^p)/dt) between a free mass and the string's
 * modes. */
#ifndef TOUCHBACK_STRIKE_H
#define TOUCHBACK_STRIKE_H

typedef struct tb_blow {
    double mass, stiffness, exponent; /* of the hammer [kg, N/m^p] */
    double delay;                     /* s: of its felt, F = K (w + delay dw/dt), w = ξ^p */
    double speed;                     /* m/s towards the string; afterwards of the rebound */
    double step;                      /* s */
    long most;                        /* steps after which the hammer has been checked */
} tb_blow;

/* Steps a resting string and its hammer until they part. Of `count` modes `advance` holds the four
 * transitions over a step (row by row), `push` what a force of 1 N held over it adds to position
 * and velocity, `shape` where the hammer is. Fills `modes` (positions, then velocities) and
 * `forces` (most + 1), and gives how many forces there are. */
long tb_strike(tb_blow *blow, long count, const double *advance, const double *push,
               const double *shape, double *modes, double *forces);

#endif
