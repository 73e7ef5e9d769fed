#include "linear/tree_slopes.h"

#include "calls/interleave.h"

#ifdef __x86_64__
#include <immintrin.h>
#define FUSED_LESS(sum, factor, row) _mm256_fnmadd_pd(factor, row, sum)
#endif

enum { FOURS = 8, TILE = 4 * FOURS }; /* columns in registers: enough not to wait for sums */

/* Right sides [-dtau/dq, -dtau/dv, 1], a row for each coordinate, in whole tiles. */
static long width_of(long n) { return (3 * n + TILE - 1) / TILE * TILE; }

static long size_of(long n) { return (n * n + 7) / 8 * 8; }

long tb_tree_slopes_work(long n) { return (3 * n * n + 7) / 8 * 8 + size_of(n) + n * width_of(n); }

/* M = L^T D L in place, leaves first (Featherstone 2008, 6.5): L below the diagonal, 1/D on it. In
 * the order of the tree what doesn't carry a coordinate has a zero in its row, which stays one:
 * rows are whole, so that compilers do several numbers at once. */
static void factorise(long n, double *restrict M) {
    for (long k = n - 1; k >= 0; k--) {
        double *row = M + k * n;
        row[k] = 1.0 / row[k];
        for (long i = k - 1; i >= 0; i--) {
            double factor = row[i] * row[k], *restrict above = M + i * n;
            if (factor == 0.0)
                continue;
            for (long j = 0; j <= i; j++)
                above[j] -= row[j] * factor;
            row[i] = factor;
        }
    }
}

/* B = M^-1 B for a tile of columns. */
#define EACH for (int w = 0; w < FOURS; w++)
#define SOLVE(LESS, four)                                                                          \
    do {                                                                                           \
        for (long k = n - 1; k >= 0; k--) {                                                        \
            four *at = (four *)(B + k * width), sum[FOURS];                                        \
            EACH sum[w] = at[w];                                                                   \
            for (long l = k + 1; l < n; l++) {                                                     \
                const four *row = (const four *)(B + l * width), f = (four){0} + L[l * n + k];     \
                EACH sum[w] = LESS(sum[w], f, row[w]);                                             \
            }                                                                                      \
            EACH at[w] = sum[w];                                                                   \
        }                                                                                          \
        for (long k = 0; k < n; k++) {                                                             \
            four *at = (four *)(B + k * width), sum[FOURS];                                        \
            EACH sum[w] = at[w] * L[k * n + k];                                                    \
            for (long l = 0; l < k; l++) {                                                         \
                const four *row = (const four *)(B + l * width), f = (four){0} + L[k * n + l];     \
                EACH sum[w] = LESS(sum[w], f, row[w]);                                             \
            }                                                                                      \
            EACH at[w] = sum[w];                                                                   \
        }                                                                                          \
    } while (0)

#define PLAIN_LESS(sum, factor, row) ((sum) - (factor) * (row))

static void solve_tile(long n, const double *L, double *B, long width) {
    SOLVE(PLAIN_LESS, tb_four);
}

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void solve_tile_fused(long n, const double *L, double *B,
                                                                 long width) {
    SOLVE(FUSED_LESS, __m256d);
}
#endif

/* M, and the right sides, in the order of the tree. */
static void arrange(const tb_tree_slopes *self, const double *slopes, double *M, double *B) {
    long n = self->n, width = width_of(n), size = n * n;
    const int *order = self->order;
    for (long k = 0; k < n; k++) {
        const double *by_q = slopes + order[k] * n, *by_v = by_q + size, *mass = by_v + size;
        double *row = B + k * width;
        for (long j = 0; j < n; j++) {
            row[j] = -by_q[j];
            row[n + j] = -by_v[j];
            row[2 * n + j] = 0.0;
            M[k * n + j] = mass[order[j]];
        }
        row[2 * n + order[k]] = 1.0;
        for (long j = 3 * n; j < width; j++)
            row[j] = 0.0;
    }
}

void tb_solved_tree_slopes(const double *x, const double *u, const double *p, double *out,
                           double *work, const void *ctx) {
    const tb_tree_slopes *self = ctx;
    long n = self->n, width = width_of(n);
    double *slopes = work + tb_tree_slopes_work(n) - (3 * n * n + 7) / 8 * 8;
    double *M = work, *B = work + size_of(n);
    self->efforts(x, u, p, slopes, work + tb_tree_slopes_work(n), self->context);
    arrange(self, slopes, M, B);
    factorise(n, M);
    for (long column = 0; column < width; column += TILE)
#ifdef __x86_64__
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            solve_tile_fused(n, M, B + column, width);
        else
#endif
            solve_tile(n, M, B + column, width);
    for (long which = 0; which < 3; which++)
        for (long k = 0; k < n; k++) {
            double *to = out + (which * n + self->order[k]) * n;
            for (long j = 0; j < n; j++)
                to[j] = B[k * width + which * n + j];
        }
}
