/* Derivatives of accelerations along a kinematic tree, several of their rows in a register:
 * a file for each width includes it, and says
 *
 *   LANES  doubles in a vector              NAME(x)         the name of x for this width
 *   STRIP  vectors at a time, of each of    FUSED(a, b, c)  a b + c
 *          which six sums are in registers  LESS(a, b, c)   c - a b
 *   TARGET what the processor must have
 *
 * Row k of M^-1 is what a unit effort at k accelerates: articulated bodies (Featherstone 1983) give
 * it, links inward, links outward, for all k of a strip at once. Derivatives by coordinate j are
 * products of something of j with what the effort makes of its link's carrier: the wrench on the
 * way inward, the acceleration on the way outward, and sums over what j carries: no n^3. */
#ifdef LANES

#define ALL(x) ((x) - (NAME(vec)){0})           /* 0 + x would be an addition */
#define EACH(w) for (int w = from; w < to; w++) /* vector of the strip */

typedef double NAME(vec) __attribute__((vector_size(8 * LANES), may_alias));
typedef long NAME(mask) __attribute__((vector_size(8 * LANES), may_alias));
typedef double NAME(loose) __attribute__((vector_size(8 * LANES), may_alias, aligned(8)));
typedef NAME(vec) NAME(strip)[STRIP];

static const long counting[TB_COLUMNS] __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7};

#include "linear/column_lanes.h"
#include "linear/placed_lanes.h"

/* x += sum of factors[c] sums[c]. */
TARGET INLINED void NAME(dot)(NAME(vec) * x, const double (*factors)[TB_COLUMNS], long lane,
                              NAME(strip) * sums, const int count, const int from, const int to) {
    for (int c = 0; c < count; c++)
        EACH(w) x[w] = FUSED(ALL(factors[c][lane]), sums[c][w], x[w]);
}

/* sums[c] += factors[c] x. */
TARGET INLINED void NAME(grow)(NAME(strip) * sums, const double (*factors)[TB_COLUMNS], long lane,
                               const NAME(vec) * x, const int count, const int from, const int to) {
    for (int c = 0; c < count; c++)
        EACH(w) sums[c][w] = FUSED(ALL(factors[c][lane]), x[w], sums[c][w]);
}

/* Forks begin without anything from their branches. */
TARGET INLINED void NAME(clear)(const tb_tree_derivatives *self, NAME(strip) (*forks)[6],
                                const int to) {
    const int from = 0;
    for (long l = 0; l < self->links; l++)
        for (int c = 0; self->forks[l] && c < 6; c++)
            EACH(w) forks[l][c][w] = (NAME(vec)){0};
}

/* Before link l, inward: what its branches left is added, besides the next link's, which comes
 * directly. */
TARGET INLINED void NAME(join)(const tb_tree_derivatives *self, long l, NAME(strip) (*forks)[6],
                               NAME(strip) * sums, const int count, const int from, const int to) {
    if (self->forks[l])
        for (int c = 0; c < count; c++)
            EACH(w) sums[c][w] += forks[l][c][w];
}

/* After it: a branch leaves its sums at the fork, and the next begins with none. */
TARGET INLINED void NAME(leave)(const tb_tree_derivatives *self, long l, NAME(strip) (*forks)[6],
                                NAME(strip) * sums, const int count, const int from, const int to) {
    long parent = self->parents[l];
    if (parent != l - 1)
        for (int c = 0; c < count; c++)
            EACH(w) {
                if (parent >= 0)
                    forks[parent][c][w] += sums[c][w];
                sums[c][w] = (NAME(vec)){0};
            }
}

/* Link l inward, where it carries none of the rows of vectors before `from`: X = u/D for unit
 * efforts, u = 1 - S . p, where p += (U/D) u are wrenches; and what those have to do with
 * derivatives by the link's coordinates. */
TARGET INLINED void NAME(push)(const tb_tree_derivatives *self, const tb_columns *columns,
                               const products *made, const long *at, NAME(strip) * X,
                               NAME(strip) (*found)[2], NAME(strip) (*forks)[6], NAME(strip) * p,
                               long l, const int from, const int to) {
    const NAME(vec) none = {0};
    long first = self->begin[l], end = self->begin[l + 1];
    NAME(join)(self, l, forks, p, 6, from, to);
    for (long j = end - 1; j >= first; j--) {
        const tb_columns *column = columns + GROUP(j);
        NAME(strip) taken, u;
        EACH(w) taken[w] = none;
        NAME(dot)(taken, column->S, LANE(j), p, 6, from, to);
        EACH(w) {
            NAME(mask) unit = *(const NAME(mask) *)counting == j - at[w];
            u[w] = (NAME(vec))(unit & (NAME(mask))ALL(1.0)) - taken[w];
            X[j][w] = ALL(column->inverse[LANE(j)]) * u[w];
        }
        NAME(grow)(p, column->U, LANE(j), u, 6, from, to);
    }
    for (long j = first; j < end; j++)
        for (int s = 0; s < 2; s++) {
            NAME(strip) sum;
            EACH(w) sum[w] = none;
            NAME(dot)(sum, made[GROUP(j)].moved[s], LANE(j), p, 6, from, to);
            EACH(w) found[j][s][w] = sum[w];
            for (int w = 0; w < from; w++)
                X[j][w] = found[j][s][w] = none;
        }
    NAME(leave)(self, l, forks, p, 6, from, to);
}

TARGET INLINED void NAME(inward)(const tb_tree_derivatives *self, const tb_columns *columns,
                                 const products *made, const long *at, NAME(strip) * X,
                                 NAME(strip) (*found)[2], NAME(strip) (*forks)[6], const int to) {
    NAME(strip) p[6] = {0};
    long l = self->links - 1;
    NAME(clear)(self, forks, to);
#define BEYOND(w) for (; (w) > 0 && l >= 0 && self->begin[l] >= at[(w) - 1] + LANES; l--)
    BEYOND(to)
    for (long j = self->begin[l]; j < self->begin[l + 1]; j++)
        for (int w = 0; w < to; w++)
            X[j][w] = found[j][0][w] = found[j][1][w] = (NAME(vec)){0};
    if (to > 3)
        BEYOND(3) NAME(push)(self, columns, made, at, X, found, forks, p, l, STRIP > 3 ? 3 : 0, to);
    if (to > 2)
        BEYOND(2) NAME(push)(self, columns, made, at, X, found, forks, p, l, STRIP > 2 ? 2 : 0, to);
    if (to > 1)
        BEYOND(1) NAME(push)(self, columns, made, at, X, found, forks, p, l, 1, to);
    for (; l >= 0; l--)
        NAME(push)(self, columns, made, at, X, found, forks, p, l, 0, to);
#undef BEYOND
}

/* Outward: X -= (U/D) . A, where A += S X are twists; and what those have to do with derivatives,
 * while X waits for its first sum. */
TARGET INLINED void NAME(outward)(const tb_tree_derivatives *self, const tb_columns *columns,
                                  const products *made, NAME(strip) * X, NAME(strip) (*found)[2],
                                  NAME(strip) (*forks)[6], const int to) {
    const int from = 0;
    NAME(strip) A[6] = {0};
    for (long l = 0; l < self->links; l++) {
        long parent = self->parents[l], first = self->begin[l], end = self->begin[l + 1];
        if (parent != l - 1)
            for (int c = 0; c < 6; c++)
                EACH(w) A[c][w] = parent < 0 ? (NAME(vec)){0} : forks[parent][c][w];
        for (long j = first; j < end; j++)
            for (int s = 0; s < 2; s++) {
                NAME(strip) sum;
                EACH(w) sum[w] = found[j][s][w];
                NAME(dot)(sum, made[GROUP(j)].above[s], LANE(j), A, 6, from, to);
                EACH(w) found[j][s][w] = sum[w];
            }
        for (long j = first; j < end; j++) {
            const tb_columns *column = columns + GROUP(j);
            NAME(strip) x;
            EACH(w) x[w] = -X[j][w];
            NAME(dot)(x, column->U, LANE(j), A, 6, from, to);
            EACH(w) X[j][w] = x[w] = -x[w];
            NAME(grow)(A, column->S, LANE(j), x, 6, from, to);
        }
        for (int c = 0; self->forks[l] && c < 6; c++)
            EACH(w) forks[l][c][w] = A[c][w];
    }
}

/* Inward: sums over what j carries, its own link among it. */
TARGET INLINED void NAME(gather)(const tb_tree_derivatives *self, const products *made,
                                 NAME(strip) * X, NAME(strip) (*found)[2], NAME(strip) (*forks)[6],
                                 const int to) {
    const int from = 0;
    NAME(strip) P[3] = {0};
    NAME(clear)(self, forks, to);
    for (long l = self->links - 1; l >= 0; l--) {
        NAME(join)(self, l, forks, P, 3, from, to);
        for (long j = self->begin[l]; j < self->begin[l + 1]; j++)
            NAME(grow)(P, made[GROUP(j)].row, LANE(j), X[j], 3, from, to);
        for (long j = self->begin[l]; j < self->begin[l + 1]; j++)
            for (int s = 0; s < 2; s++) {
                NAME(strip) sum;
                EACH(w) sum[w] = found[j][s][w];
                NAME(dot)(sum, made[GROUP(j)].turning[s], LANE(j), P, 3, from, to);
                EACH(w) found[j][s][w] = sum[w];
            }
        NAME(leave)(self, l, forks, P, 3, from, to);
    }
}

/* Less the rows' products with derivatives that no columns give. */
TARGET static void NAME(multiply)(const tb_tree_derivatives *self, const double *dense,
                                  NAME(strip) * X, NAME(strip) (*found)[2], const int to) {
    const int from = 0;
    for (int s = 0; s < 2; s++)
        for (long j = 0; j < self->n; j++)
            for (long i = 0; i < self->n; i++, dense++)
                EACH(w) found[j][s][w] = LESS(ALL(*dense), X[i][w], found[j][s][w]);
}

TARGET INLINED void NAME(strip_of)(const tb_tree_derivatives *self, const tb_columns *columns,
                                   const products *made, long next, double *out, double *work,
                                   const int to) {
    long n = self->n, at[STRIP];
    NAME(strip) *X = (NAME(strip) *)work, (*found)[2] = (void *)(X + n + LANES);
    NAME(strip)(*forks)[6] = (void *)(found + n + LANES);
    for (int w = 0; w < to; w++, next += LANES)
        at[w] = next + LANES > n && n >= LANES ? n - LANES : next;
    NAME(inward)(self, columns, made, at, X, found, forks, to);
    NAME(outward)(self, columns, made, X, found, forks, to);
    NAME(gather)(self, made, X, found, forks, to);
    if (self->dense)
        NAME(multiply)(self, (const double *)(columns + groups(self)), X, found, to);
    if (self->ordered && n >= LANES)
        NAME(place)(self, at, X, found, out, to);
    else
        NAME(scatter)(self, at, X, found, out, to);
}

TARGET void NAME(tb_solve_tree)(const tb_tree_derivatives *self, const tb_columns *columns,
                                double *out, double *work) {
    products *made = (products *)work;
    work += groups(self) * (long)(sizeof(products) / sizeof(double));
    for (long j = 0; j < self->n; j += LANES)
        NAME(make)(columns + GROUP(j), LANE(j), made + GROUP(j));
    for (long next = 0; next < self->n; next += STRIP * LANES) {
        long left = (self->n - next + LANES - 1) / LANES;
        switch (left > STRIP ? STRIP : left) {
        case 1: NAME(strip_of)(self, columns, made, next, out, work, 1); break;
        case 2: NAME(strip_of)(self, columns, made, next, out, work, 2); break;
        case 3: NAME(strip_of)(self, columns, made, next, out, work, STRIP > 2 ? 3 : STRIP); break;
        default: NAME(strip_of)(self, columns, made, next, out, work, STRIP);
        }
    }
}

#endif
