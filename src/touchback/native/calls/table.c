#include "calls/table.h"

/* Index of the cell [points[i], points[i+1]) that holds the value; the last cell takes its right
 * end. */
static long cell(const double *points, long count, double value) {
    long low = 0, high = count;
    while (low < high) {
        long middle = (low + high) / 2;
        if (value < points[middle])
            high = middle;
        else
            low = middle + 1;
    }
    long i = low - 1;
    if (i < 0)
        i = 0;
    return i > count - 2 ? count - 2 : i;
}

static int outside(const double *points, long count, double value) {
    return !(points[0] <= value && value < points[count - 1]);
}

static double clamp(const double *points, long count, double value) {
    if (points[0] > value)
        value = points[0];
    return points[count - 1] < value ? points[count - 1] : value;
}

/* y0 + (y1 - y0) * ((x - x0) / (x1 - x0)), each operation rounded once. */
double tb_lookup1(const tb_table *table, double x, long want) {
    if (x != x)
        return x;
    long i = cell(table->x, table->nx, x);
    double x0 = table->x[i], x1 = table->x[i + 1], y0 = table->values[i], y1 = table->values[i + 1];
    if (want == TB_DX)
        return outside(table->x, table->nx, x) ? 0.0 : (y1 - y0) / (x1 - x0);
    return y0 + (y1 - y0) * ((clamp(table->x, table->nx, x) - x0) / (x1 - x0));
}

/* First along y on both sides of the cell, then along x. */
double tb_lookup2(const tb_table *table, double x, double y, long want) {
    if (x != x || y != y)
        return x + y;
    long nx = table->nx, ny = table->ny;
    long i = cell(table->x, nx, x), j = cell(table->y, ny, y);
    double x0 = table->x[i], x1 = table->x[i + 1], y0 = table->y[j], y1 = table->y[j + 1];
    const double *near = table->values + i * ny + j, *far = near + ny;
    double low, high;
    if (want == TB_DY || want == TB_DXY) {
        if (outside(table->y, ny, y))
            return 0.0;
        low = (near[1] - near[0]) / (y1 - y0);
        high = (far[1] - far[0]) / (y1 - y0);
    } else {
        double t = (clamp(table->y, ny, y) - y0) / (y1 - y0);
        low = near[0] + (near[1] - near[0]) * t;
        high = far[0] + (far[1] - far[0]) * t;
    }
    if (want == TB_DX || want == TB_DXY)
        return outside(table->x, nx, x) ? 0.0 : (high - low) / (x1 - x0);
    return low + (high - low) * ((clamp(table->x, nx, x) - x0) / (x1 - x0));
}
