#include "sound/strike.h"

#include <math.h>

/* A felt that gives force as K (w + delay dw/dt) of w = ξ^p, never pulling. */
typedef struct felt {
    double stiffness, exponent;
    double ahead;       /* 3/2 delay/step: the derivative is told from three instants */
    double last, older; /* w at the two steps before */
} felt;

/* The force when the string gives way by `give` for each newton more than `before`; Newton's rule
 * from the right of a rising convex function comes down to its root. */
static double pushed(felt *f, double compression, double give, double before) {
    double memory = f->ahead * (4.0 * f->last - f->older) / 3.0;
    double x = fmax(compression, 0.0), w = 0.0;
    for (int i = 0; i < 50 && x > 0.0; i++) {
        w = pow(x, f->exponent);
        double slope = f->stiffness * (1.0 + f->ahead) * f->exponent * w / x;
        double force = f->stiffness * ((1.0 + f->ahead) * w - memory);
        double step = (give * (force - before) + x - compression) / (give * slope + 1.0);
        x = fmax(x - step, 0.0);
        if (fabs(step) <= 1e-13 + 1e-10 * x)
            break;
    }
    w = x > 0.0 ? pow(x, f->exponent) : 0.0;
    double force = fmax(f->stiffness * ((1.0 + f->ahead) * w - memory), 0.0);
    if (force == 0.0) /* it hangs behind: what is left of it comes back by itself */
        w = pow(fmax(compression + give * before, 0.0), f->exponent);
    f->older = f->last;
    f->last = w;
    return force;
}

/* The hammer goes by Störmer's rule, the modes exactly under a force that is constant over a step:
 * the contact keeps its energy to the second order of the step. */
long tb_strike(tb_blow *blow, long count, const double *advance, const double *push,
               const double *shape, double *modes, double *forces) {
    double *q = modes, *v = modes + count;
    const double *qq = advance, *qv = qq + count, *vq = qv + count, *vv = vq + count;
    const double *push_q = push, *push_v = push + count;
    felt own = {blow->stiffness, blow->exponent, 1.5 * blow->delay / blow->step, 0.0, 0.0};
    double give = 0.0;
    for (long k = 0; k < count; k++)
        give += shape[k] * push_q[k] / 2.0;
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
        double new = pushed(&own, compression, give, force);
        double more = (new - force) / 2.0;
        for (long k = 0; k < count; k++) {
            q[k] += push_q[k] * more;
            v[k] += push_v[k] * more;
            speed += shape[k] * v[k];
        }
        velocity = half - h / 2.0 * new / blow->mass;
        force = forces[i] = new;
        if (new <= 0.0 && velocity < speed) {
            blow->speed = -velocity;
            return i + 1;
        }
    }
    blow->speed = -velocity;
    return blow->most + 1;
}
