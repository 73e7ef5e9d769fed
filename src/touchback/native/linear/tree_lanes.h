/* Products and inverses along a kinematic tree, several columns in a register: tree_slopes.c
 * includes it once for each width, and says
 *
 *   LANES  doubles in a vector            NAME(x)  the name of x for this width
 *   TARGET what the processor must have   FUSED(a, b, c), LESS(a, b, c)  a b + c, c - a b
 *
 * Rows are 64-byte aligned and filled up to whole groups; what is behind the n-th column is finite
 * and means nothing. Coordinates are in the order of the tree, parents first. */
#ifdef LANES

#define ROWS (LANES == 8 ? 3 : 2) /* rows at a time: as many as registers hold */
#define ALL(x) ((x) - (NAME(vec)){0}) /* 0 + x would be an addition */

typedef double NAME(vec) __attribute__((vector_size(8 * LANES), may_alias));
typedef long NAME(mask) __attribute__((vector_size(8 * LANES), may_alias));
typedef double NAME(loose) __attribute__((vector_size(8 * LANES), may_alias, aligned(8)));

/* to = from - sum of factors[i] rows[i], for so many groups of columns, which stay in registers;
 * factors are `apart` from one another, no `from` is zero. Narrow sums are two, not to wait. */
TARGET INLINED void NAME(group)(double *to, const double *from, const double *factors, long apart,
                                   const double *rows, long wide, long count, const int groups) {
    const int vectors = groups * (GROUP / LANES);
    NAME(vec) even[TILE * (GROUP / LANES)], odd[TILE * (GROUP / LANES)];
    for (int w = 0; w < vectors; w++) {
        even[w] = from ? ((const NAME(vec) *)from)[w] : (NAME(vec)){0};
        odd[w] = (NAME(vec)){0};
    }
    long i = 0;
    for (; i + 1 < count; i += 2) {
        NAME(vec) f = ALL(factors[i * apart]), g = ALL(factors[(i + 1) * apart]);
        const NAME(vec) *x = (const NAME(vec) *)(rows + i * wide);
        const NAME(vec) *y = (const NAME(vec) *)(rows + (i + 1) * wide);
        for (int w = 0; w < vectors; w++) {
            even[w] = LESS(f, x[w], even[w]);
            if (vectors <= 4)
                odd[w] = LESS(g, y[w], odd[w]);
            else
                even[w] = LESS(g, y[w], even[w]);
        }
    }
    const NAME(vec) *left = (const NAME(vec) *)(rows + i * wide);
    for (int w = 0; w < vectors; w++) {
        if (i < count)
            even[w] = LESS(ALL(factors[i * apart]), left[w], even[w]);
        if (vectors <= 4)
            even[w] += odd[w];
        ((NAME(vec) *)to)[w] = even[w];
    }
}

/* The same for as many groups as `columns` need. */
TARGET static void NAME(less)(double *to, const double *from, const double *factors, long apart,
                              const double *rows, long wide, long count, long columns) {
    for (; columns > 0; columns -= TILE * GROUP, to += TILE * GROUP, rows += TILE * GROUP) {
        if (columns <= GROUP)
            NAME(group)(to, from, factors, apart, rows, wide, count, 1);
        else if (columns <= 2 * GROUP)
            NAME(group)(to, from, factors, apart, rows, wide, count, 2);
        else if (columns <= 3 * GROUP)
            NAME(group)(to, from, factors, apart, rows, wide, count, 3);
        else
            NAME(group)(to, from, factors, apart, rows, wide, count, 4);
        from = from ? from + TILE * GROUP : from;
    }
}

/* Of the pairs of row k only those on a path. */
TARGET INLINED NAME(vec) NAME(related)(const tb_tree_slopes *self, long k, long at,
                                          NAME(vec) x) {
    if (self->related)
        x = (NAME(vec))((NAME(mask))x & *(const NAME(mask) *)(self->related + k * self->wide + at));
    return x;
}

/* sums[r][0] += sum of factors[c][r] rows[c] over so many c; and sums[r][1] with `others`, of
 * `both`. */
TARGET INLINED void NAME(block)(NAME(vec) sums[ROWS][2], const double *factors, const double *rows,
                                   const double *others, long wide, const int count,
                                   const int both) {
    for (int c = 0; c < count; c++) {
        NAME(vec) row = *(const NAME(vec) *)(rows + c * wide);
        NAME(vec) other = both ? *(const NAME(vec) *)(others + c * wide) : row;
        for (int r = 0; r < ROWS; r++) {
            NAME(vec) factor = ALL(factors[c * wide + r]);
            sums[r][0] = FUSED(factor, row, sums[r][0]);
            if (both)
                sums[r][1] = FUSED(factor, other, sums[r][1]);
        }
    }
}

/* The lower triangle of M: M_kj = S_j . F_k, and what rotors have. */
TARGET static void NAME(masses)(const tb_tree_slopes *self, const double *S, double *M) {
    long n = self->n, wide = self->wide;
    const double *F = S + TB_NEEDED * wide, *armature = S + TB_ARMATURE * wide;
    for (long k = 0; k < n; k += ROWS) {
        for (long at = 0; at < k + ROWS && at < wide; at += LANES) {
            NAME(vec) sums[ROWS][2] = {0};
            NAME(block)(sums, F + k, S + at, 0, wide, 6, 0);
            for (int r = 0; r < ROWS && k + r < n; r++) {
                NAME(vec) *to = (NAME(vec) *)(M + (k + r) * wide + at);
                *to = NAME(related)(self, k + r, at, sums[r][0]);
            }
        }
        for (int r = 0; r < ROWS && k + r < n; r++)
            M[(k + r) * wide + k + r] += armature[k + r];
    }
}

/* M = L^T D L in place, leaves first (Featherstone 2008, 6.5): L below the diagonal, 1/D on it.
 * `scaled` gets D L. */
TARGET static void NAME(factorise)(long n, long wide, double *M, double *scaled) {
    for (long k = n - 1; k >= 0; k--) {
        double *row = M + k * wide, *raw = scaled + k * wide;
        NAME(less)(raw, row, M + (k + 1) * wide + k, wide, raw + wide, wide, n - 1 - k, k + 1);
        double inverse = 1.0 / raw[k];
        for (long at = 0; at <= k; at += LANES)
            *(NAME(vec) *)(row + at) = *(const NAME(vec) *)(raw + at) * ALL(inverse);
        row[k] = inverse;
    }
}

/* X = M^-1 from its factors, both triangles, row by row: what is left of the diagonal follows from
 * the rows before. */
TARGET static void NAME(invert)(long n, long wide, const double *L, double *X) {
    for (long k = 0; k < n; k++) {
        const double *factors = L + k * wide;
        double *row = X + k * wide, last = factors[k];
        for (long at = 0; at < wide; at += LANES)
            *(NAME(vec) *)(row + at) = (NAME(vec)){0};
        NAME(less)(row, 0, factors, 1, X, wide, k, k);
        NAME(vec) dot = {0}; /* from the diagonal on the row is still zero */
        for (long at = 0; at < k; at += LANES)
            dot = FUSED(*(const NAME(vec) *)(factors + at), *(const NAME(vec) *)(row + at), dot);
        for (int l = 0; l < LANES; l++)
            last -= dot[l];
        row[k] = last;
        for (long i = 0; i < k; i++)
            X[i * wide + k] = row[i];
    }
}

/* Rows of the efforts' derivatives by q, then by v: S_k . (2 B first + I second) for what carries k
 * or shares its link, S_k . wrench for what it carries; less those of applied efforts. */
TARGET static void NAME(slopes)(const tb_tree_slopes *self, const double *S, const double *shaken,
                                double *B) {
    long n = self->n, wide = self->wide;
    const double *needed = S + TB_NEEDED * wide, *stirred = S + TB_STIRRED * wide;
    const double *carried = S + TB_CARRIED * wide, *turned = S + TB_TURNED * wide;
    const double *by_v = S + TB_BY_V * wide, *by_q = shaken + 6 * wide;
    const double *applied = S + TB_STEADY * wide;
    for (long k = 0; k < n; k += ROWS)
        for (long at = 0; at < wide; at += LANES) {
            int first = self->last[k], last = self->last[k + ROWS <= n ? k + ROWS - 1 : n - 1];
            NAME(vec) sums[ROWS][2] = {0};
            if (at <= last) {
                NAME(block)(sums, stirred + k, carried + at, S + at, wide, 3, 1);
                NAME(block)(sums, needed + k, shaken + at, turned + at, wide, 6, 1);
            }
            if (at + LANES - 1 > first) {
                NAME(vec) below[ROWS][2] = {0};
                NAME(block)(below, S + k, by_q + at, by_v + at, wide, 6, 1);
                for (int r = 0; r < ROWS && k + r < n; r++) {
                    NAME(mask) upper = *(const NAME(mask) *)counting <=
                                       (NAME(mask)){0} + (self->last[k + r] - at);
                    for (int s = 0; s < 2; s++)
                        sums[r][s] = (NAME(vec))((upper & (NAME(mask))sums[r][s]) |
                                                 (~upper & (NAME(mask))below[r][s]));
                }
            }
            for (int r = 0; r < ROWS && k + r < n; r++)
                for (int s = 0; s < 2; s++) {
                    long place = (2 * (k + r) + s) * wide + at;
                    NAME(vec) x = NAME(related)(self, k + r, at, sums[r][s]);
                    if (self->applied)
                        x -= *(const NAME(vec) *)(applied + place);
                    *(NAME(vec) *)(B + place) = x;
                }
        }
}

/* Columns of a row to where its coordinate and theirs stand, without what fills up groups. */
TARGET INLINED void NAME(place)(const tb_tree_slopes *self, long k, long from, const double *row,
                                   long count, double *out) {
    const int *order = self->order + from;
    double *to = out + self->order[k] * self->n;
    long at = 0;
    if (from + count > self->n)
        count = self->n - from;
    for (; self->ordered && at + LANES <= count; at += LANES)
        *(NAME(loose) *)(to + from + at) = *(const NAME(vec) *)(row + at);
    for (; at < count; at++)
        to[order[at]] = row[at];
}

/* out = -X B for every other row of B, so many rows and columns at a time as fit. */
TARGET static void NAME(multiply)(const tb_tree_slopes *self, const double *X, const double *B,
                                  double *out) {
    long n = self->n, wide = self->wide;
    for (long at = 0; at < n; at += FIT * LANES)
        for (long k = 0; k < n; k += ROWS) {
            const double *x[ROWS]; /* the last again where there are no more */
            NAME(vec) sums[ROWS][FIT];
            for (int r = 0; r < ROWS; r++) {
                x[r] = X + (k + r < n ? k + r : n - 1) * wide;
                for (int w = 0; w < FIT; w++)
                    sums[r][w] = (NAME(vec)){0};
            }
            for (long i = 0; i < n; i++)
                for (int w = 0; w < FIT; w++) {
                    NAME(vec) row = ((const NAME(vec) *)(B + 2 * i * wide + at))[w];
                    IN_REGISTER(row); /* not read for each row again */
                    for (int r = 0; r < ROWS; r++)
                        sums[r][w] = LESS(ALL(x[r][i]), row, sums[r][w]);
                }
            for (int r = 0; r < ROWS && k + r < n; r++)
                NAME(place)(self, k + r, at, (const double *)sums[r], FIT * LANES, out);
        }
}

TARGET static void NAME(solve)(const tb_tree_slopes *self, const double *p, double *out,
                               double *work, double *inner) {
    long n = self->n, wide = self->wide, size = n * wide;
    double *first = work, *second = first + self->size, *a = second + TB_ACCELERATED * wide;
    double *X = a + wide, *B = first, *M = first + 2 * size, *scaled = X + size;
    if (self->accelerated) {
        B = scaled, M = B + 2 * size; /* its memory is free again before it is filled */
        NAME(masses)(self, first, M);
    }
    NAME(factorise)(n, wide, M, scaled);
    NAME(invert)(n, wide, M, X);
    if (self->accelerated) {
        const double *cut = first + (TB_STEADY + (self->applied ? 2 * n : 0)) * wide;
        NAME(less)(a, 0, first + TB_LACKING * wide, 1, X, wide, n, wide);
        self->accelerated(cut, a, p, second, inner, self->accelerated_context);
        NAME(slopes)(self, first, second, B);
    }
    NAME(multiply)(self, X, B, out);
    NAME(multiply)(self, X, B + wide, out + n * n);
    for (long k = 0; k < n; k++)
        NAME(place)(self, k, 0, X + k * wide, n, out + 2 * n * n);
}

#undef ALL
#undef ROWS
#undef LANES
#undef NAME
#undef TARGET
#undef FUSED
#undef LESS
#endif
