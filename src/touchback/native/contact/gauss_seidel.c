/* Impulses of any contacts, one contact after the other until all agree: normals projected onto
 * p_n >= 0, friction onto the disc (Jourdan, Alart and Jean 1998). */
#include <math.h>

#include "contact/problem.h"
#include "interrupt.h"

static double sweep_normals(const tb_contact_problem *q, const double *least, double *p) {
    double change = 0.0;
    for (long i = 0; i < q->contacts; i++) {
        long n = q->normals[i];
        double own = q->own[n], floor = least ? least[i] : 0.0;
        double next = fmax(floor, p[n] - tb_contact_velocity(q, n, p) / own);
        change = fmax(change, fabs(next - p[n]) * own);
        p[n] = next;
    }
    return change;
}

static double sweep_friction(const tb_contact_problem *q, double *p) {
    double change = 0.0;
    for (long g = 0; g < q->groups; g++) {
        const int *rows = q->group_rows + 2 * g;
        long count = rows[1] < 0 ? 1 : 2;
        double scale = 0.0, length = 0.0, next[2];
        double limit = q->coefficient[g] * p[q->normals[q->group_contact[g]]];
        for (long k = 0; k < count; k++)
            scale += q->own[rows[k]];
        for (long k = 0; k < count; k++) {
            next[k] = p[rows[k]] - tb_contact_velocity(q, rows[k], p) / scale;
            length += next[k] * next[k];
        }
        length = sqrt(length); /* rounded alike everywhere, which hypot isn't */
        for (long k = 0; k < count; k++) {
            if (length > limit)
                next[k] *= limit / length;
            change = fmax(change, fabs(next[k] - p[rows[k]]) * scale);
            p[rows[k]] = next[k];
        }
    }
    return change;
}

long tb_gauss_seidel(const tb_contact_problem *q, const double *least, double *p, double target,
                     long limit) {
    for (long sweep = 1; sweep <= limit && !tb_stop_asked(); sweep++) {
        double change = sweep_normals(q, least, p); /* first: friction needs them */
        if (fmax(change, sweep_friction(q, p)) <= target)
            return sweep;
    }
    return -1;
}
