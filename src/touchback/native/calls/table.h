/* Lookup tables: piecewise linear in one variable, bilinear in two, held constant beyond their
 * ends. */
#ifndef TOUCHBACK_TABLE_H
#define TOUCHBACK_TABLE_H

/* values[i * ny + j] belongs to (x[i], y[j]); a one-dimensional table has ny = 0 and values[i] at
 * x[i]. */
typedef struct tb_table {
    long nx, ny;
    const double *x, *y, *values;
} tb_table;

enum { TB_VALUE = 0, TB_DX = 1, TB_DY = 2, TB_DXY = 3 };

double tb_lookup1(const tb_table *table, double x, long want);
double tb_lookup2(const tb_table *table, double x, double y, long want);

#endif
