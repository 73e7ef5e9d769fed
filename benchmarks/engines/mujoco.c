/* MuJoCo behind the calling convention of generated functions: x = [q, v], u = [time, a or tau].
 *
 * Only the stages that a result needs are run: no collisions, constraints, sensors or actuators. */
#include <mujoco/mujoco.h>
#include <string.h>

typedef struct {
    const mjModel *model;
    mjData *data;
} engine;

static void place(const engine *e, const double *x) {
    memcpy(e->data->qpos, x, (size_t)e->model->nq * sizeof *x);
    mj_kinematics(e->model, e->data);
    mj_comPos(e->model, e->data);
}

static void move(const engine *e, const double *x) {
    memcpy(e->data->qvel, x + e->model->nq, (size_t)e->model->nv * sizeof *x);
    mj_comVel(e->model, e->data);
}

void mj_tb_inverse(const double *x, const double *u, const double *p, double *out, double *work,
                   const void *ctx) {
    const engine *e = ctx;
    (void)p, (void)work;
    memcpy(e->data->qacc, u + 1, (size_t)e->model->nv * sizeof *u);
    place(e, x);
    move(e, x);
    mj_rne(e->model, e->data, 1, out);
}

void mj_tb_forward(const double *x, const double *u, const double *p, double *out, double *work,
                   const void *ctx) {
    const engine *e = ctx;
    int n = e->model->nv;
    (void)p;
    place(e, x);
    mj_makeM(e->model, e->data);
    mj_factorM(e->model, e->data);
    move(e, x);
    mj_rne(e->model, e->data, 0, work);
    for (int i = 0; i < n; i++)
        work[i] = u[1 + i] - work[i];
    mj_solveM(e->model, e->data, out, work, 1);
}

/* Left sparse inside MuJoCo's own data: `mj_tb_read` writes it out for checks. */
void mj_tb_mass(const double *x, const double *u, const double *p, double *out, double *work,
                const void *ctx) {
    const engine *e = ctx;
    (void)u, (void)p, (void)out, (void)work;
    place(e, x);
    mj_makeM(e->model, e->data);
}

void mj_tb_read(double *out, const void *ctx) {
    const engine *e = ctx;
    mj_fullM(e->model, e->data, out);
}
