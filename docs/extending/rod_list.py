"""A file format: a chain of rods that hang from each other, one line "name, length, mass" each."""

from pathlib import Path

from touchback import Model, ModelError, Revolute


def read_rods(path: Path, damping: float = 0.0) -> Model:
    """The chain that a file lists, top first; lengths [m], masses [kg], `damping` [N m s/rad]."""
    model = Model(path.stem)
    place = model.ground.at(0, 0, 0)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            name, length, mass = line.split(",")
            half, m = float(length) / 2, float(mass)
        except ValueError:
            raise ModelError(
                f"{path}, line {number}: 'name, length, mass' is expected, got {line!r}."
            ) from None
        rod = model.body(name, m, (0, 0, -half), (m * half**2 / 3, m * half**2 / 3, 0.0))
        model.joint(name, Revolute("y"), place, rod, damping=damping)
        place = rod.at(0, 0, -2 * half)
    return model
