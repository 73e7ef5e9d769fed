#include "calls/interpreter.h"

#include <math.h>

#include "calls/sincos.h"

/* The operations in the order of symbolic/ops.py (a test compares the names). */
#define OPERATIONS(_)                                                                              \
    _(CONST)                                                                                       \
    _(INPUT)                                                                                       \
    _(ADD)                                                                                         \
    _(SUB)                                                                                         \
    _(MUL)                                                                                         \
    _(DIV) _(FMA) _(FNMA) _(FMS) _(NEG) _(SQRT) _(ABS) _(FLOOR) _(MIN) _(MAX) _(LT) _(LE) _(EQ)    \
        _(SELECT) _(SIN) _(COS) _(ASIN) _(ACOS) _(EXP) _(LOG) _(SINH) _(COSH) _(TANH) _(ATAN2)     \
            _(POW) _(LOOKUP1) _(LOOKUP2)
#define AS_ENUM(name) OP_##name,
#define AS_TEXT(name) #name " "
enum operation { OPERATIONS(AS_ENUM) };

const char *tb_operation_names(void) {
    return OPERATIONS(AS_TEXT);
}

void tb_interpret(const double *x, const double *u, const double *p, double *out, double *work,
                  const void *ctx) {
    const tb_program *program = ctx;
    const double *arrays[3] = {x, u, p};
    const int32_t *op = program->op, *a = program->a, *b = program->b, *c = program->c;
    double *v = work, other;
    for (long i = 0; i < program->nodes; i++) {
        switch ((enum operation)op[i]) {
        case OP_CONST: v[i] = program->constants[a[i]]; break;
        case OP_INPUT: v[i] = arrays[a[i]][b[i]]; break;
        case OP_ADD: v[i] = v[a[i]] + v[b[i]]; break;
        case OP_SUB: v[i] = v[a[i]] - v[b[i]]; break;
        case OP_MUL: v[i] = v[a[i]] * v[b[i]]; break;
        case OP_DIV: v[i] = v[a[i]] / v[b[i]]; break;
        case OP_FMA: v[i] = fma(v[a[i]], v[b[i]], v[c[i]]); break;
        case OP_FNMA: v[i] = fma(-v[a[i]], v[b[i]], v[c[i]]); break;
        case OP_FMS: v[i] = fma(v[a[i]], v[b[i]], -v[c[i]]); break;
        case OP_NEG: v[i] = -v[a[i]]; break;
        case OP_SQRT: v[i] = sqrt(v[a[i]]); break;
        case OP_ABS: v[i] = fabs(v[a[i]]); break;
        case OP_FLOOR: v[i] = floor(v[a[i]]); break;
        case OP_MIN: v[i] = v[a[i]] < v[b[i]] ? v[a[i]] : v[b[i]]; break;
        case OP_MAX: v[i] = v[a[i]] > v[b[i]] ? v[a[i]] : v[b[i]]; break;
        case OP_LT: v[i] = v[a[i]] < v[b[i]] ? 1.0 : 0.0; break;
        case OP_LE: v[i] = v[a[i]] <= v[b[i]] ? 1.0 : 0.0; break;
        case OP_EQ: v[i] = v[a[i]] == v[b[i]] ? 1.0 : 0.0; break;
        case OP_SELECT: v[i] = v[a[i]] != 0.0 ? v[b[i]] : v[c[i]]; break;
        case OP_SIN: tb_sincos(v[a[i]], &v[i], &other); break;
        case OP_COS: tb_sincos(v[a[i]], &other, &v[i]); break;
        case OP_ASIN: v[i] = asin(v[a[i]]); break;
        case OP_ACOS: v[i] = acos(v[a[i]]); break;
        case OP_EXP: v[i] = exp(v[a[i]]); break;
        case OP_LOG: v[i] = log(v[a[i]]); break;
        case OP_SINH: v[i] = sinh(v[a[i]]); break;
        case OP_COSH: v[i] = cosh(v[a[i]]); break;
        case OP_TANH: v[i] = tanh(v[a[i]]); break;
        case OP_ATAN2: v[i] = atan2(v[a[i]], v[b[i]]); break;
        case OP_POW: v[i] = pow(v[a[i]], v[b[i]]); break;
        case OP_LOOKUP1:
            v[i] = tb_lookup1(program->tables[c[i]], v[a[i]], program->wants[c[i]]);
            break;
        case OP_LOOKUP2:
            v[i] = tb_lookup2(program->tables[c[i]], v[a[i]], v[b[i]], program->wants[c[i]]);
            break;
        }
    }
    for (long i = 0; i < program->output_count; i++) {
        int32_t node = program->outputs[i];
        out[i] = node >= 0 ? v[node] : -v[-node];
    }
}
