"""Equal limbs: branches of a tree with the same kinds of joints, in the same order."""

from collections.abc import Iterator

from touchback.dynamics.tree import joint_order
from touchback.model.frame import GROUND
from touchback.model.model import Model

_JOINTS = 2  # that a limb has at least: single bodies side by side aren't worth it


def equal_limbs(model: Model) -> list[list[list[str]]]:
    """Groups of equal limbs, each limb as its moving joints in corresponding order.

    The limbs of a group hang on one body; what branches off within them belongs to them."""
    return list(_Limbs(model).groups(GROUND))


class _Limbs:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.below: dict[str, list[str]] = {}  # joints on each body
        self.shape: dict[str, int] = {}  # of what a joint carries, itself included
        known: dict[tuple[object, ...], int] = {}
        for name in reversed(joint_order(model)):
            joint = model.joints[name]
            further = sorted(self.shape[each] for each in self.moving(joint.child.body))
            key = (type(joint.kind), joint.kind.nq, joint.kind.nv, *further)
            self.shape[name] = known.setdefault(key, len(known))
            self.below.setdefault(joint.parent.body, []).insert(0, name)

    def moving(self, body: str) -> Iterator[str]:
        """The joints that move on a body, or on what is joined rigidly to it."""
        for name in self.below.get(body, ()):
            if self.model.joints[name].kind.nv:
                yield name
            else:
                yield from self.moving(self.model.joints[name].child.body)

    def groups(self, body: str) -> Iterator[list[list[str]]]:
        """Those on a body and further out."""
        waiting = [body]
        while waiting:
            alike: dict[int, list[str]] = {}
            for name in self.moving(waiting.pop()):
                alike.setdefault(self.shape[name], []).append(name)
            for names in alike.values():
                if len(names) > 1 and len(self.limb(names[0])) >= _JOINTS:
                    yield [self.limb(name) for name in names]
                else:
                    waiting += [self.model.joints[name].child.body for name in names]

    def limb(self, name: str) -> list[str]:
        """The moving joints from one on."""
        found, waiting = [], [name]
        while waiting:
            found.append(waiting.pop())
            further = self.moving(self.model.joints[found[-1]].child.body)
            waiting += sorted(further, key=self.shape.__getitem__)
        return found
