"""Sine and cosine in single precision, as cards compute them: in as few instructions as will do."""

# Two fused steps take k·π off, and polynomials of z = r² follow, whose coefficients have the least
# greatest error on |r| ≤ π/2 (found by Lawson's weights: 4.6e-9 for the sine, 2.4e-10 for the
# cosine, where a float resolves 6e-8); odd k turn both signs. Half as wide a range would halve the
# error, 1.5e-7, but swap sine and cosine: five instructions more. No branch for large angles:
# beyond 2^20 neighbouring floats are 1/8 rad apart.
SINGLE_SINE_COSINE = """\
static __device__ __forceinline__ void sine_cosine(float x, float *s, float *c)
{
    const float shifted = fmaf(x, 0.318309886f, 12582912.0f);
    const float k = shifted - 12582912.0f;
    float r = fmaf(-k, 3.14159274f, x);
    r = fmaf(-k, -8.74227766e-8f, r);
    const float z = r * r;
    float ps = fmaf(2.600024345e-6f, z, -1.980660163e-4f);
    ps = fmaf(ps, z, 8.333017118e-3f);
    ps = fmaf(ps, z, -1.666665673e-1f);
    float pc = fmaf(-2.607681608e-7f, z, 2.476187001e-5f);
    pc = fmaf(pc, z, -1.388840377e-3f);
    pc = fmaf(pc, z, 4.166664183e-2f);
    pc = fmaf(pc, z, -0.5f);
    const int sign = __float_as_int(shifted) << 31;
    *s = __int_as_float(__float_as_int(fmaf(r * z, ps, r)) ^ sign);
    *c = __int_as_float(__float_as_int(fmaf(pc, z, 1.0f)) ^ sign);
}
"""
