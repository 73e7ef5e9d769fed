"""Tyre property files: read as MF-Tyre writes them, refused by file, line, key and value."""

import pytest
from hypothesis import given, strategies as st

from touchback.errors import ModelError
from touchback.vehicle.tyres import BUGGY_TYRE, MagicFormula, parse_tir, read_tir

TEXT = BUGGY_TYRE.read_text()
LINES = TEXT.splitlines()


def changed(key: str, line: str) -> str:
    """The file with the line of a key exchanged."""
    return "\n".join(line if old.split("=")[0].strip() == key else old for old in LINES)


def number_of(key: str) -> int:
    return next(i for i, line in enumerate(LINES, 1) if line.split("=")[0].strip() == key)


def test_numbers_words_comments_and_tables_are_told_apart() -> None:
    text = (
        TEXT
        + "\n[SHAPE]\n{radial width}\n 1.0 0.0\n 0.9 1.0\n! a note\nNOTE = 'a $ in quotes' $ x\n"
    )
    file = parse_tir(text + "PEX9 = 1d-3\n", "mine.tir")
    assert file.numbers["PKY1"] == -16.0 and file.numbers["INFLPRES"] == 180000.0
    assert file.words["NOTE"] == "a $ in quotes" and file.words["TYRESIDE"] == "LEFT"
    assert file.unknown == ("PEX9",) and file.numbers["PEX9"] == 1e-3
    assert "PEX9" not in MagicFormula.of(file).numbers


def test_a_file_of_adams_is_of_version_5_2() -> None:
    text = changed("FITTYP", "PROPERTY_FILE_FORMAT = 'PAC2002'")
    assert parse_tir(text).version == "5.2"


@pytest.mark.parametrize(
    "key, line, said",
    [
        ("PCX1", "PCX1 = 1.6.5", "'1.6.5' is no number; write one such as 0.25."),
        ("PCX1", "PCX1 = 'x'", "is text; a number is expected."),
        ("PCX1", "PCX1 = -2", "it is -2; give a number above 0."),
        ("PDX1", "PDX1 = 1e99", "1e+99 is beyond ±1e+12; check it."),
        ("PDX1", "PCX1 = 1.0", "it was set in line"),
        ("LENGTH", "LENGTH = 'mm'", "the unit 'mm' isn't read; convert the file to SI, 'meter'."),
        ("FITTYP", "FITTYP = 7", "[MODEL] FITTYP: 7 is no version that is known; known: 5"),
        ("PRESMIN", "PRESMIN = 400000", "PRESMIN is 400000, above PRESMAX, 300000; swap them."),
        ("TYRESIDE", "TYRESIDE = 'LEFT", "lacks its closing quote."),
        ("LONGVL", "LONGVL 16.7", "is neither a section nor 'KEY = value'"),
        ("LONGVL", "[OPEN", "'[OPEN' is no section; write '[NAME]'."),
    ],
)
def test_what_is_wrong_is_told_with_file_line_key_value_and_mend(
    key: str, line: str, said: str
) -> None:
    with pytest.raises(ModelError) as error:
        parse_tir(changed(key, line), "mine.tir")
    message = str(error.value)
    assert said in message and message.startswith("mine.tir, line ")
    if "swap" not in said:
        assert message.startswith(f"mine.tir, line {number_of(key)}, ")


def test_a_tyre_without_its_size_is_refused() -> None:
    with pytest.raises(ModelError, match=r"mine\.tir: UNLOADED_RADIUS is missing"):
        parse_tir(changed("UNLOADED_RADIUS", ""), "mine.tir")
    with pytest.raises(ModelError, match=r"no Magic Formula; add it\.$"):
        parse_tir("", "mine.tir")
    with pytest.raises(ModelError, match="neither FITTYP nor a PROPERTY_FILE_FORMAT"):
        parse_tir(changed("FITTYP", ""), "mine.tir")
    with pytest.raises(ModelError, match="There is no file"):
        read_tir("nowhere.tir")


@given(
    st.integers(0, len(LINES) - 1),
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.integers(0, 40),
)
def test_whatever_stands_in_a_line_is_read_or_refused_in_our_words(
    i: int, junk: str, at: int
) -> None:
    lines = list(LINES)
    lines[i] = lines[i][:at] + junk + lines[i][at:]
    try:
        file = parse_tir("\n".join(lines), "junk.tir")
        MagicFormula.of(file)
    except ModelError as error:
        assert str(error).startswith(("junk.tir", "MagicFormula"))


@given(st.binary(max_size=400))
def test_bytes_of_any_kind_are_refused_in_our_words(content: bytes) -> None:
    with pytest.raises(ModelError):
        parse_tir(content.decode("utf-8", errors="replace"))
