"""The Touchback keyboard: motorised keys that feel like other instruments."""

from touchback.instruments.keyboard.key_device import KeyDevice
from touchback.instruments.keyboard.key_mechanisms import VOICES, by_law
from touchback.instruments.keyboard.keyboard_model import keyboard, note_name, touchback_key

__all__ = ["VOICES", "KeyDevice", "by_law", "keyboard", "note_name", "touchback_key"]
