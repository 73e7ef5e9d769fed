#include "linear/tree_widths.h"

#ifdef __x86_64__
#include <immintrin.h>

#define LANES 8
#define STRIP 4
#define NAME(x) x##_of_eight
#define TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define FUSED(a, b, c) (vec_of_eight) _mm512_fmadd_pd(a, b, c)
#define LESS(a, b, c) (vec_of_eight) _mm512_fnmadd_pd(a, b, c)
#include "linear/tree_lanes.h"
#endif
