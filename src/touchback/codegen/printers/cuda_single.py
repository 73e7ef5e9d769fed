"""Sine and cosine in single precision, as cards compute them without leaving their registers."""

# The same way as `symbolic.sincos`, in floats: three fused steps take k·π/2 off, polynomials of
# z = r² follow, whose coefficients have the least greatest error on |r| ≤ π/4 (found by Lawson's
# weights: 3.6e-9 for the sine, 1e-10 for the cosine, where a float resolves 6e-8), and the low bits
# of k swap and sign. No branch for large angles: beyond 2^20 neighbouring floats are 1/8 rad apart.
SINGLE_SINE_COSINE = """\
static __device__ __forceinline__ void sine_cosine(float x, float *s, float *c)
{
    const float shifted = fmaf(x, 0.636619772f, 12582912.0f);
    const float k = shifted - 12582912.0f;
    float r = fmaf(-k, 1.57079637f, x);
    r = fmaf(-k, -4.37113883e-8f, r);
    r = fmaf(-k, -1.71512449e-15f, r);
    const float z = r * r;
    float ps = fmaf(-1.951665618e-4f, z, 8.332173340e-3f);
    ps = fmaf(ps, z, -1.666665524e-1f);
    float pc = fmaf(2.443772973e-5f, z, -1.388736186e-3f);
    pc = fmaf(pc, z, 4.166664556e-2f);
    const float sine = fmaf(r * z, ps, r);
    const float cosine = fmaf(z * z, pc, fmaf(-0.5f, z, 1.0f));
    const int quadrant = __float_as_int(shifted);
    const float first = quadrant & 1 ? cosine : sine;
    const float second = quadrant & 1 ? sine : cosine;
    *s = __int_as_float(__float_as_int(first) ^ ((quadrant & 2) << 30));
    *c = __int_as_float(__float_as_int(second) ^ (((quadrant + 1) & 2) << 30));
}
"""
