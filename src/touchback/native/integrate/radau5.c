#include "integrate/radau5.h"

#include <math.h>
#include <string.h>

#include "integrate/adaptive.h"
#include "integrate/books.h"
#include "integrate/dense_output.h"
#include "integrate/newton.h"
#include "interrupt.h"

#define ROOT6 2.449489742783178
static const double C[3] = {(4.0 - ROOT6) / 10.0, (4.0 + ROOT6) / 10.0, 1.0};
/* Eigenvalues of the inverse Runge-Kutta matrix: GAMMA, ALPHA -+ i BETA. */
static const double GAMMA = 3.6378342527444957, ALPHA = 2.6810828736277521,
                    BETA = 3.0504301992474106;
static const double T[3][3] = {
    {0.09443876248897524, -0.14125529502095421, 0.03002919410514742},
    {0.25021312296533332, 0.20412935229379994, -0.38294211275726192},
    {1.0, 1.0, 0.0},
};
static const double T_INVERSE[3][3] = {
    {4.17871859155190428, 0.32768282076106237, 0.52337644549944951},
    {-4.17871859155190428, -0.32768282076106237, 0.47662355450055044},
    {0.50287263494578682, -2.57192694985560522, 0.59603920482822492},
};
static const double E[3] = {(-13.0 - 7.0 * ROOT6) / 3.0, (-13.0 + 7.0 * ROOT6) / 3.0, -1.0 / 3.0};
/* The slopes of the collocation polynomial at the ends of the step, from its three stages. */
static const double FIRST[3] = {(13.0 + 7.0 * ROOT6) / 3.0, (13.0 - 7.0 * ROOT6) / 3.0, 1.0 / 3.0};
static const double LAST[3] = {-1.0 + 8.0 * ROOT6 / 3.0, -1.0 - 8.0 * ROOT6 / 3.0, 5.0};
static const double SAFETY = 0.9, SHRINK = 0.2, GROW = 8.0;
static const long ITERATIONS = 7;

static double error_tolerance(const tb_radau5 *self) {
    return 0.1 * pow(self->rtol, 2.0 / 3.0);
}

static double norm(const tb_radau5 *self, long n, const double *values) {
    double rtol = error_tolerance(self), atol = self->atol * rtol / self->rtol;
    return tb_scaled_norm(n, values, self->x, self->x, rtol, atol);
}

static int factor(tb_radau5 *self, const tb_problem *problem, double h) {
    tb_newton *newton = problem->newton;
    long n = tb_state_size(problem);
    for (long i = 0; i < n * n; i++) {
        self->real[i] = -newton->J[i];
        self->complex[i] = (tb_complex){-newton->J[i], 0.0};
    }
    for (long i = 0; i < n; i++) {
        self->real[i * n + i] += GAMMA / h;
        self->complex[i * n + i].re += ALPHA / h;
        self->complex[i * n + i].im -= BETA / h;
    }
    newton->factorisations++;
    self->factored = h;
    return tb_lu_factor(n, self->real, newton->pivots) == 0 &&
           tb_complex_lu_factor(n, self->complex, self->complex_pivots) == 0;
}

static void transform(long n, const double matrix[3][3], const double *from, double *to) {
    for (int row = 0; row < 3; row++)
        for (long i = 0; i < n; i++)
            to[row * n + i] = matrix[row][0] * from[i] + matrix[row][1] * from[n + i] +
                              matrix[row][2] * from[2 * n + i];
}

/* One simplified Newton step: the rates F of the stages become the increments of W. */
static void newton_step(tb_radau5 *self, const tb_problem *problem, double h) {
    long n = tb_state_size(problem);
    double *W = self->W, *F = self->F;
    tb_complex *right = self->right;
    for (long i = 0; i < n; i++) {
        double f1 = F[i], f2 = F[n + i], f3 = F[2 * n + i];
        double w2 = W[n + i], w3 = W[2 * n + i];
        F[i] = T_INVERSE[0][0] * f1 + T_INVERSE[0][1] * f2 + T_INVERSE[0][2] * f3 -
               GAMMA / h * W[i];
        right[i].re = T_INVERSE[1][0] * f1 + T_INVERSE[1][1] * f2 + T_INVERSE[1][2] * f3 -
                      (ALPHA * w2 + BETA * w3) / h;
        right[i].im = T_INVERSE[2][0] * f1 + T_INVERSE[2][1] * f2 + T_INVERSE[2][2] * f3 -
                      (ALPHA * w3 - BETA * w2) / h;
    }
    tb_lu_solve(n, self->real, problem->newton->pivots, F);
    tb_complex_lu_solve(n, self->complex, self->complex_pivots, right);
    for (long i = 0; i < n; i++) {
        F[n + i] = right[i].re;
        F[2 * n + i] = right[i].im;
    }
}

/* Z of the stages, from the guess in Z. Returns the iterations, 0 when they diverge; *rate is then
 * or otherwise the last quotient of two increments. */
static long solve_stages(tb_radau5 *self, const tb_problem *problem, double h, double *rate) {
    long n = tb_state_size(problem);
    double rtol = error_tolerance(self), before = 0.0;
    double enough = fmax(10.0 * DBL_EPSILON / rtol, fmin(0.03, sqrt(rtol)));
    double trust = pow(fmax(self->contraction, DBL_EPSILON), 0.8);
    *rate = 1e-3;
    transform(n, T_INVERSE, self->Z, self->W);
    for (long iteration = 1; iteration <= ITERATIONS; iteration++) {
        for (int stage = 0; stage < 3; stage++) {
            for (long i = 0; i < n; i++)
                self->next[i] = self->x[i] + self->Z[stage * n + i];
            tb_rate(problem, self->t + C[stage] * h, self->next, self->F + stage * n);
        }
        self->evaluations += 3;
        self->bad = tb_first_not_finite(self->F, 3 * n);
        if (self->bad >= 0) {
            self->bad %= n;
            return 0;
        }
        newton_step(self, problem, h);
        double size = 0.0;
        for (int stage = 0; stage < 3; stage++) {
            double part = norm(self, n, self->F + stage * n);
            size += part * part / 3.0;
        }
        size = sqrt(size);
        if (iteration > 1) {
            *rate = size / before;
            double left = pow(*rate, (double)(ITERATIONS - iteration)) / (1.0 - *rate) * size;
            if (!(*rate < 0.99) || left > enough)
                return 0;
            trust = *rate / (1.0 - *rate);
        }
        before = size;
        for (long i = 0; i < 3 * n; i++)
            self->W[i] += self->F[i];
        transform(n, T, self->W, self->Z);
        problem->newton->iterations++;
        if (trust * size <= enough) {
            self->contraction = trust;
            return iteration;
        }
    }
    return 0;
}

/* The guess for the stages: the last step's polynomial, carried on; zeros at the start. */
static void extrapolate(tb_radau5 *self, long n, double h) {
    if (self->last_h == 0.0) {
        memset(self->Z, 0, (size_t)(3 * n) * sizeof *self->Z);
        return;
    }
    for (int stage = 0; stage < 3; stage++) {
        double *Z = self->Z + stage * n;
        tb_dense_state(n, self->rows, 1.0 + C[stage] * h / self->last_h, Z);
        for (long i = 0; i < n; i++)
            Z[i] -= self->x[i];
    }
}

/* The scaled error of the step; the first time and after a rejection filtered once more, because
 * the estimate alone is too pessimistic on stiff parts that haven't died down. */
static double estimate(tb_radau5 *self, const tb_problem *problem, double h) {
    long n = tb_state_size(problem);
    double *error = self->error, *fixed = self->error + n;
    const double *Z = self->Z;
    for (long i = 0; i < n; i++) {
        fixed[i] = (E[0] * Z[i] + E[1] * Z[n + i] + E[2] * Z[2 * n + i]) / h;
        error[i] = self->rate[i] + fixed[i];
    }
    tb_lu_solve(n, self->real, problem->newton->pivots, error);
    double size = norm(self, n, error);
    if (size < 1.0 || (self->last_h > 0.0 && !self->after_rejection))
        return size;
    for (long i = 0; i < n; i++)
        self->next[i] = self->x[i] + error[i];
    tb_rate(problem, self->t, self->next, error);
    self->evaluations++;
    for (long i = 0; i < n; i++)
        error[i] += fixed[i];
    tb_lu_solve(n, self->real, problem->newton->pivots, error);
    return norm(self, n, error);
}

/* The state after a shorter step, solved with the Jacobian at hand from the dense output. */
static void part_of_step(void *method, const tb_problem *problem, double part, double *x) {
    tb_radau5 *self = method;
    long n = tb_state_size(problem);
    double ignored;
    for (int stage = 0; stage < 3; stage++) {
        double *Z = self->Z + stage * n;
        tb_dense_state(n, self->rows, C[stage] * part / self->last_h, Z);
        for (long i = 0; i < n; i++)
            Z[i] -= self->x[i];
    }
    int solved = factor(self, problem, part) && solve_stages(self, problem, part, &ignored);
    if (solved)
        for (long i = 0; i < n; i++)
            x[i] = self->x[i] + self->Z[2 * n + i];
    else /* no correction: what the dense output says */
        tb_dense_state(n, self->rows, part / self->last_h, x);
    self->factored = 0.0;
}

static void prepare_dense_output(tb_radau5 *self, long n, double h) {
    const double *Z = self->Z;
    double *first = self->error, *last = self->error + n;
    for (long i = 0; i < n; i++) {
        first[i] = (FIRST[0] * Z[i] + FIRST[1] * Z[n + i] + FIRST[2] * Z[2 * n + i]) / h;
        last[i] = (LAST[0] * Z[i] + LAST[1] * Z[n + i] + LAST[2] * Z[2 * n + i]) / h;
    }
    tb_dense_cubic(n, h, self->x, self->next, first, last, self->rows);
}

int tb_radau5_restart(tb_radau5 *self, const tb_problem *problem) {
    self->last_h = self->factored = 0.0;
    self->contraction = 1.0;
    self->fresh = 1;
    self->evaluations++;
    tb_rate(problem, self->t, self->x, self->rate);
    self->bad = tb_first_not_finite(self->rate, tb_state_size(problem));
    if (self->bad >= 0)
        return TB_NOT_FINITE;
    tb_rate_jacobian(problem, self->t, self->x, self->rate);
    return TB_PAUSED;
}

int tb_radau5_start(tb_radau5 *self, const tb_problem *problem, double t_end) {
    self->accepted = self->rejected = self->evaluations = self->after_rejection = 0;
    self->h = 0.0;
    int status = tb_radau5_restart(self, problem);
    if (status == TB_PAUSED && t_end > self->t) {
        double longest = fmin(self->max_step, t_end - self->t);
        self->h = tb_starting_step(problem, self->t, self->x, self->rate, longest, 3.0,
                                   self->rtol, self->atol, self->error);
        self->evaluations++;
    }
    return status;
}

/* The stages of one step: 0 when Newton's method fails even with a fresh Jacobian. */
static long take_stages(tb_radau5 *self, const tb_problem *problem, double h, double *rate) {
    long n = tb_state_size(problem);
    for (;;) {
        int usable = self->factored == h || factor(self, problem, h);
        extrapolate(self, n, h);
        long iterations = usable ? solve_stages(self, problem, h, rate) : 0;
        if (iterations || self->fresh)
            return iterations;
        tb_rate_jacobian(problem, self->t, self->x, self->rate);
        self->fresh = 1;
        self->factored = 0.0;
    }
}

/* Gustafsson's controller: the next step over this one. */
static double growth(const tb_radau5 *self, double h, double error, long iterations) {
    double safety = SAFETY * (double)(2 * ITERATIONS + 1) / (double)(2 * ITERATIONS + iterations);
    double factor = pow(fmax(error, 1e-12), -0.25);
    if (self->last_h > 0.0 && error > 0.0)
        factor *= fmin(1.0, h / self->last_h * pow(self->last_error / error, 0.25));
    return fmin(fmax(safety * factor, SHRINK), self->after_rejection ? 1.0 : GROW);
}

int tb_radau5_advance(tb_radau5 *self, const tb_problem *problem, double t_end, long max_attempts,
                      const double *times, long count, long *written, double *record) {
    long n = tb_state_size(problem);
    for (; max_attempts > 0 && self->t < t_end; max_attempts--) {
        if (tb_stop_asked())
            return TB_INTERRUPTED;
        if (self->accepted + self->rejected >= self->step_limit)
            return TB_STEP_LIMIT;
        double h = fmin(self->h, self->max_step), rate = 0.0;
        int last = self->t + 1.01 * h >= t_end;
        if (last)
            h = t_end - self->t;
        long iterations = take_stages(self, problem, h, &rate);
        double error = iterations ? estimate(self, problem, h) : INFINITY;
        if (!(error < 1.0)) {
            double shrink = 0.5; /* without convergence */
            if (iterations)
                shrink = self->last_h == 0.0 ? 0.1 : growth(self, h, error, iterations);
            self->rejected++;
            self->after_rejection = 1;
            self->h = h * fmin(shrink, 0.9);
            if (tb_step_vanished(self->t, self->h))
                return self->bad >= 0 ? TB_NOT_FINITE : TB_STEP_TOO_SMALL;
            continue;
        }
        for (long i = 0; i < n; i++)
            self->next[i] = self->x[i] + self->Z[2 * n + i];
        double factor = growth(self, h, error, iterations), t_new = last ? t_end : self->t + h;
        prepare_dense_output(self, n, h);
        self->last_h = h;
        self->last_error = fmax(error, 1e-2);
        tb_taken taken = {self->t, h, self->rows, part_of_step, self};
        int active = self->events && tb_events_scan(self->events, problem, &taken);
        if (active)
            t_new = fmin(tb_event_time(self->events), t_new);
        if (problem->books)
            tb_books_add(problem->books, self->t, h, self->rows,
                         active ? (t_new - self->t) / h : 1.0);
        for (; *written < count && times[*written] <= t_new; ++*written) {
            double *state = record + *written * n, t = times[*written];
            tb_dense_state(n, self->rows, (t - self->t) / h, state);
            tb_settle(problem, t, state, 0);
        }
        tb_dense_state(n, self->rows, 1.0, self->x);
        self->t = t_new;
        self->accepted++;
        self->after_rejection = 0;
        if (active) {
            memcpy(self->x, tb_event_state(self->events, n), (size_t)n * sizeof *self->x);
            return TB_EVENT;
        }
        tb_settle(problem, t_new, self->x, 1);
        tb_rate(problem, t_new, self->x, self->rate);
        self->evaluations++;
        self->bad = tb_first_not_finite(self->rate, n);
        if (self->bad >= 0)
            return TB_NOT_FINITE;
        int slow = iterations > 2 && rate > 1e-3;
        self->fresh = slow;
        if (slow) {
            tb_rate_jacobian(problem, t_new, self->x, self->rate);
            self->factored = 0.0;
        }
        /* A step that would change little is kept, with its factors. */
        self->h = !slow && factor >= 1.0 && factor <= 1.2 ? h : h * factor;
        if (self->events && tb_events_full(self->events))
            break;
    }
    return self->t < t_end ? TB_PAUSED : TB_REACHED;
}
