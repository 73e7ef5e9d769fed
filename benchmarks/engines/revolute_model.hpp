// A Pinocchio model of revolute joints from plain arrays. It knows these joints only: Pinocchio's
// default of 25 kinds takes minutes to compile.
#pragma once
#include <pinocchio/fwd.hpp> // before everything else of Boost

#include <pinocchio/multibody.hpp>

namespace pin = pinocchio;

template <typename Scalar, int Options> struct RevoluteJoints {
    using X = pin::JointModelRevoluteTpl<Scalar, Options, 0>;
    using Y = pin::JointModelRevoluteTpl<Scalar, Options, 1>;
    using Z = pin::JointModelRevoluteTpl<Scalar, Options, 2>;
    // never used here, but Pinocchio's models ask for it by name
    using Mimic = pin::JointModelMimicTpl<Scalar, Options, RevoluteJoints>;
    using MimicData = pin::JointDataMimicTpl<Scalar, Options, RevoluteJoints>;
    using JointModelVariant = boost::variant<X, Y, Z, boost::recursive_wrapper<Mimic>>;
    using JointDataVariant =
        boost::variant<typename X::JointDataDerived, typename Y::JointDataDerived,
                       typename Z::JointDataDerived, boost::recursive_wrapper<MimicData>>;
};

using RevoluteModel = pin::ModelTpl<double, 0, RevoluteJoints>;

// Rows of `placement`: R (nine, by rows) and p; of `inertia`: mass, com, xx, yy, zz, xy, xz, yz.
static RevoluteModel revolute_model(long n, const long *parent, const long *axis,
                                    const double *placement, const double *inertia,
                                    const double *gravity) {
    RevoluteModel model;
    model.gravity.linear() = Eigen::Vector3d(gravity[0], gravity[1], gravity[2]);
    const RevoluteModel::JointModel kinds[] = {RevoluteModel::JointModel(pin::JointModelRX()),
                                               RevoluteModel::JointModel(pin::JointModelRY()),
                                               RevoluteModel::JointModel(pin::JointModelRZ())};
    for (long i = 0; i < n; i++) {
        const double *r = placement + 12 * i, *b = inertia + 10 * i;
        Eigen::Matrix3d R, I;
        R << r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8];
        I << b[4], b[7], b[8], b[7], b[5], b[9], b[8], b[9], b[6];
        pin::SE3 at(R, Eigen::Vector3d(r[9], r[10], r[11]));
        auto joint = model.addJoint(parent[i] + 1, kinds[axis[i]], at, "j" + std::to_string(i));
        model.appendBodyToJoint(joint, pin::Inertia(b[0], Eigen::Vector3d(b[1], b[2], b[3]), I));
    }
    return model;
}
