#include "linear/least_squares.h"

#include <math.h>

/* The column from k on whose rest, from row k on, is longest, and the square of its length. */
static long longest(long rows, long columns, const double *A, long k, double *work,
                    double *square) {
    long best = k;
    for (long j = k; j < columns; j++)
        work[j] = 0.0;
    for (long i = k; i < rows; i++)
        for (long j = k; j < columns; j++)
            work[j] += A[i * columns + j] * A[i * columns + j];
    for (long j = k; j < columns; j++)
        if (work[j] > work[best])
            best = j;
    *square = work[best];
    return best;
}

static void swap_columns(long rows, long columns, double *A, int *order, long j, long k) {
    int own = order[j];
    order[j] = order[k];
    order[k] = own;
    for (long i = 0; i < rows; i++) {
        double kept = A[i * columns + j];
        A[i * columns + j] = A[i * columns + k];
        A[i * columns + k] = kept;
    }
}

/* A reflection of rows turns the rest of column k, of this length, into one number. */
static void reflect_rows(long rows, long columns, double *A, double *b, long k, double length,
                         double *work) {
    double first = A[k * columns + k], end = first > 0.0 ? -length : length, along = 0.0;
    double scale = 1.0 / (length * (length + fabs(first)));
    A[k * columns + k] = first - end;
    for (long j = k + 1; j < columns; j++)
        work[j] = 0.0;
    for (long i = k; i < rows; i++) {
        double own = A[i * columns + k];
        along += own * b[i];
        for (long j = k + 1; j < columns; j++)
            work[j] += own * A[i * columns + j];
    }
    for (long i = k; i < rows; i++) {
        double own = scale * A[i * columns + k];
        b[i] -= own * along;
        for (long j = k + 1; j < columns; j++)
            A[i * columns + j] -= own * work[j];
    }
    A[k * columns + k] = end;
}

/* A reflection of the columns k and rank, …, columns - 1 turns what row k has there into one
 * number, which is then its pivot. The reflection stays in the row's rear; returns its part along
 * k. */
static double reflect_columns(long columns, double *A, long rank, long k) {
    double *own = A + k * columns, square = own[k] * own[k];
    for (long j = rank; j < columns; j++)
        square += own[j] * own[j];
    double length = sqrt(square), end = own[k] > 0.0 ? -length : length, first = own[k] - end;
    double scale = 1.0 / (length * (length + fabs(own[k])));
    for (long i = 0; i < k; i++) {
        double *row = A + i * columns, along = row[k] * first;
        for (long j = rank; j < columns; j++)
            along += row[j] * own[j];
        row[k] -= scale * along * first;
        for (long j = rank; j < columns; j++)
            row[j] -= scale * along * own[j];
    }
    own[k] = end;
    return first;
}

/* The same reflection of a solution. */
static void reflect_solution(long columns, const double *A, long rank, long k, double first,
                             double *y) {
    const double *own = A + k * columns;
    double along = y[k] * first, square = first * first;
    for (long j = rank; j < columns; j++) {
        along += y[j] * own[j];
        square += own[j] * own[j];
    }
    along *= 2.0 / square;
    y[k] -= along * first;
    for (long j = rank; j < columns; j++)
        y[j] -= along * own[j];
}

long tb_least_squares(long rows, long columns, double *A, double *b, double tolerance, double *x,
                      double *work, int *order) {
    double *y = work, *first = work + columns, square, largest = 0.0;
    long rank = 0;
    for (long j = 0; j < columns; j++)
        order[j] = (int)j;
    for (; rank < rows && rank < columns; rank++) {
        long best = longest(rows, columns, A, rank, work, &square);
        double length = sqrt(square);
        largest = rank ? largest : length;
        if (!(length > tolerance * largest))
            break;
        if (best != rank)
            swap_columns(rows, columns, A, order, best, rank);
        reflect_rows(rows, columns, A, b, rank, length, work);
    }
    for (long k = rank - 1; k >= 0 && rank < columns; k--)
        first[k] = reflect_columns(columns, A, rank, k);
    for (long j = rank; j < columns; j++)
        y[j] = 0.0;
    for (long i = rank - 1; i >= 0; i--) {
        y[i] = b[i];
        for (long j = i + 1; j < rank; j++)
            y[i] -= A[i * columns + j] * y[j];
        y[i] /= A[i * columns + i];
    }
    for (long k = 0; k < rank && rank < columns; k++)
        reflect_solution(columns, A, rank, k, first[k], y);
    for (long j = 0; j < columns; j++)
        x[order[j]] = y[j];
    return rank;
}
