#include "sound/strike.h"

#include <math.h>

/* The hammer goes by Störmer's rule, the modes exactly under a force that is constant over a step:
 * the contact keeps its energy to the second order of the step. */
long tb_strike(tb_blow *blow, long count, const double *advance, const double *push,
               const double *shape, double *modes, double *forces) {
    double *q = modes, *v = modes + count;
    const double *qq = advance, *qv = qq + count, *vq = qv + count, *vv = vq + count;
    const double *push_q = push, *push_v = push + count;
    double h = blow->step, position = 0.0, velocity = blow->speed, force = 0.0;
    for (long k = 0; k < 2 * count; k++)
        modes[k] = 0.0;
    forces[0] = 0.0;
    for (long i = 1; i <= blow->most; i++) {
        double half = velocity - h / 2.0 * force / blow->mass, place = 0.0, speed = 0.0;
        position += h * half;
        for (long k = 0; k < count; k++) {
            double old = q[k];
            q[k] = qq[k] * old + qv[k] * v[k] + push_q[k] * force;
            v[k] = vq[k] * old + vv[k] * v[k] + push_v[k] * force;
        }
        for (long k = 0; k < count; k++)
            place += shape[k] * q[k];
        double compression = position - place;
        double new = blow->stiffness * pow(fmax(compression, 0.0), blow->exponent);
        double more = (new - force) / 2.0;
        for (long k = 0; k < count; k++) {
            q[k] += push_q[k] * more;
            v[k] += push_v[k] * more;
            speed += shape[k] * v[k];
        }
        velocity = half - h / 2.0 * new / blow->mass;
        force = forces[i] = new;
        if (compression <= 0.0 && velocity < speed) {
            blow->speed = -velocity;
            return i + 1;
        }
    }
    blow->speed = -velocity;
    return blow->most + 1;
}
