/* Semi-implicit (symplectic) Euler: velocities first, then positions with the new velocities.
 * Hairer, Lubich and Wanner, Geometric Numerical Integration (2006), I.1.2. */
#ifndef TB_ON_DEVICE
#include <string.h>

#include "integrate/fixed_step.h"
#include "integrate/sampler.h"
#include "integrate/state_vectors.h"
#endif

/* v += h a(q, v), z += h dz/dt, then q += h dq/dt(q, v_new). */
TB_DEVICE void tb_euler_step(const tb_problem *problem, double t, double h, const double *x,
                             double *next, double *scratch) {
    long n = tb_state_size(problem), moving = tb_moving_size(problem), nq = problem->nq;
    double *rate = scratch;
    tb_rate(problem, t, x, rate);
    tb_add_scaled(moving - nq, x + nq, h, rate + nq, next + nq);
    memcpy(next + moving, x + moving, (size_t)(n - moving) * sizeof *x);
    const double *turning = next + nq;
    if (TB_HAS(problem, configuration_rate)) {
        memcpy(next, x, (size_t)nq * sizeof *x);
        TB_CALL(problem, configuration_rate, next, problem->u, problem->p, rate);
        turning = rate;
    }
    tb_add_scaled(nq, x, h, turning, next);
}
