"""Where the coordinates of joints stand in q and v."""

from collections.abc import Mapping, Sequence

from touchback.errors import ModelError
from touchback.model.joints import Joint
from touchback.model.names import unknown


class Places:
    """The places of all coordinates by their full names, `q` and `v`, or by joint and index."""

    def __init__(self, joints: Mapping[str, Joint]) -> None:
        self._joints = joints
        positions = [full for name, each in joints.items() for full in each.position_names(name)]
        velocities = [full for name, each in joints.items() for full in each.velocity_names(name)]
        self.q = {name: place for place, name in enumerate(positions)}
        self.v = {name: place for place, name in enumerate(velocities)}

    def position(self, joint: str, index: int) -> int:
        """The place in q of coordinate `index` of a joint."""
        return self.q[_numbered(joint, self._joint(joint).position_names(joint), index)]

    def velocity(self, joint: str, index: int) -> int:
        """The place in v of coordinate `index` of a joint."""
        return self.v[_numbered(joint, self._joint(joint).velocity_names(joint), index)]

    def velocities(self, names: Sequence[str]) -> list[int]:
        """The places in v of velocity coordinates by their full names."""
        for name in names:
            if name not in self.v:
                raise unknown("velocity coordinate", name, self.v)
        return [self.v[name] for name in names]

    def _joint(self, name: str) -> Joint:
        if name not in self._joints:
            raise unknown("joint", name, self._joints)
        return self._joints[name]


def _numbered(joint: str, names: list[str], index: int) -> str:
    if not 0 <= index < len(names):
        raise ModelError(
            f"Joint '{joint}': it has {len(names)} coordinates; there is none numbered {index}."
        )
    return names[index]
