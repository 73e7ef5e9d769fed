/* Our mass matrix of a large mechanism as one call: the generated columns, then the loops of
 * native/linear/tree.c. For joints numbered parents first. Zeros of branches that don't meet are in
 * `out` already, as they are in the matrix that Pinocchio keeps. */

typedef void (*function)(const double *, const double *, const double *, double *, double *,
                         const void *);

typedef struct {
    function columns;
    const void *columns_context;
    void (*products)(long n, const int *parent, const double *S, const double *F, double *M,
                     int *work);
    void (*mirror)(long n, const int *parent, double *M, int *work); /* null: the lower
                                                                       triangle is enough */
    long n;
    const int *parent;
} engine;

/* Work memory: 13 n doubles of columns, rounded up to 64 bytes, then what the columns and
 * the loops need. */
void mass_matrix(const double *x, const double *u, const double *p, double *out, double *work,
                 const void *ctx) {
    const engine *e = ctx;
    long n = e->n, used = (13 * n + 7) / 8 * 8;
    e->columns(x, u, p, work, work + used, e->columns_context);
    int *loops = (int *)(work + used);
    e->products(n, e->parent, work, work + 6 * n, out, loops);
    if (e->mirror)
        e->mirror(n, e->parent, out, loops);
    for (long i = 0; i < n; i++)
        out[i * n + i] += work[12 * n + i];
}
