/* Directional derivatives, from functions that the tape differentiated: how everything follows a
 * variation of [x, t, inputs, parameters].
 *
 *   J delta = -dh, J dv = -d(J v - b)     what depends on others follows them
 *   K ds = -dr                            accelerations and multipliers follow the motion */
#include <math.h>
#include <string.h>

#include "instance.h"

#if FMU_SLOPES
#include "linear/full_pivoting.h"

enum {
    SOLVED = FMU_NV + FMU_NM,
    SIZE = SOLVED > FMU_NM ? SOLVED : FMU_NM,
    VARIED = FMU_NX + 1 + FMU_NU + FMU_NP,
    AT_SOLVED = 1 + FMU_NU,
    AT_VARIED = AT_SOLVED + SOLVED,
    AT_FOLLOWING = AT_VARIED + VARIED
};

static const double TOLERANCE = 1e-13; /* of pivots: rows that repeat others have none */

typedef struct follower {
    const double *x, *p;
    double u[AT_FOLLOWING + SOLVED + 1]; /* as the functions read it */
    double solution[SOLVED + SOLVED * SOLVED + 1]; /* [r at s = 0, K] */
    double matrix[SIZE * SIZE + 1], right[SIZE + 1], found[SIZE + 1];
    double slopes[SOLVED + FMU_NX + 1];
    int order[SIZE + 1], columns[SIZE + 1];
} follower;

static double *varied(follower *f) { return f->u + AT_VARIED; }

/* found: matrix found = -right; rows and columns of size; the matrix is kept as it was. */
static void solve(follower *f, const double *matrix, int size) {
    memcpy(f->matrix, matrix, (size_t)size * (size_t)size * sizeof *matrix);
    for (int i = 0; i < size; i++)
        f->right[i] = -f->right[i];
    long rank = tb_full_factor(size, f->matrix, f->order, f->columns, TOLERANCE);
    tb_full_solve(size, rank, f->matrix, f->order, f->columns, f->right, f->found);
}

/* step: J step = -right, zero at the columns that don't depend on others at this level. */
static void follow(follower *f, const fmu_core *core, int level, double *step) {
    double matrix[FMU_NM * FMU_NM + 1];
    int places[FMU_NM + 1], count = 0;
    memset(matrix, 0, sizeof matrix);
    memset(step, 0, FMU_NV * sizeof *step);
    for (int j = 0; j < FMU_NV && count < FMU_NM; j++) {
        int depends = fmu_core_level(core, j);
        if (depends == 0 || depends > level)
            continue;
        const double *J = f->solution + SOLVED + FMU_NV * SOLVED;
        for (int i = 0; i < FMU_NM; i++)
            if (level > 1 || fmu_holonomic[i])
                matrix[i * FMU_NM + count] = J[i * SOLVED + j];
        places[count++] = j;
    }
    solve(f, matrix, FMU_NM);
    for (int k = 0; k < count; k++)
        step[places[k]] = f->found[k];
}

static void follow_constraints(follower *f, const fmu_core *core) {
    double step[FMU_NV + 1], moved[FMU_NX + 1], turned[FMU_NX + 1];
    fmu_model_position_slopes(f->x, f->u, f->p, f->right, NULL, NULL);
    follow(f, core, 1, step);
    memcpy(moved, f->x, sizeof moved);
    memcpy(moved + FMU_NQ, step, FMU_NV * sizeof *step);
    fmu_model_turn(moved, f->u, f->p, turned, NULL, NULL); /* linear in velocities */
    for (int i = 0; i < FMU_NQ; i++)
        varied(f)[i] += turned[i];
    fmu_model_velocity_slopes(f->x, f->u, f->p, f->right, NULL, NULL);
    follow(f, core, 2, step);
    for (int j = 0; j < FMU_NV; j++)
        varied(f)[FMU_NQ + j] += step[j];
}

/* Of rates and outputs, along the variation. */
static void follow_motion(follower *f, double *rates, double *outputs) {
    fmu_model_slopes(f->x, f->u, f->p, f->slopes, NULL, NULL);
    memcpy(f->right, f->slopes, SOLVED * sizeof(double));
    solve(f, f->solution + SOLVED, SOLVED);
    memcpy(f->u + AT_FOLLOWING, f->found, SOLVED * sizeof(double));
    fmu_model_output_slopes(f->x, f->u, f->p, outputs, NULL, NULL);
    const double *turning = f->slopes + SOLVED;
    memcpy(rates, turning, FMU_NQ * sizeof(double));
    memcpy(rates + FMU_NQ, f->found, FMU_NV * sizeof(double));
    memcpy(rates + FMU_NQ + FMU_NV, turning + FMU_NQ, FMU_NZ * sizeof(double));
}

/* Where a known variable stands in the variation; -1 where it isn't one. */
static int place_of(uint32_t at) {
    if (at == FMU_TIME)
        return FMU_NX;
    if (at < FMU_OUTPUTS)
        return FMU_NX + (int)at;
    if (at >= FMU_STATES && at < FMU_RATES)
        return (int)at - FMU_STATES;
    if (at >= FMU_PARAMETERS && at < FMU_INDICATORS)
        return FMU_NX + 1 + FMU_NU + (int)at - FMU_PARAMETERS;
    return -1;
}

int fmu_get_slopes(fmu_instance *self, const uint32_t *unknowns, size_t unknown_count,
                  const uint32_t *knowns, size_t known_count, const double *seed, double *result) {
    int status = fmu_know_rate(self);
    if (status != FMU_OK)
        return status;
    const fmu_core *core = &self->core;
    follower f = {.x = core->x, .p = self->slope_block};
    memcpy(f.u, core->u, (1 + FMU_NU) * sizeof(double));
    fmu_model_solution(f.x, f.u, f.p, f.solution, NULL, NULL);
    memcpy(f.right, f.solution, SOLVED * sizeof(double));
    solve(&f, f.solution + SOLVED, SOLVED);
    memcpy(f.u + AT_SOLVED, f.found, SOLVED * sizeof(double));
    for (size_t i = 0; i < known_count; i++) {
        int place = place_of(knowns[i]);
        if (place < 0)
            return fmu_tell(self, FMU_ERROR, "Nothing is differentiated by variable %u.",
                            knowns[i]);
        varied(&f)[place] += seed[i];
    }
    if (FMU_NM > 0)
        follow_constraints(&f, core);
    double rates[FMU_NX + 1], outputs[FMU_NY + 1];
    follow_motion(&f, rates, outputs);
    for (size_t i = 0; i < unknown_count; i++) {
        uint32_t at = unknowns[i];
        if (at >= FMU_OUTPUTS && at < FMU_STATES)
            result[i] = outputs[at - FMU_OUTPUTS];
        else if (at >= FMU_RATES && at < FMU_PARAMETERS)
            result[i] = rates[at - FMU_RATES];
        else if (at >= FMU_STATES && at < FMU_RATES)
            result[i] = varied(&f)[at - FMU_STATES];
        else
            return fmu_tell(self, FMU_ERROR, "Variable %u isn't differentiated.", at);
    }
    return FMU_OK;
}

#else

int fmu_get_slopes(fmu_instance *self, const uint32_t *unknowns, size_t unknown_count,
                   const uint32_t *knowns, size_t known_count, const double *seed, double *result) {
    (void)unknowns, (void)unknown_count, (void)knowns, (void)known_count, (void)seed, (void)result;
    return fmu_tell(self, FMU_ERROR, "This model has no directional derivatives.");
}

#endif
