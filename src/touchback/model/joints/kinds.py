"""The registry of joint kinds: a new kind is a new file and one more name here."""

from touchback.model.joints.cylindrical import Cylindrical
from touchback.model.joints.fixed import Fixed
from touchback.model.joints.free import Free
from touchback.model.joints.planar import Planar
from touchback.model.joints.prismatic import Prismatic
from touchback.model.joints.revolute import Revolute
from touchback.model.joints.screw import Screw
from touchback.model.joints.spherical import Spherical
from touchback.model.joints.universal import Universal

AnyJoint = (
    Fixed | Revolute | Prismatic | Screw | Cylindrical | Universal | Planar | Spherical | Free
)
