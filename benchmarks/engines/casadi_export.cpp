// Pinocchio's algorithms over CasADi's expressions, written out as C by CasADi.
#include <casadi/casadi.hpp>

#include "revolute_model.hpp"

#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

using SX = ::casadi::SX;
using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;

static Vector components(const SX &column) {
    Vector made(column.size1());
    for (long i = 0; i < made.size(); i++)
        made[i] = column(i);
    return made;
}

static SX column(const Vector &given) {
    SX made = SX::zeros(given.size());
    for (long i = 0; i < given.size(); i++)
        made(i) = given[i];
    return made;
}

// Writes `path` with the functions inverse(q, v, a), forward_world and forward_local(q, v, tau).
extern "C" void casadi_export(const char *path, long n, const long *parent, const long *axis,
                              const double *placement, const double *inertia,
                              const double *gravity) {
    auto model = revolute_model(n, parent, axis, placement, inertia, gravity).cast<SX>();
    pin::DataTpl<SX, 0, RevoluteJoints> data(model);
    SX q = SX::sym("q", n), v = SX::sym("v", n), w = SX::sym("w", n);
    pin::rnea(model, data, components(q), components(v), components(w));
    ::casadi::Function inverse("inverse", {q, v, w}, {column(data.tau)});
    pin::aba(model, data, components(q), components(v), components(w), pin::Convention::WORLD);
    ::casadi::Function forward_world("forward_world", {q, v, w}, {column(data.ddq)});
    pin::aba(model, data, components(q), components(v), components(w), pin::Convention::LOCAL);
    ::casadi::Function forward_local("forward_local", {q, v, w}, {column(data.ddq)});
    std::string whole(path);
    auto slash = whole.rfind('/') + 1;
    ::casadi::CodeGenerator code(whole.substr(slash));
    code.add(inverse);
    code.add(forward_world);
    code.add(forward_local);
    code.generate(whole.substr(0, slash));
}
