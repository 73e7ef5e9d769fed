/* Fills the slots of a context that are the same for every program. */
#include <math.h>

#include "calls/abi.h"
#include "calls/context.h"

long tb_abi_version(void) {
    return TB_ABI_VERSION;
}

void tb_context_fill(tb_context *context) {
    context->asin = asin;
    context->acos = acos;
    context->exp = exp;
    context->log = log;
    context->atan2 = atan2;
    context->pow = pow;
    context->sin = sin;
    context->cos = cos;
    context->lookup1 = tb_lookup1;
    context->lookup2 = tb_lookup2;
    context->sinh = sinh;
    context->cosh = cosh;
    context->tanh = tanh;
}
