#include "linear/tree_widths.h"

#define LANES 2
#define NAME(x) x##_of_two
#define TARGET
#ifdef __aarch64__
#include <arm_neon.h>
#define STRIP 4
#define FUSED(a, b, c) (vec_of_two) vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#define LESS(a, b, c) (vec_of_two) vfmsq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define STRIP 2
#define FUSED(a, b, c) ((a) * (b) + (c))
#define LESS(a, b, c) ((c) - (a) * (b))
#endif
#include "linear/tree_lanes.h"
