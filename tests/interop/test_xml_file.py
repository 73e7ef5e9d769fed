"""Model files are data: nothing in them is fetched, expanded or followed, and they end."""

from pathlib import Path

import pytest

from touchback.errors import ModelError
from touchback.interop import read_mbs, read_urdf, xml_file

BILLION_LAUGHS = """<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>
<robot name="&b;"/>"""
OUTSIDE = """<!DOCTYPE robot [<!ENTITY secret SYSTEM "file:///etc/hostname">]>
<robot name="&secret;"/>"""


@pytest.mark.parametrize(
    "text", [BILLION_LAUGHS, OUTSIDE, '<!DOCTYPE robot SYSTEM "x.dtd"><robot/>']
)
def test_document_types_and_entities_are_refused(text: str) -> None:
    with pytest.raises(ModelError, match=r"document types and entities .* are not read"):
        read_urdf(text)


def test_an_entity_that_nobody_declared_is_refused() -> None:
    with pytest.raises(ModelError, match="not well-formed XML: undefined entity"):
        read_urdf('<robot name="&secret;"/>')


def test_depth_is_bounded() -> None:
    with pytest.raises(ModelError, match=r"too large: at most .* 100 deep"):
        read_urdf("<robot>" + "<a>" * 200 + "</a>" * 200 + "</robot>")


def test_the_number_of_elements_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_file, "MAX_ELEMENTS", 50)
    with pytest.raises(ModelError, match="too large: at most 50 elements"):
        read_urdf("<robot>" + "<a/>" * 60 + "</robot>")


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(xml_file, "MAX_BYTES", 100)
    path = tmp_path / "long.urdf"
    path.write_text("<robot>" + " " * 200 + "</robot>")
    with pytest.raises(ModelError, match=r"long\.urdf has 215 bytes; at most 100"):
        read_urdf(path)


def test_what_is_no_file_is_refused_by_path(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "missing.urdf", "There is no file"), (tmp_path, "is a folder")):
        with pytest.raises(ModelError, match=why):
            read_urdf(path)


def test_another_kind_of_file_is_refused_by_its_root() -> None:
    with pytest.raises(ModelError, match="begins with <mbsDescR7>, this one with <robot>"):
        read_mbs("<robot/>")


@pytest.mark.parametrize("text", ["<robot>", "<robot></link>", "<robot/>rest", "<"])
def test_broken_xml_is_refused(text: str) -> None:
    with pytest.raises(ModelError, match="URDF text: not well-formed XML"):
        read_urdf(text)


def test_a_declared_encoding_is_obeyed_in_files_and_overruled_in_text(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><robot name="é"><link name="a"/></robot>'
    path = tmp_path / "latin.urdf"
    path.write_bytes(text.encode("latin-1"))
    assert read_urdf(path).name == read_urdf(text).name == "é"


@pytest.mark.parametrize("encoding", ["no-such-encoding", "utf-7", "utf-32", "base64"])
def test_an_encoding_that_is_not_known_is_refused(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.urdf"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><robot name="r"/>')
    with pytest.raises(ModelError, match=r"odd\.urdf: not well-formed XML"):
        read_urdf(path)
