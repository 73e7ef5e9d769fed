/* Newton's method on the laws of contact, for what sweeping reaches only slowly: stacks.
 *
 * Coulomb's and Signorini's laws are p = projection(p - u/scale), with the projections of sweeping
 * (gauss_seidel.c). Where it is linear a step solves them at once: u = 0 in what is closed or
 * sticks, p = 0 in what is open; on the rim of a disc the direction of slipping turns with it
 * (P. Alart and A. Curnier, A mixed formulation for frictional contact problems prone to Newton
 * like solution methods, 1991). A step goes until the first contact opens or reaches its rim.
 * Contacts that repeat each other may ask for speeds that no body has: with a trace of give in the
 * matrix their impulses grow against each other until one of them slips or opens. */
#include <math.h>
#include <string.h>

#include "contact/problem.h"
#include "integrate/newton.h"
#include "interrupt.h"
#include "linear/dense.h"

static const double INSIDE = 1e-9, GIVE = 1e-9;
enum { STEPS = 12 };

/* What a row lacks, and its line of the Jacobian, which `set` has cleared: u of the row. */
static void hold(const tb_contact_problem *q, tb_contact_memory *m, long row, double u) {
    double *line = m->matrix + row * q->rows;
    m->right[row] = -u;
    line[row] = 0.0;
    for (long k = q->starts[row]; k < q->starts[row + 1]; k++)
        line[q->columns[k]] = q->G[k];
    line[row] *= 1.0 + GIVE;
}

/* The same for a row whose impulse is known. */
static void set(const tb_contact_problem *q, tb_contact_memory *m, long row, double wanted,
                const double *p) {
    double *line = m->matrix + row * q->rows;
    memset(line, 0, (size_t)q->rows * sizeof *line);
    line[row] = 1.0;
    m->right[row] = wanted - p[row];
}

/* On the rim: p_t = limit d with d = t/|t|, t = p_t - u_t/scale. */
static void slide(const tb_contact_problem *q, tb_contact_memory *m, long g, const double *t,
                  double length, double scale, const double *p) {
    const int *rows = q->group_rows + 2 * g;
    long count = rows[1] < 0 ? 1 : 2, n = q->normals[q->group_contact[g]];
    double limit = q->coefficient[g] * p[n];
    for (long i = 0; i < count; i++) {
        double *line = m->matrix + rows[i] * q->rows;
        set(q, m, rows[i], limit * t[i] / length, p);
        for (long k = 0; k < count && count == 2; k++) { /* how d turns with t */
            double turn = limit / length * ((i == k) - t[i] * t[k] / (length * length));
            line[rows[k]] -= turn;
            for (long j = q->starts[rows[k]]; j < q->starts[rows[k] + 1]; j++)
                line[q->columns[j]] += turn / scale * q->G[j];
        }
        line[n] -= q->coefficient[g] * t[i] / length;
    }
}

/* Writes the system of a step at p; returns by how much p breaks the laws, as a velocity. */
static double linearise(const tb_contact_problem *q, tb_contact_memory *m, const double *p) {
    double worst = 0.0, *u = m->spread;
    for (long i = 0; i < q->rows; i++) {
        u[i] = tb_contact_velocity(q, i, p);
        set(q, m, i, 0.0, p); /* rows that belong to nothing, or to what is open */
    }
    for (long i = 0; i < q->contacts; i++) {
        long n = q->normals[i];
        double own = q->own[n], next = fmax(0.0, p[n] - u[n] / own);
        worst = fmax(worst, fabs(next - p[n]) * own);
        if (next > 0.0)
            hold(q, m, n, u[n]);
    }
    for (long g = 0; g < q->groups; g++) {
        const int *rows = q->group_rows + 2 * g;
        long count = rows[1] < 0 ? 1 : 2, n = q->normals[q->group_contact[g]];
        double scale = 0.0, length = 0.0, t[2], limit = q->coefficient[g] * fmax(p[n], 0.0);
        for (long k = 0; k < count; k++)
            scale += q->own[rows[k]];
        for (long k = 0; k < count; k++) {
            t[k] = p[rows[k]] - u[rows[k]] / scale;
            length += t[k] * t[k];
        }
        length = sqrt(length);
        int closed = p[n] - u[n] / q->own[n] > 0.0;
        for (long k = 0; k < count; k++) {
            double next = length > limit ? t[k] * limit / length : t[k];
            worst = fmax(worst, fabs(next - p[rows[k]]) * scale);
            if (closed && length <= limit)
                hold(q, m, rows[k], u[rows[k]]);
        }
        if (closed && length > limit)
            slide(q, m, g, t, length, scale, p);
    }
    return worst;
}

/* The part of a step after which the first contact opens or the first group reaches its rim. */
static double free_part(const tb_contact_problem *q, const double *p, const double *step) {
    double part = 1.0;
    for (long i = 0; i < q->contacts; i++) {
        long n = q->normals[i];
        if (p[n] > 0.0 && p[n] + part * step[n] < 0.0)
            part = -p[n] / step[n];
    }
    for (long g = 0; g < q->groups; g++) { /* |p_t + x step_t|^2 = (mu (p_n + x step_n))^2 */
        const int *rows = q->group_rows + 2 * g;
        long n = q->normals[q->group_contact[g]];
        double mu = q->coefficient[g] * q->coefficient[g];
        double a = -mu * step[n] * step[n], b = -mu * p[n] * step[n], c = -mu * p[n] * p[n];
        for (long k = 0; k < 2 && rows[k] >= 0; k++) {
            a += step[rows[k]] * step[rows[k]];
            b += step[rows[k]] * p[rows[k]];
            c += p[rows[k]] * p[rows[k]];
        }
        if (!(c < -INSIDE * mu * p[n] * p[n]) || !((a * part + 2.0 * b) * part + c > 0.0))
            continue;
        double root = sqrt(fmax(b * b - a * c, 0.0));
        part = b > 0.0 ? -c / (b + root) : (root - b) / a;
    }
    return part;
}

int tb_contact_newton(const tb_contact_problem *q, double *p, tb_contact_memory *m) {
    double *at = m->trial, best = INFINITY;
    int better = 0;
    memcpy(at, p, (size_t)q->rows * sizeof *p);
    for (long step = 0; step <= STEPS + 2 * q->contacts && !tb_stop_asked(); step++) {
        double broken = linearise(q, m, at);
        if (broken < best && step) {
            memcpy(p, at, (size_t)q->rows * sizeof *p);
            better = 1;
        }
        if (!(broken < INFINITY) || broken == 0.0)
            break;
        best = fmin(best, broken);
        tb_lu_factor(q->rows, m->matrix, m->order);
        tb_lu_solve(q->rows, m->matrix, m->order, m->right);
        double part = free_part(q, at, m->right);
        for (long i = 0; i < q->rows; i++)
            at[i] += part * m->right[i];
    }
    return better;
}
