/* What a model takes of <math.h> where there is no C library. Those above the line are in
 * arithmetic.c or in the processor, rounded correctly; those below it are in functions.c, and their
 * last bit may be another than that of a C library. */
#ifndef FREESTANDING_MATH_H
#define FREESTANDING_MATH_H

#define NAN __builtin_nan("")
#define INFINITY __builtin_inf()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

static inline double fabs(double x) { return __builtin_fabs(x); }
static inline double copysign(double x, double y) { return __builtin_copysign(x, y); }
static inline double fmax(double x, double y) { return x > y || y != y ? x : y; }
static inline double fmin(double x, double y) { return x < y || y != y ? x : y; }

double floor(double x);
double software_fma(double a, double b, double c);
double software_sqrt(double x);

#ifdef __FP_FAST_FMA
static inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
static inline double fma(double a, double b, double c) { return software_fma(a, b, c); }
#endif
#if defined(__SSE2__) || defined(__aarch64__) || defined(__wasm__) \
    || (defined(__ARM_FP) && (__ARM_FP & 8))
static inline double sqrt(double x) { return __builtin_sqrt(x); } /* with -fno-math-errno */
#else
static inline double sqrt(double x) { return software_sqrt(x); }
#endif
/* Angles up to 2^30 are treated by the equations themselves; beyond, there is no answer. */
static inline double sin(double x) { return (void)x, NAN; }
static inline double cos(double x) { return (void)x, NAN; }

/* ---------------------------------------------------------------------------------------------- */
double asin(double x);
double acos(double x);
double atan2(double y, double x);
double exp(double x);
double log(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double pow(double x, double y);

#endif
