"""The Touchback keyboard: motorised keys that feel like other instruments."""

from touchback.instruments.keyboard.device import KeyDevice
from touchback.instruments.keyboard.keys import keyboard, note_name, touchback_key
from touchback.instruments.keyboard.voices import VOICES, by_law

__all__ = ["VOICES", "KeyDevice", "by_law", "keyboard", "note_name", "touchback_key"]
