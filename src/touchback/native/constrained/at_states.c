#include "constrained/at_states.h"
#include "constrained/simd.h"

enum { FAILURES = 4, SELDOM = 32 };

/* Whether all of these numbers are finite in all lanes. */
WIDE_INLINED int finite(const double *numbers, long count) {
    const tb_lanes *each = (const tb_lanes *)numbers;
    tb_lanes sum = {}; /* stays 0 as long as they are */
    for (long k = 0; k < count; k++)
        sum += 0.0 * each[k];
    return !tb_any(~(sum == 0.0));
}

/* The states one after the other, from their terms on. */
static void solve_apart(const tb_at_states *s, double *a, double *lambda, double *refused) {
    const tb_constrained_model *model = s->one->constrained->model;
    tb_constrained_work *work = s->one->constrained->work;
    long count = tb_terms_z(model, work) - work->at_terms + model->nz;
    for (int lane = 0; lane < TB_LANES; lane++) {
        for (long k = 0; k < count; k++)
            work->at_terms[k] = s->at_terms[k * TB_LANES + lane];
        for (long i = 0; i < model->m; i++)
            work->right[i] = s->right[i * TB_LANES + lane];
        tb_move_at_terms(model, work);
        for (long j = 0; j < model->n; j++)
            a[j * TB_LANES + lane] = work->a[j];
        for (long i = 0; i < model->m; i++)
            lambda[i * TB_LANES + lane] = work->lambda[i];
        refused[lane] = (double)(work->unanswered + 1);
    }
}

/* Where it failed again and again, as with rows that are always redundant, it's tried seldom. */
static int worth_trying(const tb_at_states *s) {
    return s->together && (s->in_a_row < FAILURES || s->in_a_row % SELDOM == 0);
}

WIDE static int solved_together(tb_at_states *s, double *a, double *lambda) {
    const tb_constrained_model *model = s->one->constrained->model;
    const tb_constrained_work *work = s->one->constrained->work;
    return finite(s->at_terms, tb_terms_z(model, work) - work->at_terms) && !tb_simd_choose(s) &&
           !tb_simd_solve(s, a, lambda) && finite(a, model->n) && finite(lambda, model->m);
}

WIDE static void prepare(const tb_at_states *s, const double *x, const double *u, const double *p) {
    const tb_constrained_model *model = s->one->constrained->model;
    const tb_constrained_work *work = s->one->constrained->work;
    const tb_lanes *gamma = (const tb_lanes *)s->at_terms + 2 * model->m,
                   *given = (const tb_lanes *)u;
    tb_lanes *f = (tb_lanes *)s->at_terms + (tb_terms_f(model, work) - work->at_terms);
    tb_lanes *right = (tb_lanes *)s->right, *step = (tb_lanes *)s->step;
    tb_call(&s->terms, x, u, p, s->at_terms);
    if (s->bias.call) {
        tb_call(&s->bias, x, u, p + s->one->bias_block * TB_LANES, s->step);
        for (long j = 0; j < model->n; j++)
            f[j] = given[s->one->efforts + j] - step[j];
    }
    for (long i = 0; i < model->m; i++)
        right[i] = -gamma[i] - (s->one->pulls < 0 ? (tb_lanes){} : given[s->one->pulls + i]);
}

void tb_at_states_call(const double *x, const double *u, const double *p, double *out,
                       double *scratch, const void *context) {
    tb_at_states *s = (tb_at_states *)context;
    const tb_constrained_model *model = s->one->constrained->model;
    const tb_constrained_work *work = s->one->constrained->work;
    long size = model->nq + model->n + model->nz, zs = tb_terms_z(model, work) - work->at_terms;
    double *a = out + model->nq * TB_LANES, *lambda = out + size * TB_LANES;
    double *refused = lambda + model->m * TB_LANES;
    (void)scratch;
    prepare(s, x, u, p);
    if (s->configuration_rate.call)
        tb_call(&s->configuration_rate, x, u, p, out);
    else
        tb_copy(out, x + model->nq * TB_LANES, model->n * TB_LANES);
    tb_copy(a + model->n * TB_LANES, s->at_terms + zs * TB_LANES, model->nz * TB_LANES);
    for (int lane = 0; lane < TB_LANES; lane++)
        refused[lane] = 0.0;
    if (worth_trying(s) && solved_together(s, a, lambda)) {
        s->in_a_row = 0;
        return;
    }
    s->apart++, s->in_a_row++;
    solve_apart(s, a, lambda, refused);
}
