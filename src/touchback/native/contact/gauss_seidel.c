/* Impulses of any contacts, one contact after the other until all agree: normals projected onto
 * p_n >= 0, friction onto the disc (Jourdan, Alart and Jean 1998). Going a little too far saves
 * sweeps where contacts push each other on (D. M. Young, Iterative methods for solving partial
 * difference equations of elliptic type, 1954); where friction makes such steps go round in
 * circles, plain ones, which come after them, settle. */
#include <math.h>

#include "contact/problem.h"
#include "interrupt.h"

/* How far a sweep goes of what would undo a contact's own speed. */
static double how_far(long taken) {
    return taken <= 100 ? 1.4 : taken <= 400 ? 1.2 : 1.0;
}

/* The largest eigenvalue of each group's own part of G: what no step along it goes too far with. */
static void measure_groups(const tb_contact_problem *q) {
    for (long g = 0; g < q->groups; g++) {
        const int *rows = q->group_rows + 2 * g;
        q->scale[g] = q->own[rows[0]];
        if (rows[1] < 0)
            continue;
        double mean = 0.5 * (q->own[rows[0]] + q->own[rows[1]]), across = 0.0;
        double half = 0.5 * (q->own[rows[0]] - q->own[rows[1]]);
        for (long k = q->starts[rows[0]]; k < q->starts[rows[0] + 1]; k++)
            if (q->columns[k] == rows[1])
                across = q->G[k];
        q->scale[g] = mean + sqrt(half * half + across * across);
    }
}

/* y where x is no number. */
static inline double larger(double x, double y) {
    return x > y ? x : y;
}

/* One group of friction towards where it slips least; returns the change of velocity. */
static inline double rub(const tb_contact_problem *q, long g, double limit, double further,
                         double *p) {
    const int *rows = q->group_rows + 2 * g;
    double scale = q->scale[g], step = further / scale;
    double x0 = p[rows[0]], x = x0 - step * tb_contact_velocity(q, rows[0], p), y0 = 0.0, y = 0.0;
    if (rows[1] >= 0) {
        y0 = p[rows[1]];
        y = y0 - step * tb_contact_velocity(q, rows[1], p);
    }
    double square = x * x + y * y;
    if (square > limit * limit) {
        double part = limit / sqrt(square); /* rounded alike everywhere, which hypot isn't */
        x *= part;
        y *= part;
    }
    p[rows[0]] = x;
    if (rows[1] >= 0)
        p[rows[1]] = y;
    return larger(fabs(x - x0), fabs(y - y0)) * scale;
}

static double sweep(const tb_contact_problem *q, const double *least, double further, double *p) {
    double change = 0.0;
    for (long i = 0, g = 0; i < q->contacts; i++) {
        long n = q->normals[i];
        double own = q->own[n], step = further / own, before = p[n];
        double next = larger(before - step * tb_contact_velocity(q, n, p), least ? least[i] : 0.0);
        change = larger(fabs(next - before) * own, change);
        p[n] = next;
        for (; g < q->groups && q->group_contact[g] == i; g++)
            change = larger(rub(q, g, q->coefficient[g] * next, further, p), change);
    }
    return change;
}

long tb_gauss_seidel(const tb_contact_problem *q, const double *least, double *p, double target,
                     long limit) {
    measure_groups(q);
    for (long taken = 1; taken <= limit && !tb_stop_asked(); taken++)
        if (sweep(q, least, how_far(taken), p) <= target)
            return taken;
    return -1;
}
