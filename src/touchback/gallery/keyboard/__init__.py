"""The Touchback keyboard: motorised keys that feel like other instruments."""

from touchback.gallery.keyboard.device import KeyDevice
from touchback.gallery.keyboard.keys import keyboard, note_name, touchback_key
from touchback.gallery.keyboard.voices import VOICES, by_law

__all__ = ["VOICES", "KeyDevice", "by_law", "keyboard", "note_name", "touchback_key"]
