/* A prototype: inverse dynamics of a chain by the recursive Newton-Euler algorithm (Luh, Walker and Paul
 * 1980), the three components of a vector as three numbers or, with PACKED, side by side in one register.
 * Rotations are about z, after a fixed placement; x has cosine, sine, velocity and acceleration of each
 * joint. */
typedef double pack __attribute__((vector_size(32)));
typedef long order __attribute__((vector_size(32)));

#ifdef PACKED
typedef pack vec;
static inline vec made(double x, double y, double z) { return (vec){x, y, z, 0.0}; }
static inline vec each(vec v, int k) { return __builtin_shuffle(v, (order){k, k, k, k}); }
static inline vec next(vec v) { return __builtin_shuffle(v, (order){1, 2, 0, 3}); }
static inline vec cross(vec a, vec b) { return next(a * next(b) - next(a) * b); }
static inline vec plus(vec a, vec b) { return a + b; }
static inline vec times(double s, vec a) { return s * a; }
static inline double z_of(vec v) { return v[2]; }
static inline vec product(const vec *columns, vec v) {
    return columns[0] * each(v, 0) + columns[1] * each(v, 1) + columns[2] * each(v, 2);
}
static inline vec about_z(double c, double s, vec v) {
    return v * (vec){c, c, 1.0, 0.0} +
           __builtin_shuffle(v, (order){1, 0, 2, 3}) * (vec){s, -s, 0.0, 0.0};
}
#else
typedef struct vec {
    double x, y, z;
} vec;
static inline vec made(double x, double y, double z) { return (vec){x, y, z}; }
static inline vec cross(vec a, vec b) {
    return made(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline vec plus(vec a, vec b) { return made(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec times(double s, vec a) { return made(s * a.x, s * a.y, s * a.z); }
static inline double z_of(vec v) { return v.z; }
static inline vec product(const vec *columns, vec v) {
    const vec *m = columns;
    return made(m[0].x * v.x + m[1].x * v.y + m[2].x * v.z, m[0].y * v.x + m[1].y * v.y + m[2].y * v.z,
                m[0].z * v.x + m[1].z * v.y + m[2].z * v.z);
}
static inline vec about_z(double c, double s, vec v) {
    return made(c * v.x + s * v.y, c * v.y - s * v.x, v.z);
}
#endif

typedef struct link {
    vec out[3], back[3], inertia[3], at, first_moment; /* out: the placement transposed; columns */
    double mass;
} link;

enum { MOST = 400 };

typedef struct chain {
    long n;
    link links[MOST];
} chain;

static chain kept;
static vec forces[MOST], moments[MOST];

static void columns(vec *to, const double *m, int transposed) {
    for (int k = 0; k < 3; k++)
        to[k] = transposed ? made(m[3 * k], m[3 * k + 1], m[3 * k + 2]) : made(m[k], m[3 + k], m[6 + k]);
}

/* 25 numbers of each link: placement (3 x 3), where it is, mass, first moment, inertia (3 x 3). */
void prepare(long n, const double *given) {
    kept.n = n;
    for (long i = 0; i < n; i++, given += 25) {
        link *l = &kept.links[i];
        columns(l->out, given, 1);
        columns(l->back, given, 0);
        l->at = made(given[9], given[10], given[11]);
        l->mass = given[12];
        l->first_moment = made(given[13], given[14], given[15]);
        columns(l->inertia, given + 16, 0);
    }
}

void inverse(const double *x, const double *u, const double *p, double *out, double *work,
             const void *ctx) {
    (void)u, (void)p, (void)work, (void)ctx;
    vec w = made(0, 0, 0), dw = w, a = made(0, 0, 9.81);
    for (long i = 0; i < kept.n; i++) {
        const link *l = &kept.links[i];
        double c = x[4 * i], s = x[4 * i + 1];
        vec arm = plus(cross(dw, l->at), cross(w, cross(w, l->at)));
        a = about_z(c, s, product(l->out, plus(a, arm)));
        vec carried = about_z(c, s, product(l->out, w)), own = made(0, 0, x[4 * i + 2]);
        dw = plus(about_z(c, s, product(l->out, dw)),
                  plus(cross(carried, own), made(0, 0, x[4 * i + 3])));
        w = plus(carried, own);
        forces[i] = plus(times(l->mass, a), plus(cross(dw, l->first_moment),
                                                 cross(w, cross(w, l->first_moment))));
        moments[i] = plus(plus(product(l->inertia, dw), cross(w, product(l->inertia, w))),
                          cross(l->first_moment, a));
    }
    for (long i = kept.n - 1; i >= 0; i--) {
        const link *l = &kept.links[i];
        double c = x[4 * i], s = x[4 * i + 1];
        out[i] = z_of(moments[i]);
        if (i == 0)
            break;
        vec f = product(l->back, about_z(c, -s, forces[i]));
        vec t = product(l->back, about_z(c, -s, moments[i]));
        forces[i - 1] = plus(forces[i - 1], f);
        moments[i - 1] = plus(moments[i - 1], plus(t, cross(l->at, f)));
    }
}
