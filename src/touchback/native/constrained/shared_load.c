/* Rows that contradict each other: [[M, -W^T], [J, 0]] [a; lambda] = [f; right] by least squares,
 * so that they are met as well as can be. Runs need none of it: there a choice of the rows is met.
 */
#include "constrained/constrained.h"
#include "linear/least_squares.h"

static const double REDUNDANT = 1e-13;

void tb_share_load(const tb_constrained_model *model, tb_constrained_work *work, const double *W) {
    const tb_shared_load *own = work->shared;
    const double *J = tb_terms_J(model, work), *M = tb_terms_M(model, work);
    long n = model->n, size = model->n + model->m;
    double *A = own->matrix;
    if (tb_first_not_finite(work->at_terms, tb_terms_z(model, work) - work->at_terms) >= 0 ||
        tb_first_not_finite(work->right, model->m) >= 0)
        return; /* what isn't a number stays so */
    memset(A, 0, (size_t)(size * size) * sizeof *A);
    for (long k = 0; k < model->M_count; k++)
        A[model->M_rows[k] * size + model->M_columns[k]] =
            A[model->M_columns[k] * size + model->M_rows[k]] = M[k];
    for (long k = 0; k < model->J_count; k++)
        A[(n + model->J_rows[k]) * size + model->J_columns[k]] = J[k];
    if (model->W_count && W)
        for (long k = 0; k < model->W_count; k++)
            A[model->W_columns[k] * size + n + model->W_rows[k]] = -W[k];
    else
        for (long k = 0; k < model->J_count; k++)
            A[model->J_columns[k] * size + n + model->J_rows[k]] = -J[k];
    tb_copy(own->right, tb_terms_f(model, work), n);
    tb_copy(own->right + n, work->right, model->m);
    tb_least_squares(size, size, A, own->right, REDUNDANT, own->solution, own->work, own->order);
    tb_copy(work->a, own->solution, n);
    tb_copy(work->lambda, own->solution + n, model->m);
}
