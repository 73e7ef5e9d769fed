#include "integrate/radau5_stages.h"

#include <math.h>
#include <string.h>

#include "integrate/adaptive.h"
#include "integrate/dense_output.h"
#include "integrate/newton.h"

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

static double error_tolerance(const tb_radau5 *self) {
    return 0.1 * pow(self->rtol, 2.0 / 3.0);
}

double tb_radau5_norm(const tb_radau5 *self, long n, const double *values) {
    double rtol = error_tolerance(self), atol = self->atol * rtol / self->rtol;
    return tb_scaled_norm(n, values, self->x, self->x, rtol, atol);
}

int tb_radau5_factor(tb_radau5 *self, const tb_problem *problem, double h) {
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
        F[i] =
            T_INVERSE[0][0] * f1 + T_INVERSE[0][1] * f2 + T_INVERSE[0][2] * f3 - GAMMA / h * W[i];
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

long tb_radau5_solve_stages(tb_radau5 *self, const tb_problem *problem, double h, double *rate) {
    long n = tb_state_size(problem);
    double rtol = error_tolerance(self), before = 0.0;
    double enough = fmax(10.0 * DBL_EPSILON / rtol, fmin(0.03, sqrt(rtol)));
    double trust = pow(fmax(self->contraction, DBL_EPSILON), 0.8);
    *rate = 1e-3;
    transform(n, T_INVERSE, self->Z, self->W);
    for (long iteration = 1; iteration <= TB_RADAU5_ITERATIONS; iteration++) {
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
            double part = tb_radau5_norm(self, n, self->F + stage * n);
            size += part * part / 3.0;
        }
        size = sqrt(size);
        if (iteration > 1) {
            *rate = size / before;
            double left =
                pow(*rate, (double)(TB_RADAU5_ITERATIONS - iteration)) / (1.0 - *rate) * size;
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

void tb_radau5_guess(tb_radau5 *self, long n, double from, double h) {
    for (int stage = 0; stage < 3; stage++) {
        double *Z = self->Z + stage * n;
        tb_dense_state(n, self->rows, from + C[stage] * h / self->last_h, Z);
        for (long i = 0; i < n; i++)
            Z[i] -= self->x[i];
    }
}

long tb_radau5_take_stages(tb_radau5 *self, const tb_problem *problem, double h, double *rate) {
    long n = tb_state_size(problem);
    for (;;) {
        int usable = self->factored == h || tb_radau5_factor(self, problem, h);
        if (self->last_h == 0.0)
            memset(self->Z, 0, (size_t)(3 * n) * sizeof *self->Z);
        else
            tb_radau5_guess(self, n, 1.0, h);
        long iterations = usable ? tb_radau5_solve_stages(self, problem, h, rate) : 0;
        if (iterations || self->fresh)
            return iterations;
        tb_rate_jacobian(problem, self->t, self->x, self->rate);
        self->fresh = 1;
        self->factored = 0.0;
    }
}
