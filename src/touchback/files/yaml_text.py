"""Plain data as YAML that people like to read: sections in blocks, small things on one line."""

import yaml

_WIDTH = 100
_ONE_LINE = 72  # characters of the longest mapping that stays on one line


class _Block(dict[str, object]):
    """A mapping that is never put on one line."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True

    def text(self, data: str) -> yaml.ScalarNode:
        """Quotes where names are quoted, or where some reader of YAML might see a number."""
        style = '"' if "'" in data else "'" if data[:1] in "+-.0123456789" else None
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    def sequence(self, data: list[object]) -> yaml.SequenceNode:
        return self.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=_flat(data))

    def mapping(self, data: dict[str, object]) -> yaml.MappingNode:
        small = all(_flat(item) for item in data.values()) and len(repr(data)) <= _ONE_LINE
        return self.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=small)

    def block(self, data: _Block) -> yaml.MappingNode:
        return self.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=False)

    # An expression stays on its line, however long.

    def write_plain(self, text: str, split: bool = True) -> None:
        super().write_plain(text, split=False)

    def write_single_quoted(self, text: str, split: bool = True) -> None:
        super().write_single_quoted(text, split=False)

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        super().write_double_quoted(text, split=False)


_Dumper.add_representer(str, _Dumper.text)
_Dumper.add_representer(list, _Dumper.sequence)
_Dumper.add_representer(dict, _Dumper.mapping)
_Dumper.add_representer(_Block, _Dumper.block)


def _flat(item: object) -> bool:
    """Whether an item is a scalar, or a list of scalars or of short lists."""
    if isinstance(item, list):
        return all(not isinstance(inner, dict) for inner in item)
    return not isinstance(item, dict)


def yaml_text(plain: dict[str, object]) -> str:
    """The YAML text of a model's plain data."""
    return yaml.dump(
        _blocks(plain), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH
    )


def _blocks(plain: dict[str, object]) -> _Block:
    """The same data with a block for the file, each section and each model of the library."""
    found = _Block(plain)
    for key, section in plain.items():
        if key == "library" and isinstance(section, dict):
            found[key] = _Block({name: _blocks(model) for name, model in section.items()})
        elif isinstance(section, dict) and key != "base":
            found[key] = _Block(section)
    return found
