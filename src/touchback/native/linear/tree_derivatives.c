#include "linear/tree_derivatives.h"

#include "linear/chain_derivatives.h"
#include "linear/tree_widths.h"

enum { WIDEST = 32 }; /* rows at a time, at most */

/* What generated code gives, filled up to whole vectors. */
static long given(const tb_tree_derivatives *self) {
    long size = groups(self) * (long)(sizeof(tb_columns) / sizeof(double));
    if (self->dense)
        size += 2 * self->n * self->n;
    return (size + TB_COLUMNS - 1) / TB_COLUMNS * TB_COLUMNS;
}

static int as_chain(const tb_tree_derivatives *self) {
    return self->lanes == 0 && tb_is_chain(self);
}

long tb_tree_derivatives_work(const tb_tree_derivatives *self) {
    long made = groups(self) * (long)(sizeof(products) / sizeof(double));
    long rest = made + (3 * (self->n + TB_COLUMNS) + 6 * self->links) * WIDEST;
    long chain = as_chain(self) ? tb_chain_derivatives_work(self) : 0;
    return given(self) + (chain > rest ? chain : rest);
}

long tb_tree_derivatives_lanes(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return 8;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 4;
#endif
    return 2;
}

void tb_solved_tree_derivatives(const double *x, const double *u, const double *p, double *out,
                                double *work, const void *ctx) {
    const tb_tree_derivatives *self = ctx;
    double *after = work + given(self), *inner = work + tb_tree_derivatives_work(self);
    self->columns(x, u, p, work, inner, self->columns_context);
    if (as_chain(self) && tb_chain_derivatives(self, (const tb_columns *)work, out, after))
        return;
    switch (self->lanes ? self->lanes : tb_tree_derivatives_lanes()) {
#ifdef __x86_64__
    case 8: tb_solve_tree_of_eight(self, (const tb_columns *)work, out, after); break;
    case 4: tb_solve_tree_of_four(self, (const tb_columns *)work, out, after); break;
#endif
    default: tb_solve_tree_of_two(self, (const tb_columns *)work, out, after);
    }
}
