// Pinocchio behind the calling convention of generated functions: x = [q, v], u = [time, a or tau].
#include "revolute_model.hpp"

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

using Data = pin::DataTpl<double, 0, RevoluteJoints>;
using Vector = Eigen::Map<const Eigen::VectorXd>;

struct Engine {
    RevoluteModel model;
    Data data;
};

static Engine &engine(const void *ctx) { return *static_cast<Engine *>(const_cast<void *>(ctx)); }

extern "C" void *pin_make(long n, const long *parent, const long *axis, const double *placement,
                          const double *inertia, const double *gravity) {
    auto made = new Engine;
    made->model = revolute_model(n, parent, axis, placement, inertia, gravity);
    made->data = Data(made->model);
    return made;
}

extern "C" void pin_free(void *ctx) { delete static_cast<Engine *>(ctx); }

extern "C" void pin_inverse(const double *x, const double *u, const double *, double *out, double *,
                            const void *ctx) {
    Engine &e = engine(ctx);
    long n = e.model.nv;
    pin::rnea(e.model, e.data, Vector(x, n), Vector(x + n, n), Vector(u + 1, n));
    Eigen::Map<Eigen::VectorXd>(out, n) = e.data.tau;
}

template <pin::Convention convention>
static void forward(const double *x, const double *u, double *out, const void *ctx) {
    Engine &e = engine(ctx);
    long n = e.model.nv;
    pin::aba(e.model, e.data, Vector(x, n), Vector(x + n, n), Vector(u + 1, n), convention);
    Eigen::Map<Eigen::VectorXd>(out, n) = e.data.ddq;
}

extern "C" void pin_forward_world(const double *x, const double *u, const double *, double *out,
                                  double *, const void *ctx) {
    forward<pin::Convention::WORLD>(x, u, out, ctx);
}

extern "C" void pin_forward_local(const double *x, const double *u, const double *, double *out,
                                  double *, const void *ctx) {
    forward<pin::Convention::LOCAL>(x, u, out, ctx);
}

// Only the upper triangle, left inside Pinocchio's own data: `pin_read` copies it out for checks.
template <pin::Convention convention> static void mass(const double *x, const void *ctx) {
    Engine &e = engine(ctx);
    pin::crba(e.model, e.data, Vector(x, e.model.nv), convention);
}

extern "C" void pin_mass_world(const double *x, const double *, const double *, double *, double *,
                               const void *ctx) {
    mass<pin::Convention::WORLD>(x, ctx);
}

extern "C" void pin_mass_local(const double *x, const double *, const double *, double *, double *,
                               const void *ctx) {
    mass<pin::Convention::LOCAL>(x, ctx);
}

extern "C" void pin_read(double *out, const void *ctx) {
    Engine &e = engine(ctx);
    long n = e.model.nv;
    Eigen::Map<Eigen::MatrixXd>(out, n, n) = e.data.M.selfadjointView<Eigen::Upper>();
}

// Derivatives by q, by v and by a or tau, left inside as well; `pin_read_…_slopes` copies them out,
// one matrix after the other, by rows.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

extern "C" void pin_inverse_slopes(const double *x, const double *u, const double *, double *,
                                   double *, const void *ctx) {
    Engine &e = engine(ctx);
    long n = e.model.nv;
    e.data.dtau_dq.setZero(); // what joints on other branches do not reach is never written
    e.data.dtau_dv.setZero();
    e.data.M.setZero();
    pin::computeRNEADerivatives(e.model, e.data, Vector(x, n), Vector(x + n, n), Vector(u + 1, n));
}

extern "C" void pin_forward_slopes(const double *x, const double *u, const double *, double *,
                                   double *, const void *ctx) {
    Engine &e = engine(ctx);
    long n = e.model.nv;
    pin::computeABADerivatives(e.model, e.data, Vector(x, n), Vector(x + n, n), Vector(u + 1, n));
}

extern "C" void pin_read_inverse_slopes(double *out, const void *ctx) {
    Engine &e = engine(ctx);
    long n = e.model.nv;
    Eigen::Map<Rows>(out, n, n) = e.data.dtau_dq;
    Eigen::Map<Rows>(out + n * n, n, n) = e.data.dtau_dv;
    Eigen::Map<Rows>(out + 2 * n * n, n, n) = e.data.M.selfadjointView<Eigen::Upper>();
}

extern "C" void pin_read_forward_slopes(double *out, const void *ctx) {
    Engine &e = engine(ctx);
    long n = e.model.nv;
    Eigen::Map<Rows>(out, n, n) = e.data.ddq_dq;
    Eigen::Map<Rows>(out + n * n, n, n) = e.data.ddq_dv;
    Eigen::Map<Rows>(out + 2 * n * n, n, n) = e.data.Minv.selfadjointView<Eigen::Upper>();
}
