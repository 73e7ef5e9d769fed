"""The Magic Formula 5.2, 6.1 and 6.2: what `.tir` files hold, and its answers."""

import os
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from touchback.errors import FieldError
from touchback.names import suggestion
from touchback.numbers import Scalar, as_float, is_one_of, shown
from touchback.vehicle.tyres import magic_formula_equations as equations
from touchback.vehicle.tyres.base import Contact, ContactPatchWrench, Tyre
from touchback.vehicle.tyres.magic_formula_equations import (
    Forces,
    Moments,
    Numbers,
    Point,
    forces,
    moments,
    point,
)
from touchback.vehicle.tyres.tir_file import (
    DEFAULTS,
    POSITIVE,
    REQUIRED,
    VERSIONS,
    TirFile,
    read_tir,
)

_TURN_SLIP = ("PHYP1", "PHYP2", "QDRP1", "QCRP1")  # what spin's equations divide by


@dataclass(frozen=True)
class Answer:
    """All that the formula says of a contact."""

    grip: ContactPatchWrench
    forces: Forces
    moments: Moments


class MagicFormula(Tyre, frozen=True, tag="magic-formula", dict=True):
    """Pacejka's Magic Formula of a `version` ("5.2", "6.1", "6.2") with `numbers` as a `.tir` file
    names them; those not given count as zero, scale factors as one. `turn_slip`: whether camber and
    yaw act as spin (Pacejka 2012, 4.3.3), for parking and large camber. `limit_curvature`: whether
    the factors E_x, E_xα, E_y, E_yκ, E_t and E_Hyφ end at 1, as the book asks (4.E14 and others)
    and MFeval's limits check does; False takes them as the file gives them.

    Where the book and MF-Tyre differ, MF-Tyre's form is taken as MFeval (Furlan 2016) has it: α
    and γ themselves, and (A54–A60) of Besselink, Schmeitz, Pacejka 2010. Inputs are held within the
    file's ranges."""

    numbers: dict[str, float]
    version: str = "6.1"
    turn_slip: bool = False
    limit_curvature: bool = True

    def __post_init__(self) -> None:
        if not is_one_of(self.version, VERSIONS.values()):
            hint = suggestion(str(self.version), sorted(set(VERSIONS.values())))
            raise self.wrong("version", f"there is no version {self.version!r}; {hint}")
        if not isinstance(self.numbers, dict):
            raise self.wrong("numbers", f"numbers by name are expected, got {shown(self.numbers)}.")
        for word in ("turn_slip", "limit_curvature"):
            if not isinstance(given := getattr(self, word), bool):
                raise self.wrong(word, f"True or False is expected, got {shown(given)}.")
        for name, number in self.numbers.items():
            if name not in DEFAULTS:
                raise FieldError(
                    f"MagicFormula: no {name!r} is known; {suggestion(name, DEFAULTS)}",
                    ("numbers", name),
                )
            if not isfinite(as_float(number)) or (name in POSITIVE and not number > 0.0):
                above = " above 0" if name in POSITIVE else ""
                raise FieldError(
                    f"MagicFormula: its {name} is {number}; give a finite number{above}.",
                    ("numbers", name),
                )
        if missing := [name for name in REQUIRED if name not in self.numbers]:
            raise self.wrong("numbers", f"its {', '.join(missing)} must be given.")
        if self.turn_slip and (zero := [n for n in _TURN_SLIP if not self.numbers.get(n)]):
            raise self.wrong(
                "turn_slip",
                f"turn slip needs {', '.join(zero)}, which the file doesn't have; leave turn_slip "
                "out.",
            )

    def __repr__(self) -> str:
        radius, load = self.known.UNLOADED_RADIUS, self.known.FNOMIN
        return f"MagicFormula({self.version}, {radius:g} m, {load:g} N)"

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], turn_slip: bool = False, limit_curvature: bool = True
    ) -> "MagicFormula":
        """The tyre of a `.tir` file."""
        return cls.of(read_tir(path), turn_slip, limit_curvature)

    @classmethod
    def of(
        cls, file: TirFile, turn_slip: bool = False, limit_curvature: bool = True
    ) -> "MagicFormula":
        """The tyre of what was read; names that the formula doesn't know are left out."""
        numbers = {k: v for k, v in file.numbers.items() if k not in file.unknown}
        return cls(numbers, file.version, turn_slip, limit_curvature)

    @cached_property
    def known(self) -> Numbers:
        """All numbers, given or not, as attributes."""
        return Numbers({**DEFAULTS, **self.numbers}, self.version, self.limit_curvature)

    def answer(self, contact: Contact) -> Answer:
        """Forces, moments and what they are made of."""
        here = self._point(contact)
        found = forces(self.known, here)
        turns = moments(self.known, here, found)
        return Answer(
            ContactPatchWrench(found.fx, found.fy, turns.mx, turns.my, turns.mz), found, turns
        )

    def grip(self, contact: Contact) -> ContactPatchWrench:
        return self.answer(contact).grip

    def carcass(self, contact: Contact, spin: Scalar) -> equations.Carcass:
        """Deflection, radii, patch and relaxation lengths at a spin [rad/s], softened by the forces
        of the contact's slips."""
        grip = self.grip(contact)
        return equations.carcass(self.known, self._point(contact), spin, grip.fx, grip.fy)

    def free_spin(self, load: float, slip: float, speed: float) -> float:
        """The spin [rad/s] of a wheel with a load [N], a slip and a speed [m/s]."""
        return equations.free_spin(self.known, load, slip, speed, self.known.INFLPRES)

    def _point(self, contact: Contact) -> Point:
        return point(self.known, contact, self.turn_slip)

    def free_radius(self) -> float:
        return self.known.UNLOADED_RADIUS

    def inflation(self) -> float:
        return self.known.INFLPRES

    def slow(self) -> float:
        return self.known.VXLOW

    def damping(self) -> float:
        return self.known.VERTICAL_DAMPING

    def radius(self, spin: Scalar) -> Scalar:
        return equations.spinning_radius(self.known, spin)

    def rolling_radius(self, load: Scalar, spin: Scalar, pressure: Scalar) -> Scalar:
        return equations.rolling_radius(self.known, load, spin, pressure)

    def load(self, deflection: Scalar, spin: Scalar, camber: Scalar, pressure: Scalar) -> Scalar:
        return equations.load(self.known, deflection, spin, camber, pressure, 0.0, 0.0)

    def relaxation(self, contact: Contact) -> tuple[Scalar, Scalar]:
        return equations.relaxation(self.known, self._point(contact))

    def stiffness(self, contact: Contact) -> tuple[Scalar, Scalar]:
        here = self._point(contact)
        return abs(equations.slip_stiffness(self.known, here)), abs(
            equations.cornering_stiffness(self.known, here, here.camber, 1.0)
        )
