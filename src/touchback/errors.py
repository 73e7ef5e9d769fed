"""Our errors: each says what is wrong, which named thing, the numbers, and the usual remedy."""

NO_JSON = (ValueError, RecursionError, OverflowError)
"""What decoders raise of bytes that are no JSON: no text, lists in lists without end, numbers."""


class TouchbackError(Exception):
    """Base of every error that Touchback raises on purpose."""


class ModelError(TouchbackError):
    """A mechanism, or a file that describes one, that can't work."""


class FieldError(ModelError, ValueError):
    """Data with a field that can't be; `path` leads to it from the data, for whoever knows where
    they were written. (As a ValueError it is told the place by who decodes files.)"""

    def __init__(self, message: str, path: tuple[str | int, ...]) -> None:
        super().__init__(message)
        self.path = path

    def __reduce__(self) -> tuple[type["FieldError"], tuple[str, tuple[str | int, ...]]]:
        """With its path, when it goes to another process: Python would leave that out."""
        return FieldError, (str(self), self.path)


class UnitNotice(UserWarning):
    """A number in a unit that isn't known, which is taken as it is."""


class CompileError(TouchbackError):
    """Equations that can't be turned into a program on this machine."""


class SolveError(TouchbackError):
    """A computation that failed: no convergence, a singular matrix, a bad step."""


class InputError(TouchbackError):
    """A call with arguments that don't fit: a wrong size, an unknown name, a value out of range."""


class DeviceError(TouchbackError):
    """A sensor, actuator, port or line that can't be opened, answers wrongly or went away."""
