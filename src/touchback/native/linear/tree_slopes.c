#include "linear/tree_slopes.h"

#include "linear/chain_slopes.h"

#define INLINED static inline __attribute__((always_inline))

enum { WIDEST = 32 }; /* rows at a time, at most */

/* What derivatives by so many coordinates are products of, by q and by v. */
typedef struct products {
    double row[3][TB_COLUMNS];        /* the angular part of S^T 2 B */
    double turning[2][3][TB_COLUMNS]; /* what sums of rows of what j carries are multiplied with: the
                                         angular part of psi' or S */
    double moved[2][6][TB_COLUMNS];   /* and wrenches that it leaves to its carrier: psi'' or
                                         psi' + S', twists */
    double above[2][6][TB_COLUMNS];   /* wrenches that accelerations of its carrier are, too */
} products;

static long groups(const tb_tree_slopes *self) {
    return (self->n + TB_COLUMNS - 1) / TB_COLUMNS;
}

/* Where coordinate j stands: in which of tb_columns, and where there. */
#define GROUP(j) ((unsigned long)(j) / TB_COLUMNS)
#define LANE(j) ((unsigned long)(j) % TB_COLUMNS)

static const long counting[TB_COLUMNS] __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7};

#ifdef __x86_64__
#include <immintrin.h>

#define LANES 8
#define STRIP 4
#define NAME(x) x##_of_eight
#define TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define FUSED(a, b, c) (vec_of_eight) _mm512_fmadd_pd(a, b, c)
#define LESS(a, b, c) (vec_of_eight) _mm512_fnmadd_pd(a, b, c)
#include "linear/tree_lanes.h"

#define LANES 4
#define STRIP 2
#define NAME(x) x##_of_four
#define TARGET __attribute__((target("avx2,fma")))
#define FUSED(a, b, c) (vec_of_four) _mm256_fmadd_pd(a, b, c)
#define LESS(a, b, c) (vec_of_four) _mm256_fnmadd_pd(a, b, c)
#include "linear/tree_lanes.h"
#endif

#define LANES 2
#define NAME(x) x##_of_two
#define TARGET
#ifdef __aarch64__
#include <arm_neon.h>
#define STRIP 4
#define FUSED(a, b, c) (vec_of_two) vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#define LESS(a, b, c) (vec_of_two) vfmsq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define STRIP 2
#define FUSED(a, b, c) ((a) * (b) + (c))
#define LESS(a, b, c) ((c) - (a) * (b))
#endif
#include "linear/tree_lanes.h"

/* What generated code gives, filled up to whole vectors. */
static long given(const tb_tree_slopes *self) {
    long size = groups(self) * (long)(sizeof(tb_columns) / sizeof(double));
    if (self->dense)
        size += 2 * self->n * self->n;
    return (size + TB_COLUMNS - 1) / TB_COLUMNS * TB_COLUMNS;
}

static int as_chain(const tb_tree_slopes *self) {
    return self->lanes == 0 && tb_is_chain(self);
}

long tb_tree_slopes_work(const tb_tree_slopes *self) {
    long made = groups(self) * (long)(sizeof(products) / sizeof(double));
    long rest = made + (3 * (self->n + TB_COLUMNS) + 6 * self->links) * WIDEST;
    long chain = as_chain(self) ? tb_chain_slopes_work(self) : 0;
    return given(self) + (chain > rest ? chain : rest);
}

long tb_tree_slopes_lanes(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return 8;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 4;
#endif
    return 2;
}

void tb_solved_tree_slopes(const double *x, const double *u, const double *p, double *out,
                           double *work, const void *ctx) {
    const tb_tree_slopes *self = ctx;
    double *after = work + given(self), *inner = work + tb_tree_slopes_work(self);
    self->columns(x, u, p, work, inner, self->columns_context);
    if (as_chain(self) && tb_chain_slopes(self, (const tb_columns *)work, out, after))
        return;
    switch (self->lanes ? self->lanes : tb_tree_slopes_lanes()) {
#ifdef __x86_64__
    case 8:
        solve_of_eight(self, (const tb_columns *)work, out, after);
        break;
    case 4:
        solve_of_four(self, (const tb_columns *)work, out, after);
        break;
#endif
    default:
        solve_of_two(self, (const tb_columns *)work, out, after);
    }
}
