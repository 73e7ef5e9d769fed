/* Contacts of a step in islands: those that hang together through bodies that they share. Their
 * impulses have nothing to do with other islands', and which rows act on each other is a sparse
 * matrix whose pattern changes from step to step. */
#include <math.h>
#include <string.h>

#include "contact/step_accessors.h"

static const double SETTLED = 1e-13, ROUGHLY = 1e-5; /* of the largest speed */
static const long SWEEPS = 100000, FIRST_SWEEPS = 300, PATIENCE = 1500;

static long end_of(const tb_moreau_jean *s, long contact) {
    return contact + 1 < s->contacts ? s->normals[contact + 1] : s->rows;
}

/* Enters each part's contacts into a list: heads by part, nexts by pair. */
static void list_touching(tb_moreau_jean *s, long count) {
    const tb_contact_pattern *at = &s->pattern;
    for (long k = 0; k < at->parts; k++)
        s->heads[k] = -1;
    for (long i = count - 1; i >= 0; i--)
        for (long pair = at->pair_starts[end_of(s, s->active[i])] - 1;
             pair >= at->pair_starts[s->normals[s->active[i]]]; pair--) {
            s->nexts[pair] = s->heads[at->pair_part[pair]];
            s->heads[at->pair_part[pair]] = (int)pair;
        }
}

/* The rows of a contact that may have impulses, at the end of the problem. */
static void list_contact(tb_moreau_jean *s, long contact, const double *coefficient, long row0,
                         long contact0) {
    tb_contact_problem *q = &s->problem;
    s->ordered[q->contacts] = (int)contact;
    q->normals[q->contacts] = (int)(q->rows - row0);
    s->listed[q->rows++] = s->normals[contact];
    for (long g = s->pattern.group_starts[contact]; g < s->pattern.group_starts[contact + 1]; g++) {
        if (s->group_rows[2 * g] < 0 || !(coefficient[g] > 0.0))
            continue;
        for (long k = 0; k < 2; k++) {
            int row = s->group_rows[2 * g + k];
            q->group_rows[2 * q->groups + k] = row < 0 ? -1 : (int)(q->rows - row0);
            if (row >= 0)
                s->listed[q->rows++] = row;
        }
        q->group_contact[q->groups] = (int)(q->contacts - contact0);
        q->coefficient[q->groups++] = coefficient[g];
    }
    q->contacts++;
}

long tb_list_islands(tb_moreau_jean *s, int (*touches)(const tb_moreau_jean *self, long contact),
                     const double *coefficient) {
    const tb_contact_pattern *at = &s->pattern;
    tb_contact_problem *q = &s->problem;
    long count = 0, islands = 0;
    for (long i = 0; i < s->contacts; i++)
        if (touches(s, i))
            s->active[count++] = (int)i;
    list_touching(s, count);
    for (long i = 0; i < s->contacts; i++)
        s->marks[i] = 0;
    q->rows = q->contacts = q->groups = 0;
    for (long i = 0; i < count; i++) {
        long first = 0, last = 0;
        if (s->marks[s->active[i]])
            continue;
        s->marks[s->active[i]] = 1;
        s->queue[last++] = s->active[i];
        s->island_rows[islands] = (int)q->rows;
        s->island_contacts[islands] = (int)q->contacts;
        s->island_groups[islands] = (int)q->groups;
        while (first < last) { /* neighbours, then theirs: rows that act on each other stay near */
            long contact = s->queue[first++];
            list_contact(s, contact, coefficient, s->island_rows[islands],
                         s->island_contacts[islands]);
            for (long pair = at->pair_starts[s->normals[contact]];
                 pair < at->pair_starts[end_of(s, contact)]; pair++) {
                long part = at->pair_part[pair];
                for (long other = s->heads[part]; other >= 0; other = s->nexts[other]) {
                    long near = at->pair_contact[other];
                    if (!s->marks[near]) {
                        s->marks[near] = 1;
                        s->queue[last++] = (int)near;
                    }
                }
                s->heads[part] = -1; /* all of them are in the queue */
            }
        }
        islands++;
    }
    s->island_rows[islands] = (int)q->rows;
    s->island_contacts[islands] = (int)q->contacts;
    s->island_groups[islands] = (int)q->groups;
    return islands;
}

void tb_list_rows(tb_moreau_jean *s) {
    const tb_contact_pattern *at = &s->pattern;
    const tb_contact_problem *q = &s->problem;
    for (long k = 0; k < at->parts; k++)
        s->heads[k] = -1;
    for (long i = q->rows - 1; i >= 0; i--) /* each part's rows, rising */
        for (long pair = at->pair_starts[s->listed[i]]; pair < at->pair_starts[s->listed[i] + 1];
             pair++) {
            s->nexts[pair] = s->heads[at->pair_part[pair]];
            s->heads[at->pair_part[pair]] = (int)pair;
            s->place[s->listed[i]] = (int)i;
        }
}

void tb_assemble_islands(tb_moreau_jean *s, const double *W) {
    const tb_contact_pattern *at = &s->pattern;
    tb_contact_problem *q = &s->problem;
    for (long i = 0; i < s->rows; i++)
        s->marks[i] = -1;
    int count = 0;
    for (long i = 0, island = 0; i < q->rows; i++) {
        island += i >= s->island_rows[island + 1];
        long row = s->listed[i], first = count;
        q->starts[i] = count;
        for (long pair = at->pair_starts[row]; pair < at->pair_starts[row + 1]; pair++)
            for (long other = s->heads[at->pair_part[pair]]; other >= 0; other = s->nexts[other]) {
                const double *column = s->B + at->pair_B[other];
                long j = s->place[at->pair_row[other]];
                double sum = 0.0;
                for (long k = at->pair_entries[pair]; k < at->pair_entries[pair + 1]; k++)
                    sum += W[k] * column[at->places[k]];
                if (s->marks[j] < first) {
                    s->marks[j] = count;
                    q->columns[count] = (int)(j - s->island_rows[island]);
                    q->G[count++] = sum;
                } else
                    q->G[s->marks[j]] += sum;
            }
        q->own[i] = s->marks[i] < first ? 0.0 : q->G[s->marks[i]];
    }
    q->starts[q->rows] = count;
}

tb_contact_problem tb_island_of(const tb_moreau_jean *s, long island) {
    tb_contact_problem q = s->problem;
    long row = s->island_rows[island], contact = s->island_contacts[island];
    long group = s->island_groups[island];
    q.rows = s->island_rows[island + 1] - row;
    q.contacts = s->island_contacts[island + 1] - contact;
    q.groups = s->island_groups[island + 1] - group;
    q.starts += row;
    q.own += row;
    q.c += row;
    q.normals += contact;
    q.group_rows += 2 * group;
    q.group_contact += group;
    q.coefficient += group;
    q.scale += group;
    return q;
}

static int planar(const tb_contact_problem *q) {
    for (long g = 0; g < q->groups; g++)
        if (q->group_rows[2 * g + 1] >= 0)
            return 0;
    return 1;
}

/* Sweeps with, ever more rarely, Newton's method between them: first when they have cost about as
 * much as one of its steps would. Contacts that repeat each other but for rounding may have no
 * exact impulses within reach: rough ones do. Returns whether there are any. */
static int sweep(tb_moreau_jean *s, const tb_contact_problem *q, double fastest, double *p) {
    double entries = q->starts[q->rows] - q->starts[0], size = (double)q->rows;
    long most = (long)fmin(fmax((double)FIRST_SWEEPS, size * size * size / (3.0 * entries)),
                           (double)SWEEPS);
    for (long taken = 0; taken < SWEEPS; most *= 2) {
        long sweeps = tb_gauss_seidel(q, NULL, p, SETTLED * fastest, most);
        s->sweeps += sweeps < 0 ? most : sweeps;
        if (sweeps >= 0)
            return 1;
        taken += most;
        if (q->rows <= s->memory.rows)
            tb_contact_newton(q, p, &s->memory);
        if (taken >= PATIENCE && tb_gauss_seidel(q, NULL, p, ROUGHLY * fastest, 1) >= 0) {
            s->rough++;
            return 1;
        }
    }
    return 0;
}

int tb_solve_island(tb_moreau_jean *s, long island, double fastest, double *p) {
    tb_contact_problem q = tb_island_of(s, island);
    p += s->island_rows[island];
    long pivots = planar(&q) ? tb_lemke(&q, p, &s->memory) : -1;
    if (pivots >= 0) {
        s->pivots += pivots;
        return 1;
    }
    for (long i = 0; i < q.rows; i++) { /* from step to step impulses change by about as much */
        long row = s->listed[s->island_rows[island] + i];
        double last = s->impulses[row], before = s->before[row];
        p[i] = last != 0.0 && before != 0.0 ? last + (last - before) : last;
    }
    s->swept++;
    return sweep(s, &q, fastest, p);
}
