/* The variational midpoint rule: with L = v.M(q)v/2 - V at the middle of the step, the discrete
 * Euler-Lagrange equations (J. E. Marsden and M. West, Discrete mechanics and variational
 * integrators, Acta Numerica 10 (2001), 2.6.1) are the implicit midpoint rule for positions and
 * momenta p = M(q) v,
 *
 *   q+ = q + h v_m,   p+ = p + h dp/dt(q_m, v_m),   q_m = (q + q+)/2,   M(q_m) v_m = (p + p+)/2,
 *
 * with dp/dt = M a + (dM/dt) v. It is symplectic where M depends on q too, so that the energy of
 * what nothing drives or damps goes to and fro by O(h^2) and doesn't drift; and it keeps momenta
 * that no force changes. Forces count at the middle of the step.
 *
 * Newton's method for the middle takes the Jacobian of dx/dt at the start, which leaves out how the
 * mass changes within the step: the error falls by a factor of the order h with each iteration. It
 * goes on to rounding, since what is left of every step adds up. */
#include <math.h>
#include <string.h>

#include "integrate/adaptive.h"
#include "integrate/fixed_step.h"
#include "integrate/newton.h"
#include "linear/dense.h"

enum { ITERATIONS = 50, PATIENT = 12 };
static const double ROUNDING = 1e-15, NEARLY = 1e-12; /* of the state's components, at least of 1 */

/* [M, dp/dt, dz/dt] at a time and a state. */
static const double *momenta(const tb_problem *problem, double t, const double *x) {
    tb_newton *newton = problem->newton;
    tb_set_inputs(problem, t, x);
    tb_call(&newton->momentum, x, problem->u, newton->momentum_p, newton->momenta);
    newton->evaluations++;
    return newton->momenta;
}

static void momentum_of(long n, const double *M, const double *v, double *p) {
    for (long i = 0; i < n; i++) {
        p[i] = 0.0;
        for (long j = 0; j < n; j++)
            p[i] += M[i * n + j] * v[j];
    }
}

/* What positions, velocities (for momenta, by the mass there) and further states of the middle
 * lack. */
static int lacking(const tb_problem *problem, double t, double h, const double *x, const double *p,
                   const double *middle, double *step) {
    long nq = problem->nq, n = problem->nv, nz = problem->nz;
    const double *v = middle + nq, *at = momenta(problem, t + 0.5 * h, middle);
    const double *p_rate = at + n * n, *z_rate = p_rate + n;
    const double *turning = v;
    if (TB_HAS(problem, configuration_rate)) {
        TB_CALL(problem, configuration_rate, middle, problem->u, problem->p, step);
        turning = step;
    }
    for (long i = 0; i < nq; i++)
        step[i] = x[i] + 0.5 * h * turning[i] - middle[i];
    momentum_of(n, at, v, step + nq);
    for (long i = 0; i < n; i++)
        step[nq + i] = p[i] + 0.5 * h * p_rate[i] - step[nq + i];
    for (long i = 0; i < nz; i++)
        step[nq + n + i] = x[nq + n + i] + 0.5 * h * z_rate[i] - middle[nq + n + i];
    if (tb_cholesky_factor(n, problem->newton->momenta) != 0)
        return 0;
    tb_cholesky_solve(n, problem->newton->momenta, step + nq);
    return 1;
}

/* The middle of the step, from the guess in `middle`; 0 when there is none. */
static int find_middle(const tb_problem *problem, double t, double h, const double *x,
                       const double *p, double *middle, double *step) {
    tb_newton *newton = problem->newton;
    long size = tb_state_size(problem);
    double before = INFINITY;
    for (long iteration = 1; iteration <= ITERATIONS; iteration++) {
        if (iteration > PATIENT) { /* with a new Jacobian */
            tb_rate(problem, t + 0.5 * h, middle, step);
            tb_rate_jacobian(problem, t + 0.5 * h, middle, step);
            if (!tb_newton_factor(newton, size, 0.5 * h))
                return 0;
        }
        if (!lacking(problem, t, h, x, p, middle, step))
            return 0;
        tb_lu_solve(size, newton->matrix, newton->pivots, step);
        for (long i = 0; i < size; i++)
            middle[i] += step[i];
        double left = tb_scaled_norm(size, step, middle, middle, ROUNDING, ROUNDING);
        if (!(left - left == 0.0))
            return 0;
        if (left <= 1.0 || (left <= NEARLY / ROUNDING && left >= 0.5 * before)) {
            tb_newton_count(newton, iteration, 1);
            return 1;
        }
        before = left;
    }
    tb_newton_count(newton, ITERATIONS, 0);
    return 0;
}

void tb_variational_step(const tb_problem *problem, double t, double h, const double *x,
                         double *next, double *scratch) {
    tb_newton *newton = problem->newton;
    long size = tb_state_size(problem), nq = problem->nq, n = problem->nv;
    double *rate = scratch, *middle = rate + size, *step = middle + size, *p = step + size;
    tb_rate(problem, t, x, rate);
    newton->evaluations++;
    tb_rate_jacobian(problem, t, x, rate);
    momentum_of(n, momenta(problem, t, x), x + nq, p);
    for (long i = 0; i < size; i++)
        middle[i] = x[i] + 0.5 * h * rate[i];
    int found =
        tb_newton_factor(newton, size, 0.5 * h) && find_middle(problem, t, h, x, p, middle, step);
    if (found) {
        for (long i = 0; i < size; i++)
            next[i] = 2.0 * middle[i] - x[i];
        const double *at = momenta(problem, t + 0.5 * h, middle);
        for (long i = 0; i < n; i++)
            p[i] += h * at[n * n + i];
        momenta(problem, t + h, next);
        found = tb_cholesky_factor(n, newton->momenta) == 0;
        tb_cholesky_solve(n, newton->momenta, p);
        memcpy(next + nq, p, (size_t)n * sizeof *p);
    }
    for (long i = 0; !found && i < size; i++) /* the run ends here with the last good state */
        next[i] = NAN;
}
