/* Directional derivatives, from functions that the tape differentiated: how everything follows a
 * variation of [x, t, inputs, parameters].
 *
 *   J delta = -dh, J dv = -d(J v - b)     what depends on others follows them
 *   K ds = -dr                            accelerations and multipliers follow the motion */
#include <math.h>
#include <string.h>

#include "instance.h"
#include "linear/full_pivoting.h"

enum {
    SOLVED = TB_NV + TB_NM,
    SIZE = SOLVED > TB_NM ? SOLVED : TB_NM,
    VARIED = TB_NX + 1 + TB_NU + TB_NP,
    AT_SOLVED = 1 + TB_NU,
    AT_VARIED = AT_SOLVED + SOLVED,
    AT_FOLLOWING = AT_VARIED + VARIED
};

static const double TOLERANCE = 1e-13; /* of pivots: rows that repeat others have none */

typedef struct follower {
    const double *x, *p;
    double u[AT_FOLLOWING + SOLVED + 1]; /* as the functions read it */
    double solution[SOLVED + SOLVED * SOLVED + 1]; /* [r at s = 0, K] */
    double matrix[SIZE * SIZE + 1], right[SIZE + 1], found[SIZE + 1];
    double slopes[SOLVED + TB_NX + 1];
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
static void follow(follower *f, const tb_core *core, int level, double *step) {
    double matrix[TB_NM * TB_NM + 1];
    int places[TB_NM + 1], count = 0;
    memset(matrix, 0, sizeof matrix);
    memset(step, 0, TB_NV * sizeof *step);
    for (int j = 0; j < TB_NV && count < TB_NM; j++) {
        int depends = tb_core_level(core, j);
        if (depends == 0 || depends > level)
            continue;
        const double *J = f->solution + SOLVED + TB_NV * SOLVED;
        for (int i = 0; i < TB_NM; i++)
            if (level > 1 || tb_holonomic[i])
                matrix[i * TB_NM + count] = J[i * SOLVED + j];
        places[count++] = j;
    }
    solve(f, matrix, TB_NM);
    for (int k = 0; k < count; k++)
        step[places[k]] = f->found[k];
}

static void follow_constraints(follower *f, const tb_core *core) {
    double step[TB_NV + 1], moved[TB_NX + 1], turned[TB_NX + 1];
    tb_model_position_slopes(f->x, f->u, f->p, f->right, NULL, NULL);
    follow(f, core, 1, step);
    memcpy(moved, f->x, sizeof moved);
    memcpy(moved + TB_NQ, step, TB_NV * sizeof *step);
    tb_model_turn(moved, f->u, f->p, turned, NULL, NULL); /* linear in velocities */
    for (int i = 0; i < TB_NQ; i++)
        varied(f)[i] += turned[i];
    tb_model_velocity_slopes(f->x, f->u, f->p, f->right, NULL, NULL);
    follow(f, core, 2, step);
    for (int j = 0; j < TB_NV; j++)
        varied(f)[TB_NQ + j] += step[j];
}

/* Of rates and outputs, along the variation. */
static void follow_motion(follower *f, double *rates, double *outputs) {
    tb_model_slopes(f->x, f->u, f->p, f->slopes, NULL, NULL);
    memcpy(f->right, f->slopes, SOLVED * sizeof(double));
    solve(f, f->solution + SOLVED, SOLVED);
    memcpy(f->u + AT_FOLLOWING, f->found, SOLVED * sizeof(double));
    tb_model_output_slopes(f->x, f->u, f->p, outputs, NULL, NULL);
    const double *turning = f->slopes + SOLVED;
    memcpy(rates, turning, TB_NQ * sizeof(double));
    memcpy(rates + TB_NQ, f->found, TB_NV * sizeof(double));
    memcpy(rates + TB_NQ + TB_NV, turning + TB_NQ, TB_NZ * sizeof(double));
}

/* Where a known variable stands in the variation; -1 where it isn't one. */
static int place_of(uint32_t at) {
    if (at == TB_TIME)
        return TB_NX;
    if (at < TB_OUTPUTS)
        return TB_NX + (int)at;
    if (at >= TB_STATES && at < TB_RATES)
        return (int)at - TB_STATES;
    if (at >= TB_PARAMETERS && at < TB_INDICATORS)
        return TB_NX + 1 + TB_NU + (int)at - TB_PARAMETERS;
    return -1;
}

int tb_get_slopes(tb_instance *self, const uint32_t *unknowns, size_t unknown_count,
                  const uint32_t *knowns, size_t known_count, const double *seed, double *result) {
    if (!TB_SLOPES)
        return tb_tell(self, TB_ERROR, "This model has no directional derivatives.");
    int status = tb_know_rate(self);
    if (status != TB_OK)
        return status;
    const tb_core *core = &self->core;
    follower f = {.x = core->x, .p = self->slope_block};
    memcpy(f.u, core->u, (1 + TB_NU) * sizeof(double));
    tb_model_solution(f.x, f.u, f.p, f.solution, NULL, NULL);
    memcpy(f.right, f.solution, SOLVED * sizeof(double));
    solve(&f, f.solution + SOLVED, SOLVED);
    memcpy(f.u + AT_SOLVED, f.found, SOLVED * sizeof(double));
    for (size_t i = 0; i < known_count; i++) {
        int place = place_of(knowns[i]);
        if (place < 0)
            return tb_tell(self, TB_ERROR, "Nothing is differentiated by variable %u.", knowns[i]);
        varied(&f)[place] += seed[i];
    }
    if (TB_NM > 0)
        follow_constraints(&f, core);
    double rates[TB_NX + 1], outputs[TB_NY + 1];
    follow_motion(&f, rates, outputs);
    for (size_t i = 0; i < unknown_count; i++) {
        uint32_t at = unknowns[i];
        if (at >= TB_OUTPUTS && at < TB_STATES)
            result[i] = outputs[at - TB_OUTPUTS];
        else if (at >= TB_RATES && at < TB_PARAMETERS)
            result[i] = rates[at - TB_RATES];
        else if (at >= TB_STATES && at < TB_RATES)
            result[i] = varied(&f)[at - TB_STATES];
        else
            return tb_tell(self, TB_ERROR, "Variable %u isn't differentiated.", at);
    }
    return TB_OK;
}
