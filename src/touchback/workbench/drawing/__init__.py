"""Drawing a mechanism: a model file under edit, the messages that change it, and the page on which
it is drawn and runs."""

from touchback.workbench.drawing.drawing import Drawing

__all__ = ["Drawing"]
