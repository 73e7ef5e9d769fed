"""`--set name=value` and `--input name=value`."""

from touchback.errors import InputError
from touchback.model.names import suggestion
from touchback.system import State, System


def assignments(option: str, given: list[str]) -> dict[str, float]:
    """Names and numbers from texts such as "crank radius=0.12"."""
    found = {}
    for text in given:
        name, equals, number = text.rpartition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise InputError(f"{option}: a name, '=' and a number are expected, got '{text}'.")
    return found


def set_values(system: System, start: State, given: dict[str, float]) -> State:
    """Sets live parameters of the system, and gives the state with initial values replaced."""
    x = start.x
    names = system.state_names
    for name, number in given.items():
        if name in system.parameters:
            system[name] = number
        elif name in names:
            x[names.index(name)] = number
        else:
            known = [*system.parameters, *names]
            raise InputError(
                f"--set: there is no parameter or initial value '{name}'; {suggestion(name, known)}"
            )
    nq, nv, _ = system.sizes
    return State(x[:nq], x[nq : nq + nv], x[nq + nv :], start.names)
