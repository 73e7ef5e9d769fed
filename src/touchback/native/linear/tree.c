#include "linear/tree.h"

/* Fused where the processor surely has the instruction; elsewhere fma() would be a slow call. */
#if defined __aarch64__ || defined __FMA__
#define MULTIPLY_ADD(a, b, c) __builtin_fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/* row[j] = A_j . b for j from first to last; A holds its six components one after the other, so
 * that compilers do several j at once. */
static void products(long n, const double *restrict A, const double *restrict b, long first,
                     long last, double *restrict row) {
    const double *a0 = A + first, *a1 = a0 + n, *a2 = a1 + n, *a3 = a2 + n, *a4 = a3 + n;
    const double *a5 = a4 + n;
    long count = last - first + 1;
    row += first;
    for (long j = 0; j < count; j++) {
        double low = MULTIPLY_ADD(a2[j], b[2], MULTIPLY_ADD(a1[j], b[1], a0[j] * b[0]));
        double high = MULTIPLY_ADD(a5[j], b[5], MULTIPLY_ADD(a4[j], b[4], a3[j] * b[3]));
        row[j] = low + high;
    }
}

void tb_tree_products(long n, const int *parent, const double *S, const double *F, double *M,
                      int *work) {
    int *first = work; /* of the run of successive ancestors that ends at i */
    for (long i = 0; i < n; i++) {
        first[i] = i > 0 && parent[i] == i - 1 ? first[i - 1] : (int)i;
        double *row = M + i * n;
        for (long j = i; j >= 0; j = parent[first[j]])
            products(n, S, F + 6 * i, first[j], j, row);
    }
}

enum {
    ROWS = 4
}; /* copied together: what goes to a row of the upper triangle is one vector or two */

/* M[j][i + r] = M[i + r][j] for `count` rows from i, all of them below j = first … last. */
static void copy_column(long n, double *M, long i, long count, long first, long last) {
    const double *from = M + i * n;
    double *to = M + first * n + i;
    if (count == ROWS)
        for (long j = first; j <= last; j++, to += n) {
            double a = from[j], b = from[n + j], c = from[2 * n + j], d = from[3 * n + j];
            to[0] = a, to[1] = b, to[2] = c, to[3] = d;
        }
    else
        for (long j = first; j <= last; j++, to += n)
            for (long r = 0; r < count; r++)
                to[r] = from[r * n + j];
}

void tb_mirror(long n, const int *parent, double *M, int *work) {
    int *first = work;
    for (long i = 0; i < n; i++)
        first[i] = i > 0 && parent[i] == i - 1 ? first[i - 1] : (int)i;
    for (long i = 0, count; i < n; i += count) {
        for (count = 1; count < ROWS && i + count < n && parent[i + count] == i + count - 1;)
            count++;
        for (long r = 1; r < count; r++)
            for (long j = i; j < i + r; j++)
                M[j * n + i + r] = M[(i + r) * n + j];
        for (long j = parent[i]; j >= 0; j = parent[first[j]])
            copy_column(n, M, i, count, first[j], j);
    }
}
