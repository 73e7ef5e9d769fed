/* How far two convex shapes are apart. The distance of two convex bodies, negative where they
 * overlap, is the largest g(n) of all unit vectors n: how far apart the two planes across n are
 * that each body leans on. A search by simplices (Gilbert, Johnson, Keerthi 1988), or by a growing
 * polytope where bodies overlap (van den Bergen 2001), finds n nearly; then g is maximised on what
 * n can be: two circles' common point (a face, two edges), one circle, or freely. That makes
 * curved shapes as exact as flat ones. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/convex.h"

/* A point of the Minkowski difference, second minus first, and what it is the difference of. */
typedef struct {
    double w[3], a[3], b[3];
} sample;

/* Two shapes in the axes of the first, about its origin. */
typedef struct {
    const tb_convex *first, *second;
    double shift[3], turn[9]; /* where the second is */
    double scale;             /* how large both are, the larger one [m] */
    int vertices[2];
} pair;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
}

static void minus(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[i] - b[i];
}

/* To length one; 0 if it has none. */
static int unit(double *a)
{
    double largest = fmax(fmax(fabs(a[0]), fabs(a[1])), fabs(a[2]));
    if (!(largest > 0.0) || !isfinite(largest))
        return 0;
    for (int i = 0; i < 3; i++)
        a[i] /= largest;
    double length = sqrt(dot(a, a));
    for (int i = 0; i < 3; i++)
        a[i] /= length;
    return 1;
}

/* Two unit vectors across n and each other. */
static void across(const double *n, double *u, double *v)
{
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    if (fabs(n[2]) < fabs(n[least]))
        least = 2;
    double e[3] = {least == 0, least == 1, least == 2};
    cross(n, e, u);
    unit(u);
    cross(n, u, v);
}

static void to_second(const pair *p, const double *d, double *local)
{
    for (int i = 0; i < 3; i++)
        local[i] = p->turn[i] * d[0] + p->turn[3 + i] * d[1] + p->turn[6 + i] * d[2];
}

static void from_second(const pair *p, const double *local, double *d)
{
    for (int i = 0; i < 3; i++)
        d[i] = dot(p->turn + 3 * i, local);
}

/* The point of the difference that lies lowest along n: n . w = g(n) if n is a unit vector. */
static void lowest(pair *p, const double *n, sample *s)
{
    double local[3], back[3] = {-n[0], -n[1], -n[2]};
    tb_support(p->first, n, &p->vertices[0], s->a);
    to_second(p, back, local);
    tb_support(p->second, local, &p->vertices[1], back);
    from_second(p, back, s->b);
    for (int i = 0; i < 3; i++)
        s->b[i] += p->shift[i];
    minus(s->b, s->a, s->w);
}

/* ---- simplices ------------------------------------------------------------------------------- */

/* Weights of the point of the plane, line or volume of some points that is nearest to the origin;
 * 0 unless it lies among them. */
static int weights_among(const sample *s, const int *chosen, int count, double *weights)
{
    const double *a = s[chosen[0]].w;
    weights[0] = 1.0;
    if (count == 1)
        return 1;
    const double *b = s[chosen[1]].w;
    double ab[3];
    minus(b, a, ab);
    if (count == 2) {
        double length = dot(ab, ab);
        if (!(length > 0.0))
            return 0;
        weights[1] = -dot(a, ab) / length;
        weights[0] = dot(b, ab) / length;
        return weights[0] > 0.0 && weights[1] > 0.0;
    }
    const double *c = s[chosen[2]].w;
    double ac[3], n[3], e[3];
    minus(c, a, ac);
    cross(ab, ac, n);
    if (count == 3) {
        double area = dot(n, n);
        if (!(area > 0.0))
            return 0;
        cross(b, c, e);
        weights[0] = dot(e, n) / area;
        cross(c, a, e);
        weights[1] = dot(e, n) / area;
        cross(a, b, e);
        weights[2] = dot(e, n) / area;
        return weights[0] > 0.0 && weights[1] > 0.0 && weights[2] > 0.0;
    }
    const double *d = s[chosen[3]].w;
    double ad[3];
    minus(d, a, ad);
    double volume = dot(n, ad);
    if (volume == 0.0)
        return 0;
    cross(c, d, e);
    weights[0] = dot(b, e);
    cross(d, c, e);
    weights[1] = dot(a, e);
    cross(b, d, e);
    weights[2] = dot(a, e);
    cross(c, b, e);
    weights[3] = dot(a, e);
    for (int i = 0; i < 4; i++)
        weights[i] /= volume;
    return weights[0] > 0.0 && weights[1] > 0.0 && weights[2] > 0.0 && weights[3] > 0.0;
}

/* The point v of a simplex that is nearest to the origin; only those points stay that it lies
 * among, with its weights. */
static void nearest_of(sample *s, int *count, double *weights, double *v)
{
    int kept[4] = {0}, keeps = 0;
    double least = DBL_MAX;
    for (int size = 1; size <= *count; size++)
        for (int set = 1; set < 1 << *count; set++) {
            int chosen[4] = {0}, size_now = 0;
            for (int i = 0; i < *count; i++)
                if (set >> i & 1)
                    chosen[size_now++] = i;
            double given[4], point[3] = {0.0, 0.0, 0.0};
            if (size_now != size || !weights_among(s, chosen, size, given))
                continue;
            for (int i = 0; i < size && size < 4; i++)
                for (int k = 0; k < 3; k++)
                    point[k] += given[i] * s[chosen[i]].w[k];
            if (dot(point, point) < least) {
                least = dot(point, point);
                keeps = size;
                memcpy(kept, chosen, sizeof chosen);
                memcpy(weights, given, sizeof given);
                memcpy(v, point, sizeof point);
            }
        }
    for (int i = 0; i < keeps; i++)
        s[i] = s[kept[i]];
    *count = keeps;
}

static void mix(const sample *s, int count, const double *weights, double *a, double *b)
{
    for (int k = 0; k < 3; k++) {
        a[k] = b[k] = 0.0;
        for (int i = 0; i < count; i++) {
            a[k] += weights[i] * s[i].a[k];
            b[k] += weights[i] * s[i].b[k];
        }
    }
}

enum { SIMPLICES = 128 };
#define TOUCHING 1e-10 /* of the scale: nearer than that, rounding decides on the direction */

/* Fills n and the nearest points of two cores apart: 1. 0: they touch or overlap, and the simplex
 * tells where. */
static int find_apart(pair *p, sample *s, int *count, double *n, double *a, double *b)
{
    double v[3], weights[4], best = -DBL_MAX, start[3];
    memcpy(start, n, sizeof start);
    lowest(p, start, s);
    *count = 1;
    weights[0] = 1.0;
    memcpy(v, s[0].w, sizeof v);
    for (int round = 0; round < SIMPLICES; round++) {
        double square = dot(v, v), length = sqrt(square);
        if (length <= TOUCHING * p->scale)
            return 0;
        sample next;
        lowest(p, v, &next);
        double g = dot(v, next.w) / length;
        if (g > best) {
            best = g;
            for (int i = 0; i < 3; i++)
                n[i] = v[i] / length;
        }
        int known = length - best <= 4.0 * DBL_EPSILON * length;
        for (int i = 0; i < *count; i++)
            known |= !memcmp(next.w, s[i].w, sizeof next.w);
        if (known)
            break;
        sample kept[4];
        double kept_weights[4];
        int kept_count = *count;
        memcpy(kept, s, sizeof kept);
        memcpy(kept_weights, weights, sizeof weights);
        s[(*count)++] = next;
        nearest_of(s, count, weights, v);
        if (*count == 4)
            return 0;
        if (!(dot(v, v) < square)) { /* as near as rounding allows */
            memcpy(s, kept, sizeof kept);
            memcpy(weights, kept_weights, sizeof weights);
            *count = kept_count;
            break;
        }
    }
    mix(s, *count, weights, a, b);
    return 1;
}

/* ---- the direction, exactly ------------------------------------------------------------------ */

typedef struct {
    double g, n[3];
} direction;

static void consider(pair *p, const double *n, direction *best)
{
    sample s;
    lowest(p, n, &s);
    double g = dot(n, s.w);
    if (g > best->g) {
        best->g = g;
        memcpy(best->n, n, sizeof best->n);
    }
}

/* A point of a circle n . axis = height by its angle, and its derivative by the angle. */
typedef struct {
    double axis[3], height, radius, u[3], v[3];
} circle;

static void on_circle(const circle *c, double angle, double *n, double *slope)
{
    double x = cos(angle), y = sin(angle);
    for (int i = 0; i < 3; i++) {
        n[i] = c->height * c->axis[i] + c->radius * (x * c->u[i] + y * c->v[i]);
        slope[i] = c->radius * (y * -c->u[i] + x * c->v[i]);
    }
}

static double slope_at(pair *p, const circle *c, double angle, double *n)
{
    double along[3];
    sample s;
    on_circle(c, angle, n, along);
    lowest(p, n, &s);
    return dot(along, s.w);
}

/* The largest g of a circle near n: where its slope changes sign, by halving and secants. */
static void along_circle(pair *p, circle *c, const double *start, direction *best)
{
    double n[3], left = 0.0, right = 0.0, rises = 0.0, falls = 0.0;
    c->radius = sqrt(fmax(0.0, 1.0 - c->height * c->height));
    across(c->axis, c->u, c->v);
    double x = dot(c->u, start), y = dot(c->v, start), off = hypot(x, y);
    if (off > 0.0) { /* else every angle is as near */
        for (int i = 0; i < 3; i++)
            c->u[i] = (x * c->u[i] + y * c->v[i]) / off;
        cross(c->axis, c->u, c->v);
    }
    double middle = slope_at(p, c, 0.0, n);
    consider(p, n, best);
    double way = middle > 0.0 ? 1.0 : -1.0;
    for (double step = 1e-9; step < 3.0 && middle != 0.0; step *= step < 0.1 ? 8.0 : 1.5) {
        double far = slope_at(p, c, way * step, n);
        if (far * middle > 0.0)
            continue;
        left = way > 0.0 ? 0.0 : -step;
        right = way > 0.0 ? step : 0.0;
        rises = way > 0.0 ? middle : far;
        falls = way > 0.0 ? far : middle;
        break;
    }
    for (int i = 0; i < 100 && right - left > 1e-17 && rises > 0.0 && falls < 0.0; i++) {
        double share = i % 3 == 2 ? 0.5 : rises / (rises - falls);
        double at = left + share * (right - left);
        if (!(at > left && at < right))
            break;
        double slope = slope_at(p, c, at, n);
        consider(p, n, best);
        if (slope > 0.0) {
            left = at;
            rises = slope;
        } else {
            right = at;
            falls = slope;
        }
    }
}

/* g's gradient in the coordinates s, t of n + s u + t v. */
static double gradient(pair *p, const double *n0, const double *u, const double *v, double s,
                       double t, double *n, double *slope)
{
    for (int i = 0; i < 3; i++)
        n[i] = n0[i] + s * u[i] + t * v[i];
    double length = sqrt(dot(n, n));
    for (int i = 0; i < 3; i++)
        n[i] /= length;
    sample at;
    lowest(p, n, &at);
    double g = dot(n, at.w);
    slope[0] = (dot(u, at.w) - dot(u, n) * g) / length;
    slope[1] = (dot(v, at.w) - dot(v, n) * g) / length;
    return g;
}

/* The largest g near n where both shapes are smooth: Newton's method, second derivatives by
 * differences. */
static void freely(pair *p, const double *start, direction *best)
{
    const double h = 1e-6;
    double n0[3], u[3], v[3], n[3], f[2], to[2][2], from[2][2];
    memcpy(n0, start, sizeof n0);
    for (int round = 0; round < 12; round++) {
        across(n0, u, v);
        double g = gradient(p, n0, u, v, 0.0, 0.0, n, f);
        for (int i = 0; i < 2; i++) {
            gradient(p, n0, u, v, i ? 0.0 : h, i ? h : 0.0, n, to[i]);
            gradient(p, n0, u, v, i ? 0.0 : -h, i ? -h : 0.0, n, from[i]);
        }
        double a = (to[0][0] - from[0][0]) / (2 * h), d = (to[1][1] - from[1][1]) / (2 * h);
        double b = (to[0][1] - from[0][1] + to[1][0] - from[1][0]) / (4 * h);
        double det = a * d - b * b;
        if (!(a < 0.0) || !(det > 0.0))
            return;
        double s = (b * f[1] - d * f[0]) / det, t = (b * f[0] - a * f[1]) / det;
        double longest = fmax(fabs(s), fabs(t)), share = longest > 0.1 ? 0.1 / longest : 1.0;
        double slope[2], then = g;
        int halved = 0;
        for (; halved < 20; halved++, share *= 0.5) {
            then = gradient(p, n0, u, v, share * s, share * t, n, slope);
            if (then >= g)
                break;
        }
        if (halved == 20)
            return;
        memcpy(n0, n, sizeof n0);
        consider(p, n0, best);
        if (longest < 1e-15 || then <= g)
            return;
    }
}

/* Moves a direction to the largest g nearby: kinks within `width` are tried. */
static void refine_within(pair *p, double width, direction *best)
{
    circle circles[2 * TB_KINKS];
    double rows[4 * TB_KINKS], back[3], local[3], start[3], n[3];
    sample s;
    memcpy(start, best->n, sizeof start);
    lowest(p, start, &s);
    int firsts = tb_kinks(p->first, start, p->vertices[0], width, rows), count = firsts;
    for (int k = 0; k < count; k++) {
        memcpy(circles[k].axis, rows + 4 * k, sizeof circles[k].axis);
        circles[k].height = rows[4 * k + 3];
    }
    for (int i = 0; i < 3; i++)
        back[i] = -start[i];
    to_second(p, back, local);
    int others = tb_kinks(p->second, local, p->vertices[1], width, rows);
    for (int k = 0; k < others; k++, count++) {
        from_second(p, rows + 4 * k, circles[count].axis);
        circles[count].height = -rows[4 * k + 3];
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            const circle *e = circles + i, *f = circles + j;
            double c = dot(e->axis, f->axis), normal[3];
            cross(e->axis, f->axis, normal);
            double square = dot(normal, normal);
            if (square < 1e-20)
                continue;
            double x = (e->height - c * f->height) / square;
            double y = (f->height - c * e->height) / square;
            double rest = 1.0 - (x * x + y * y + 2.0 * c * x * y);
            if (rest < 0.0)
                continue;
            double z = copysign(sqrt(rest / square), dot(normal, start));
            for (int k = 0; k < 3; k++)
                n[k] = x * e->axis[k] + y * f->axis[k] + z * normal[k];
            if (unit(n))
                consider(p, n, best);
        }
    for (int i = 0; i < count; i++)
        along_circle(p, circles + i, start, best);
    freely(p, start, best);
}

static void refine(pair *p, direction *best, double width)
{
    for (; width > 1e-4; width *= 0.1)
        refine_within(p, width, best);
}

/* ---- overlapping cores ----------------------------------------------------------------------- */

enum { VERTICES = 128, FACES = 2 * VERTICES, EDGES = 3 * FACES };

typedef struct {
    int corners[3];
    double m[3], distance; /* out of the polytope, from the origin */
} face;

typedef struct {
    sample points[VERTICES];
    face faces[FACES];
    int point_count, face_count;
} polytope;

static void add_face(polytope *q, int a, int b, int c)
{
    face *f = q->faces + q->face_count++;
    double ab[3], ac[3];
    f->corners[0] = a;
    f->corners[1] = b;
    f->corners[2] = c;
    minus(q->points[b].w, q->points[a].w, ab);
    minus(q->points[c].w, q->points[a].w, ac);
    cross(ab, ac, f->m);
    f->distance = unit(f->m) ? dot(f->m, q->points[a].w) : DBL_MAX; /* a needle bounds nothing */
}

static double height_over(const sample *s, const sample *base, const double *m)
{
    double d[3];
    minus(s->w, base->w, d);
    return dot(d, m);
}

static double off_line(const sample *s, const sample *base, const double *e)
{
    double d[3], n[3];
    minus(s->w, base->w, d);
    cross(d, e, n);
    return sqrt(dot(n, n));
}

/* A tetrahedron of the difference, of a pool of its points. 0: it is flat, and n is across it. */
static int begin_polytope(pair *p, const sample *simplex, int count, polytope *q, double *n)
{
    sample pool[16];
    int pooled = 0;
    const double flat = 1e-12 * p->scale;
    for (; pooled < count; pooled++)
        pool[pooled] = simplex[pooled];
    for (int i = 0; i < 6; i++) {
        double d[3] = {0.0, 0.0, 0.0};
        d[i / 2] = i % 2 ? -1.0 : 1.0;
        lowest(p, d, pool + pooled++);
    }
    int best = 0;
    double most = 0.0, e[3], u[3], v[3];
    q->points[0] = pool[0];
    for (int i = 1; i < pooled; i++) {
        minus(pool[i].w, pool[0].w, e);
        double length = sqrt(dot(e, e));
        if (length > most) {
            most = length;
            best = i;
        }
    }
    if (most <= flat) {
        n[0] = n[1] = 0.0;
        n[2] = 1.0;
        return 0;
    }
    q->points[1] = pool[best];
    minus(pool[best].w, pool[0].w, e);
    unit(e);
    across(e, u, v);
    for (int i = 0; i < 4; i++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = (i % 2 ? -1.0 : 1.0) * (i < 2 ? u[k] : v[k]);
        lowest(p, d, pool + pooled++);
    }
    most = 0.0;
    for (int i = 0; i < pooled; i++) {
        double off = off_line(pool + i, q->points, e);
        if (off > most) {
            most = off;
            best = i;
        }
    }
    if (most <= flat) {
        memcpy(n, u, sizeof u);
        return 0;
    }
    q->points[2] = pool[best];
    double ab[3], ac[3], m[3], back[3];
    minus(q->points[1].w, q->points[0].w, ab);
    minus(q->points[2].w, q->points[0].w, ac);
    cross(ab, ac, m);
    unit(m);
    for (int i = 0; i < 3; i++)
        back[i] = -m[i];
    lowest(p, m, pool + pooled++);
    lowest(p, back, pool + pooled++);
    most = 0.0;
    for (int i = 0; i < pooled; i++) {
        double height = height_over(pool + i, q->points, m);
        if (fabs(height) > fabs(most)) {
            most = height;
            best = i;
        }
    }
    if (fabs(most) <= flat) {
        memcpy(n, m, sizeof m);
        return 0;
    }
    q->points[3] = pool[best];
    q->point_count = 4;
    q->face_count = 0;
    int b = most > 0.0 ? 2 : 1, c = most > 0.0 ? 1 : 2; /* normals point out */
    add_face(q, 0, b, c);
    add_face(q, 0, c, 3);
    add_face(q, c, b, 3);
    add_face(q, b, 0, 3);
    return 1;
}

/* Takes in a point: faces that it sees go, and what they leave open is closed with it. */
static int extend(polytope *q, int seen_first, double tolerance)
{
    int edges[EDGES][2], open = 0, kept = 0;
    const sample *w = q->points + q->point_count - 1;
    for (int i = 0; i < q->face_count; i++) {
        face *f = q->faces + i;
        int seen = i == seen_first || dot(f->m, w->w) - f->distance > tolerance;
        if (!seen) {
            q->faces[kept++] = *f;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            int a = f->corners[k], b = f->corners[(k + 1) % 3], twin = -1;
            for (int j = 0; j < open; j++)
                if (edges[j][0] == b && edges[j][1] == a)
                    twin = j;
            if (twin >= 0) {
                open--;
                edges[twin][0] = edges[open][0];
                edges[twin][1] = edges[open][1];
            } else {
                edges[open][0] = a;
                edges[open++][1] = b;
            }
        }
    }
    q->face_count = kept;
    if (kept + open > FACES)
        return 0;
    for (int j = 0; j < open; j++)
        add_face(q, edges[j][0], edges[j][1], q->point_count - 1);
    return 1;
}

enum { TRIED = 16 }; /* faces from which the shortest way out is looked for */

/* The shortest way out of cores that overlap. */
static void find_overlap(pair *p, const sample *simplex, int count, direction *best, double *a,
                         double *b)
{
    polytope q;
    double n[3], weights[4];
    best->g = -DBL_MAX;
    if (!begin_polytope(p, simplex, count, &q, n)) {
        double v[3];
        sample nearest[4];
        memcpy(nearest, simplex, sizeof nearest);
        consider(p, n, best);
        nearest_of(nearest, &count, weights, v);
        mix(nearest, count, weights, a, b);
        return;
    }
    const double tolerance = 1e-14 * p->scale;
    int exact = 0, nearest;
    while (q.point_count < VERTICES) {
        nearest = 0;
        for (int i = 1; i < q.face_count; i++)
            if (q.faces[i].distance < q.faces[nearest].distance)
                nearest = i;
        const face *f = q.faces + nearest;
        for (int i = 0; i < 3; i++)
            n[i] = -f->m[i];
        sample *next = q.points + q.point_count;
        lowest(p, n, next);
        consider(p, n, best);
        if (dot(f->m, next->w) - f->distance <= 16.0 * tolerance) {
            exact = 1;
            break;
        }
        int known = 0;
        for (int k = 0; k < 3; k++)
            known |= !memcmp(next->w, q.points[f->corners[k]].w, sizeof next->w);
        if (known)
            break;
        q.point_count++;
        if (!extend(&q, nearest, tolerance) || !q.face_count)
            break;
    }
    direction found = *best;
    refine(p, &found, exact ? 1e-3 : 0.5);
    double ways[FACES], tried[TRIED][3]; /* other valleys, by how far out the way truly is there */
    for (int i = 0; i < q.face_count && !exact; i++) {
        direction out = {-DBL_MAX, {-q.faces[i].m[0], -q.faces[i].m[1], -q.faces[i].m[2]}};
        consider(p, out.n, &out);
        ways[i] = out.g;
    }
    for (int tries = 0; tries < TRIED && !exact; tries++) {
        int way = -1;
        for (int i = 0; i < q.face_count; i++) {
            int fresh = q.faces[i].distance < -found.g; /* else no other way is shorter */
            for (int k = 0; k < tries; k++)
                fresh &= dot(q.faces[i].m, tried[k]) < 0.98;
            if (fresh && (way < 0 || ways[i] > ways[way]))
                way = i;
        }
        if (way < 0)
            break;
        memcpy(tried[tries], q.faces[way].m, sizeof tried[0]);
        direction other = {-DBL_MAX, {0.0, 0.0, 0.0}};
        for (int k = 0; k < 3; k++)
            other.n[k] = -q.faces[way].m[k];
        consider(p, other.n, &other);
        refine(p, &other, 0.5);
        if (other.g > found.g)
            found = other;
    }
    *best = found;
    double least = DBL_MAX;
    for (int i = 0; i < q.face_count; i++) {
        sample corner[4];
        double v[3];
        int corners = 3;
        if (dot(q.faces[i].m, best->n) > -0.9)
            continue;
        for (int k = 0; k < 3; k++) {
            corner[k] = q.points[q.faces[i].corners[k]];
            for (int j = 0; j < 3; j++) /* the way out along n is where the origin is nearest */
                corner[k].w[j] -= best->g * best->n[j];
        }
        nearest_of(corner, &corners, weights, v);
        if (dot(v, v) < least) {
            least = dot(v, v);
            mix(corner, corners, weights, a, b);
        }
    }
}

/* ---- two shapes ------------------------------------------------------------------------------ */

static double extent(const tb_convex *shape)
{
    const double *s = shape->size;
    switch (shape->kind) {
    case TB_BOX:
    case TB_ELLIPSOID:
        return fmax(fmax(s[0], s[1]), s[2]);
    case TB_CYLINDER:
    case TB_CONE:
        return fmax(s[0], s[1]);
    case TB_SEGMENT:
    case TB_HULL:
        return s[0];
    default:
        return 0.0;
    }
}

/* How far apart two points are across n. */
static double aside(const double *n, const double *a, const double *b)
{
    double d[3];
    minus(b, a, d);
    double along = dot(n, d), square = 0.0;
    for (int i = 0; i < 3; i++)
        square += (d[i] - along * n[i]) * (d[i] - along * n[i]);
    return square;
}

static void put_together(const pair *p, const tb_placement *at, const double *n, double g,
                         double *a, double *b, tb_proximity *found)
{
    double apart[3];
    minus(b, a, apart);
    double off = 0.5 * (dot(n, apart) - g);
    double in_first[3], in_second[3];
    for (int i = 0; i < 3; i++) {
        in_first[i] = a[i] + (off + p->first->round) * n[i];
        in_second[i] = b[i] - (off + p->second->round) * n[i];
    }
    for (int i = 0; i < 3; i++) {
        found->normal[i] = dot(at->axes + 3 * i, n);
        found->first[i] = at->origin[i] + dot(at->axes + 3 * i, in_first);
        found->second[i] = at->origin[i] + dot(at->axes + 3 * i, in_second);
    }
    found->distance = g - p->first->round - p->second->round;
    found->vertices[0] = p->vertices[0];
    found->vertices[1] = p->vertices[1];
}

void tb_proximity_of(const tb_convex *first, const tb_placement *at_first, const tb_convex *second,
                     const tb_placement *at_second, tb_proximity *found)
{
    pair p = {.first = first, .second = second};
    memcpy(p.vertices, found->vertices, sizeof p.vertices);
    double far[3];
    minus(at_second->origin, at_first->origin, far);
    for (int i = 0; i < 3; i++) {
        p.shift[i] = p.turn[3 * i] = 0.0;
        for (int j = 0; j < 3; j++) {
            p.shift[i] += at_first->axes[3 * j + i] * far[j];
            p.turn[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++)
                p.turn[3 * i + j] += at_first->axes[3 * k + i] * at_second->axes[3 * k + j];
        }
    }
    p.scale = fmax(extent(first), extent(second));
    double n[3], a[3], b[3];
    if (first->kind == TB_HALF_SPACE || second->kind == TB_HALF_SPACE) {
        int plane_first = first->kind == TB_HALF_SPACE;
        double up[3] = {0.0, 0.0, 1.0};
        if (plane_first)
            memcpy(n, up, sizeof n);
        else
            for (int i = 0; i < 3; i++)
                n[i] = -p.turn[3 * i + 2];
        sample s;
        lowest(&p, n, &s); /* a plane is its origin here: what lies along n is asked for only */
        double g = dot(n, s.w);
        for (int i = 0; i < 3; i++) {
            a[i] = plane_first ? s.b[i] - g * n[i] : s.a[i];
            b[i] = plane_first ? s.b[i] : s.a[i] + g * n[i];
        }
        put_together(&p, at_first, n, g, a, b, found);
        return;
    }
    sample simplex[5];
    int count;
    memcpy(n, p.shift, sizeof n);
    if (!unit(n))
        n[2] = 1.0;
    direction best = {-DBL_MAX, {0.0, 0.0, 0.0}};
    if (find_apart(&p, simplex, &count, n, a, b)) {
        consider(&p, n, &best);
        refine(&p, &best, 1e-3);
    } else {
        find_overlap(&p, simplex, count, &best, a, b);
    }
    sample s;
    lowest(&p, best.n, &s);
    int farthest = aside(best.n, s.a, s.b) < aside(best.n, a, b); /* smooth shapes touch there */
    put_together(&p, at_first, best.n, best.g, farthest ? s.a : a, farthest ? s.b : b, found);
}

void tb_proximities(long count, const tb_convex *first, const double *at_first,
                    const tb_convex *second, const double *at_second, double *found)
{
    tb_proximity one = {.vertices = {0, 0}};
    for (long i = 0; i < count; i++) {
        tb_placement placed[2];
        memcpy(placed, at_first + 12 * i, sizeof placed[0]);
        memcpy(placed + 1, at_second + 12 * i, sizeof placed[1]);
        tb_proximity_of(first, placed, second, placed + 1, &one);
        memcpy(found + 10 * i, &one, 10 * sizeof(double));
    }
}
