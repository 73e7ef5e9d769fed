/* Rows that contradict each other: [[M, -W^T], [J, 0]] [a; lambda] = [f; right] by least squares,
 * so that they are met as well as can be. Runs need none of it: there a choice of the rows is met.
 */
#include "constrained/constrained.h"
#include "linear/least_squares.h"

static const double REDUNDANT = 1e-13;

void tb_share_load(tb_constrained *c, const double *W) {
    const tb_shared_load *own = c->shared;
    const double *J = tb_terms_J(c), *M = tb_terms_M(c);
    long n = c->n, size = c->n + c->m;
    double *A = own->matrix;
    if (tb_first_not_finite(c->at_terms, tb_terms_z(c) - c->at_terms) >= 0 ||
        tb_first_not_finite(c->right, c->m) >= 0)
        return; /* what isn't a number stays so */
    memset(A, 0, (size_t)(size * size) * sizeof *A);
    for (long k = 0; k < c->M_count; k++)
        A[c->M_rows[k] * size + c->M_columns[k]] = A[c->M_columns[k] * size + c->M_rows[k]] = M[k];
    for (long k = 0; k < c->J_count; k++)
        A[(n + c->J_rows[k]) * size + c->J_columns[k]] = J[k];
    if (c->W_count && W)
        for (long k = 0; k < c->W_count; k++)
            A[c->W_columns[k] * size + n + c->W_rows[k]] = -W[k];
    else
        for (long k = 0; k < c->J_count; k++)
            A[c->J_columns[k] * size + n + c->J_rows[k]] = -J[k];
    tb_copy(own->right, tb_terms_f(c), n);
    tb_copy(own->right + n, c->right, c->m);
    tb_least_squares(size, size, A, own->right, REDUNDANT, own->solution, own->work, own->order);
    tb_copy(c->a, own->solution, n);
    tb_copy(c->lambda, own->solution + n, c->m);
}
