/* Linear algebra along a kinematic tree, for mechanisms whose mass matrix is too large to unroll.
 *
 * parent[i] < i, and -1 for a body on the ground. Matrices are dense, row-major, n by n.
 * Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5.
 */
#include <string.h>

/* M[i][j] = M[j][i] = S_j . F_i for every ancestor-or-self j of i, zero for branches that don't
 * meet. */
void tb_tree_products(long n, const int *parent, const double *S, const double *F, double *M) {
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (long i = 0; i < n; i++) {
        const double *f = F + 6 * i;
        for (long j = i; j >= 0; j = parent[j]) {
            const double *s = S + 6 * j;
            double low = s[0] * f[0] + s[1] * f[1] + s[2] * f[2];
            double high = s[3] * f[3] + s[4] * f[4] + s[5] * f[5];
            M[i * n + j] = M[j * n + i] = low + high;
        }
    }
}

/* M = L^T D L in place: D on the diagonal, unit lower L below it (table 6.3). Only the lower
 * triangle is read. Returns 0, or 1 + the row whose pivot is not positive. */
long tb_tree_factor(long n, const int *parent, double *M) {
    for (long k = n - 1; k >= 0; k--) {
        double *row = M + k * n;
        if (!(row[k] > 0.0))
            return k + 1;
        for (long i = parent[k]; i >= 0; i = parent[i]) {
            double ratio = row[i] / row[k];
            for (long j = i; j >= 0; j = parent[j])
                M[i * n + j] -= ratio * row[j];
            row[i] = ratio;
        }
    }
    return 0;
}

/* x = M^-1 x with the factors of tb_tree_factor (table 6.5). */
void tb_tree_solve(long n, const int *parent, const double *M, double *x) {
    for (long i = n - 1; i >= 0; i--)
        for (long j = parent[i]; j >= 0; j = parent[j])
            x[j] -= M[i * n + j] * x[i];
    for (long i = 0; i < n; i++) {
        x[i] /= M[i * n + i];
        for (long j = parent[i]; j >= 0; j = parent[j])
            x[i] -= M[i * n + j] * x[j];
    }
}
