/* Farthest points of convex cores, and the directions in which they aren't unique. */
#include <math.h>

#include "contact/convex.h"

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Below as many vertices all of a hull are tried: that is faster than to walk over its edges. */
enum { FEW = 12 };

static int farthest_vertex(const tb_convex *shape, const double *d, int from)
{
    const double *points = shape->points;
    int best = from >= 0 && from < shape->vertices ? from : 0;
    double height = dot(points + 3 * best, d);
    if (shape->vertices <= FEW) {
        for (int i = 0; i < shape->vertices; i++) {
            double h = dot(points + 3 * i, d);
            if (h > height) {
                height = h;
                best = i;
            }
        }
        return best;
    }
    for (int moved = 1; moved;) {
        moved = 0;
        int here = best;
        for (int k = shape->starts[here]; k < shape->starts[here + 1]; k++) {
            int i = shape->neighbours[k];
            double h = dot(points + 3 * i, d);
            if (h > height) {
                height = h;
                best = i;
                moved = 1;
            }
        }
    }
    return best;
}

void tb_support(const tb_convex *shape, const double *d, int *vertex, double *point)
{
    const double *size = shape->size;
    point[0] = point[1] = point[2] = 0.0;
    switch (shape->kind) {
    case TB_SEGMENT:
        point[2] = d[2] < 0.0 ? -size[0] : size[0];
        break;
    case TB_BOX:
        for (int i = 0; i < 3; i++)
            point[i] = d[i] < 0.0 ? -size[i] : size[i];
        break;
    case TB_CYLINDER:
    case TB_CONE: {
        double across = hypot(d[0], d[1]), up = d[2] * size[1];
        if (shape->kind == TB_CONE && up > across * size[0] - up) {
            point[2] = size[1];
            break;
        }
        point[0] = across > 0.0 ? size[0] * (d[0] / across) : size[0];
        point[1] = across > 0.0 ? size[0] * (d[1] / across) : 0.0;
        point[2] = shape->kind == TB_CONE || d[2] < 0.0 ? -size[1] : size[1];
        break;
    }
    case TB_ELLIPSOID: {
        double scaled[3], length = 0.0;
        for (int i = 0; i < 3; i++) {
            scaled[i] = size[i] * d[i];
            length += scaled[i] * scaled[i];
        }
        length = sqrt(length);
        for (int i = 0; i < 3 && length > 0.0; i++)
            point[i] = size[i] * (scaled[i] / length);
        break;
    }
    case TB_HULL:
        *vertex = farthest_vertex(shape, d, *vertex);
        for (int i = 0; i < 3; i++)
            point[i] = shape->points[3 * *vertex + i];
        break;
    default:
        break;
    }
}

static int put(double *circles, int count, double x, double y, double z, double height)
{
    double *row = circles + 4 * count;
    row[0] = x;
    row[1] = y;
    row[2] = z;
    row[3] = height;
    return count + 1;
}

/* Edges of a hull's vertex that are almost across the direction; the nearest where there are too
 * many. */
static int hull_kinks(const tb_convex *shape, const double *d, int vertex, double width,
                      double *circles)
{
    double off[TB_KINKS];
    int count = 0;
    for (int k = shape->starts[vertex]; k < shape->starts[vertex + 1]; k++) {
        const double *end = shape->points + 3 * shape->neighbours[k];
        const double *start = shape->points + 3 * vertex;
        double e[3] = {end[0] - start[0], end[1] - start[1], end[2] - start[2]};
        double length = sqrt(dot(e, e)), slope = fabs(dot(e, d)) / length;
        if (!(slope < width))
            continue;
        int at = count < TB_KINKS ? count++ : TB_KINKS;
        while (at > 0 && off[at - 1] > slope) {
            if (at < TB_KINKS) {
                off[at] = off[at - 1];
                for (int i = 0; i < 4; i++)
                    circles[4 * at + i] = circles[4 * at - 4 + i];
            }
            at--;
        }
        if (at < TB_KINKS) {
            off[at] = slope;
            put(circles, at, e[0] / length, e[1] / length, e[2] / length, 0.0);
        }
    }
    return count;
}

int tb_kinks(const tb_convex *shape, const double *d, int vertex, double width, double *circles)
{
    const double *size = shape->size;
    double across = hypot(d[0], d[1]);
    int count = 0;
    switch (shape->kind) {
    case TB_SEGMENT:
        return fabs(d[2]) < width ? put(circles, 0, 0.0, 0.0, 1.0, 0.0) : 0;
    case TB_BOX:
        for (int i = 0; i < 3; i++)
            if (fabs(d[i]) < width)
                count = put(circles, count, i == 0, i == 1, i == 2, 0.0);
        return count;
    case TB_CONE:
    case TB_CYLINDER:
        if (across < width && (shape->kind == TB_CYLINDER || d[2] < 0.0)) {
            count = put(circles, count, 1.0, 0.0, 0.0, 0.0);
            count = put(circles, count, 0.0, 1.0, 0.0, 0.0);
        }
        if (shape->kind == TB_CONE) {
            double slant = hypot(size[0], 2.0 * size[1]), height = size[0] / slant;
            if (fabs(d[2] * (2.0 * size[1] / slant) - across * height) < width)
                count = put(circles, count, 0.0, 0.0, 1.0, height);
        } else if (fabs(d[2]) < width) {
            count = put(circles, count, 0.0, 0.0, 1.0, 0.0);
        }
        return count;
    case TB_HULL:
        return hull_kinks(shape, d, vertex, width, circles);
    default:
        return 0;
    }
}
