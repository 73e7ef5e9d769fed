#include "linear/tree_slopes.h"

#define INLINED static inline __attribute__((always_inline))

enum {
    GROUP = 8,  /* doubles in the largest vector */
    WIDEST = 16 /* rows at a time, at most */
};

static const long counting[GROUP] __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7};

#ifdef __x86_64__
#include <immintrin.h>

#define LANES 8
#define NAME(x) x##_of_eight
#define TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define FUSED(a, b, c) (vec_of_eight) _mm512_fmadd_pd(a, b, c)
#include "linear/tree_lanes.h"

#define LANES 4
#define NAME(x) x##_of_four
#define TARGET __attribute__((target("avx2,fma")))
#define FUSED(a, b, c) (vec_of_four) _mm256_fmadd_pd(a, b, c)
#include "linear/tree_lanes.h"
#endif

#define LANES 2
#define NAME(x) x##_of_two
#define TARGET
#ifdef __aarch64__
#include <arm_neon.h>
#define FUSED(a, b, c) (vec_of_two) vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define FUSED(a, b, c) ((a) * (b) + (c))
#endif
#include "linear/tree_lanes.h"

/* What generated code gives, filled up to whole vectors. */
static long given(const tb_tree_slopes *self) {
    long size = self->n * (long)(sizeof(tb_column) / sizeof(double));
    if (self->dense)
        size += 2 * self->n * self->n;
    return (size + GROUP - 1) / GROUP * GROUP;
}

long tb_tree_slopes_work(const tb_tree_slopes *self) {
    return given(self) + (3 * (self->n + GROUP) + 9 * self->links) * WIDEST;
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
    switch (self->lanes ? self->lanes : tb_tree_slopes_lanes()) {
#ifdef __x86_64__
    case 8:
        solve_of_eight(self, (const tb_column *)work, out, after);
        break;
    case 4:
        solve_of_four(self, (const tb_column *)work, out, after);
        break;
#endif
    default:
        solve_of_two(self, (const tb_column *)work, out, after);
    }
}
