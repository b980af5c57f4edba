"""Markdown as it stands in a document."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextListFormat
from PySide6.QtWidgets import QApplication

from app.ui.text_style import Property
from tests.app.ui.documents import blocks, fragments, lines, look_of, style, tables, written


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None:
    """Documents need fonts."""


@pytest.mark.parametrize(
    "text",
    [
        "Use vector<int> and a<b>c</b> end",
        "List<String> names = new ArrayList<>();",
        "<details><summary>s</summary>x</details>",
        "<!-- c --> visible",
        "&lt;b&gt;",
        "<script>alert(1)</script>",
        "<iframe src=file:///etc/passwd>",
    ],
)
def test_u03_text_that_looks_like_html_stays_visible(text: str) -> None:
    assert lines(written(text)) == [text]


def test_inline_marks_become_formats() -> None:
    document = written("plain **bold** *slanted* ~~gone~~ `code`")
    assert lines(document) == ["plain bold slanted gone code"]
    assert look_of(document, "bold").fontWeight() == QFont.Weight.Bold
    assert look_of(document, "slanted").fontItalic()
    assert look_of(document, "gone").fontStrikeOut()
    assert look_of(document, "code").fontFixedPitch()
    assert look_of(document, "code").background().color() == style().theme.panel


def test_headings_are_larger_the_higher() -> None:
    document = written("# One\n\n## Two\n\n###### Six\n\ntext\n")
    one, two, six = (look_of(document, text).fontPointSize() for text in ("One", "Two", "Six"))
    assert one > two > six == 12


def test_line_ends_are_kept() -> None:
    assert lines(written("one\ntwo  \nthree")) == ["one\u2028two\u2028three"]


def test_lists_are_lists_inside_each_other() -> None:
    document = written("- a\n  - b\n- c\n\n3. x\n4. y\n")
    found = [(block.text(), block.textList().format()) for block in blocks(document)]
    assert [text for text, _ in found] == ["a", "b", "c", "x", "y"]
    assert [look.indent() for _, look in found] == [1, 2, 1, 1, 1]
    assert found[3][1].style() == QTextListFormat.Style.ListDecimal
    assert found[3][1].start() == 3
    assert blocks(document)[0].textList() is not None
    assert blocks(document)[3].textList().count() == 2


def test_second_paragraph_of_an_item_stands_under_the_first() -> None:
    document = written("- one\n\n  two\n")
    first, second = blocks(document)
    assert first.textList() is not None
    assert second.textList() is None
    assert second.blockFormat().indent() == 1


def test_code_is_one_line_a_block_on_a_panel_left_to_right() -> None:
    document = written("before\n\n```py\nif x:\n\n    print('سلام')\n```\nafter\n")
    _, *code, after = blocks(document)
    assert [block.text() for block in code] == ["if x:", "", "    print('سلام')"]
    assert all(block.blockFormat().hasProperty(Property.CODE) for block in code)
    assert all(block.textDirection() == Qt.LayoutDirection.LeftToRight for block in code)
    assert code[0].blockFormat().stringProperty(Property.LANGUAGE) == "py"
    assert [block.blockFormat().topMargin() > 0 for block in code] == [True, False, False]
    assert not after.blockFormat().hasProperty(Property.CODE)


def test_long_code_is_one_panel() -> None:
    document = written("```\n" + "line\n" * 120 + "```\n")
    assert len(lines(document)) == 120
    assert sum(block.blockFormat().topMargin() > 0 for block in blocks(document)) == 1


def test_code_loses_the_indent_of_its_fence_only() -> None:
    assert lines(written("  ```\n  a\n    b\n c\n  ```\n")) == ["a", "  b", "c"]


def test_code_in_a_list_is_indented_with_it() -> None:
    document = written("- item\n\n  ```py\n  code()\n  ```\n- next\n")
    code = next(block for block in blocks(document) if block.text() == "code()")
    assert code.blockFormat().hasProperty(Property.CODE)
    assert code.blockFormat().indent() == 1


def test_quotes_carry_their_level() -> None:
    document = written("> one\n>\n> > two\n")
    assert [block.blockFormat().intProperty(Property.QUOTE) for block in blocks(document)] == [1, 2]


def test_tables_have_borders_padding_and_alignment() -> None:
    document = written("| h | k |\n|---|--:|\n| 1 | **2** |\n\nafter\n")
    (table,) = tables(document)
    assert (table.rows(), table.columns()) == (2, 2)
    assert table.format().border() == 1
    assert table.format().cellPadding() > 0
    cell = table.cellAt(1, 1).firstCursorPosition()
    assert cell.block().text() == "2"
    assert cell.block().blockFormat().alignment() & Qt.AlignmentFlag.AlignRight
    assert table.cellAt(0, 0).format().background().color() == style().theme.panel
    assert lines(document) == ["h", "k", "1", "2", "after"]


def test_rest_of_a_long_table_is_a_table_with_the_same_header() -> None:
    document = written("| h | k |\n|---|---|\n" + "| 1 | 2 |\n" * 60)
    first, second = tables(document)
    assert first.cellAt(0, 0).firstCursorPosition().block().text() == "h"
    assert second.cellAt(0, 0).firstCursorPosition().block().text() == "h"
    assert first.rows() + second.rows() == 62


def test_rest_of_a_cut_paragraph_follows_without_a_gap() -> None:
    text = "A sentence of some words. " * 120
    document = written(text)
    _, second, *_ = blocks(document)
    assert second.blockFormat().topMargin() == 0
    assert "".join(lines(document)).replace(" ", "") == text.replace(" ", "")


def test_u06_links_lead_to_the_web_and_mail_only() -> None:
    document = written(
        "[a](javascript:alert(1)) [b](file:///Applications/Calculator.app) [c](smb://x/y) "
        "[https://bank.example](https://evil.example) <mailto:a@b.c>"
    )
    links = {text: look.anchorHref() for text, look in fragments(document) if look.isAnchor()}
    assert links == {"https://bank.example": "https://evil.example", "mailto:a@b.c": "mailto:a@b.c"}
    assert "[b](file:///Applications/Calculator.app) [c](smb://x/y)" in lines(document)[0]


def test_a_link_tells_its_target_before_it_is_opened() -> None:
    document = written("[text](https://evil.example/?a=1&b=<2>)")
    assert look_of(document, "text").toolTip() == "<qt>https://evil.example/?a=1&amp;b=%3C2%3E</qt>"


def test_u04_an_image_is_its_name_and_address() -> None:
    document = written("![a *chart*](http://127.0.0.1:9/a.png?q=SECRET)")
    assert lines(document) == ["[Image: a *chart* http://127.0.0.1:9/a.png?q=SECRET]"]
    assert not any(look.isImageFormat() for _, look in fragments(document))


def test_definitions_of_references_stay_visible() -> None:
    assert lines(written("[a]: http://x.y\n")) == ["[a]: http://x.y"]


def test_direction_is_that_of_each_paragraph() -> None:
    document = written("مرحبا code\n\nplain مرحبا\n\n> مرحبا\n")
    first, second, third = blocks(document)
    assert first.textDirection() == Qt.LayoutDirection.RightToLeft
    assert second.textDirection() == Qt.LayoutDirection.LeftToRight
    assert third.blockFormat().rightMargin() > 0
    assert third.blockFormat().leftMargin() == 0


@given(st.text(alphabet="ab<>&; \n\"'\\/=!-", max_size=60))
@settings(deadline=None)
def test_no_letter_is_ever_lost(text: str) -> None:
    shown = "".join(lines(written(text)))
    assert [char for char in shown if char in "ab"] == [char for char in text if char in "ab"]
