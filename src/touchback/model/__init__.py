"""What a mechanism is: bodies, frames, joints, forces, signals, sensors, parts. Plain, checked
data."""

from touchback.model.body import Body, Six as Six, check_body as check_body, make_body as make_body
from touchback.model.closure_equations import (
    COINCIDENT_POINTS as COINCIDENT_POINTS,
    UNIT as UNIT,
    CoincidentComponent as CoincidentComponent,
    Direction as Direction,
    DiscOnPlane as DiscOnPlane,
    Equation as Equation,
    FixedDistance as FixedDistance,
    NoSlip as NoSlip,
    NoVelocityAlong as NoVelocityAlong,
    Perpendicular as Perpendicular,
    ZeroOffsetAlong as ZeroOffsetAlong,
)
from touchback.model.closures import (
    AnyClosure as AnyClosure,
    Closure as Closure,
    ClosureKind as ClosureKind,
    PointInPlane as PointInPlane,
)
from touchback.model.constraint_kinds import (
    AnyCoupling as AnyCoupling,
    Constraint as Constraint,
    ContactKind as ContactKind,
    CouplingKind as CouplingKind,
    Drive as Drive,
    coordinate_of as coordinate_of,
    regularised_coulomb as regularised_coulomb,
)
from touchback.model.field_traversal import (
    expressions_of as expressions_of,
    frames_of as frames_of,
    map_fields as map_fields,
    normalise_fields as normalise_fields,
)
from touchback.model.flatten_submodels import composed as composed, flatten as flatten
from touchback.model.forces import AnyForce as AnyForce
from touchback.model.forces.applied_loads import (
    Hand as Hand,
    JointEffort as JointEffort,
    Wrench as Wrench,
)
from touchback.model.forces.base import (
    CarriedFluid as CarriedFluid,
    ForceKind as ForceKind,
    InternalState as InternalState,
)
from touchback.model.forces.fluid_forces import Buoyancy as Buoyancy, Drag as Drag
from touchback.model.forces.springs import (
    LinkForce as LinkForce,
    SpringDamper as SpringDamper,
    line_between as line_between,
    pull_together as pull_together,
)
from touchback.model.frame import (
    AXES as AXES,
    GROUND as GROUND,
    GROUND_FRAME as GROUND_FRAME,
    BodyHandle as BodyHandle,
    Frame,
    FrameField as FrameField,
    Place as Place,
    Turns as Turns,
    as_frame as as_frame,
    frame_at as frame_at,
    turns_of as turns_of,
)
from touchback.model.joint_limits import (
    Limit as Limit,
    limit_numbers as limit_numbers,
    limits_of as limits_of,
)
from touchback.model.joints import AnyJoint as AnyJoint
from touchback.model.joints.base import (
    Axis as Axis,
    JointKind as JointKind,
    Step as Step,
    about_axis as about_axis,
    aligned as aligned,
    axis_vector as axis_vector,
    check_axis as check_axis,
    direction as direction,
    on_axis as on_axis,
    parallel as parallel,
    rotation_to as rotation_to,
)
from touchback.model.joints.elementary_motions import (
    Column as Column,
    Entry as Entry,
    FreeMotion as FreeMotion,
    Helix as Helix,
    Motion as Motion,
    QuaternionTurn as QuaternionTurn,
    SlideAlong as SlideAlong,
    SlideVector as SlideVector,
    TurnAbout as TurnAbout,
)
from touchback.model.joints.joint import (
    OPTIONS as OPTIONS,
    Joint as Joint,
    JointOptions as JointOptions,
    limit_names as limit_names,
    make_joint as make_joint,
)
from touchback.model.joints.joint_kinds import Fixed as Fixed, Free as Free
from touchback.model.kind_registry import (
    KINDS as KINDS,
    REGISTERING_ROOMS as REGISTERING_ROOMS,
    kinds_in as kinds_in,
    register_kinds as register_kinds,
)
from touchback.model.mechanics_protocol import (
    Forces as Forces,
    Mechanics as Mechanics,
    ValueOf as ValueOf,
)
from touchback.model.mode_grouping import (
    ModeGroup as ModeGroup,
    active_constraints as active_constraints,
    mode_groups as mode_groups,
    model_in_modes as model_in_modes,
    switch_constraints as switch_constraints,
    switched_constraints as switched_constraints,
)
from touchback.model.model import (
    LARGEST as LARGEST,
    MECHANICS as MECHANICS,
    OWN as OWN,
    Model,
    Part as Part,
    sensor_names as sensor_names,
)
from touchback.model.modes import Mode as Mode, Transition as Transition
from touchback.model.parameters_and_signals import (
    OWN_RATE as OWN_RATE,
    BaseMotion as BaseMotion,
    Control as Control,
    ExtraState as ExtraState,
    Input as Input,
    Parameter as Parameter,
    alternatives as alternatives,
    check_value as check_value,
    choice_name as choice_name,
    in_si as in_si,
)
from touchback.model.reference_check import (
    all_contacts as all_contacts,
    check_names as check_names,
    place_in_file as place_in_file,
    problems as problems,
)
from touchback.model.sensors import AnySensor as AnySensor
from touchback.model.sensors.base import XYZ as XYZ, SensorKind as SensorKind, Several as Several
from touchback.model.sensors.sensor_kinds import (
    Effort as Effort,
    Multiplier as Multiplier,
    Reaction as Reaction,
    Signal as Signal,
)
from touchback.model.solids import AnySeen as AnySeen, Look as Look
from touchback.model.solids.base import (
    MassProperties as MassProperties,
    VisualKind as VisualKind,
)
from touchback.model.solids.visual_mesh import (
    FARTHEST as FARTHEST,
    MOST_TRIANGLES as MOST_TRIANGLES,
    corners_of as corners_of,
    unpacked as unpacked,
)
from touchback.model.unit_check import (
    assumed_gains as assumed_gains,
    check_units as check_units,
    unit_problems as unit_problems,
    unknown_units as unknown_units,
    uses as uses,
)
from touchback.model.value_or_expression import (
    Data as Data,
    Triple as Triple,
    Value as Value,
    check_positive as check_positive,
    check_values as check_values,
    is_number as is_number,
    is_zero as is_zero,
    list_items as list_items,
    number as number,
    pair as pair,
    power_law_units as power_law_units,
    triple as triple,
    value as value,
)
from touchback.model.visual_shapes import (
    AnyShape as AnyShape,
    ArcShape as ArcShape,
    BoxShape as BoxShape,
    CapsuleShape as CapsuleShape,
    CylinderShape as CylinderShape,
    DiscShape as DiscShape,
    FaceShape as FaceShape,
    GroundShape as GroundShape,
    MeshShape as MeshShape,
    PatchShape as PatchShape,
    PlaneShape as PlaneShape,
    Shapes as Shapes,
    SphereShape as SphereShape,
    SurfaceShape as SurfaceShape,
    numbers_of as numbers_of,
    sphere as sphere,
)

# What a writer of a kind needs: vectors and rotations, expressions and their derivatives.
from touchback.spatial import (
    IDENTITY as IDENTITY,
    ZERO as ZERO,
    Rotation as Rotation,
    Turn as Turn,
    Vectors as Vectors,
    transpose as transpose,
)
from touchback.symbolic import (
    Expr as Expr,
    Operators as Operators,
    Scalars as Scalars,
    Tape as Tape,
    Translator as Translator,
    Want as Want,
    call as call,
    jacobian as jacobian,
    jvp as jvp,
    parse as parse,
    quoted as quoted,
    replay as replay,
    to_text as to_text,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "io",
    "model_text",
)

__all__ = ["Body", "Frame", "Model"]
