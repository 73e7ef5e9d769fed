#include "linear/tree_slopes.h"

#define INLINED static inline __attribute__((always_inline))

enum {
    GROUP = 8, /* columns that rows have a multiple of */
    TILE = 4,  /* groups at a time */
    FIT = 4    /* vectors of a row at a time, where several rows are */
};

static const long counting[GROUP] __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7};

#ifdef __x86_64__
#include <immintrin.h>

#define IN_REGISTER(x) __asm__("" : "+v"(x))

#define LANES 8
#define NAME(x) x##_of_eight
#define TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define FUSED(a, b, c) (vec_of_eight) _mm512_fmadd_pd(a, b, c)
#define LESS(a, b, c) (vec_of_eight) _mm512_fnmadd_pd(a, b, c)
#include "linear/tree_lanes.h"

#define LANES 4
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
#define IN_REGISTER(x) __asm__("" : "+w"(x))
#define FUSED(a, b, c) (vec_of_two) vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#define LESS(a, b, c) (vec_of_two) vfmsq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define FUSED(a, b, c) ((a) * (b) + (c))
#define LESS(a, b, c) ((c) - (a) * (b))
#endif
#include "linear/tree_lanes.h"

long tb_tree_slopes_work(long n, long wide, long size) {
    return size + (TB_ACCELERATED + 1) * wide + (1 + 2 + 1) * n * wide + TILE * GROUP;
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
    double *inner = work + tb_tree_slopes_work(self->n, self->wide, self->size);
    self->steady(x, u, p, work, inner, self->steady_context);
    switch (self->lanes ? self->lanes : tb_tree_slopes_lanes()) {
#ifdef __x86_64__
    case 8:
        solve_of_eight(self, p, out, work, inner);
        break;
    case 4:
        solve_of_four(self, p, out, work, inner);
        break;
#endif
    default:
        solve_of_two(self, p, out, work, inner);
    }
}
