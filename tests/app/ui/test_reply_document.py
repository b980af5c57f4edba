"""The document of a reply: equal to one written at once, and cheap to let grow."""

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from app.chat.block_readers import HARD_LIMIT
from app.ui.reply_document import MOST_AT_ONCE, ReplyDocument
from app.ui.text_style import TextStyle
from app.ui.theme import Theme
from tests.app.ui.documents import blocks, fragments, lines, style, written
from tests.app.ui.palettes import dark

PIECES = [
    *("word ", "**bold** ", "`code` ", "\n", "\n\n", "- item\n", "  - nested\n", "1. one\n", "> quote\n"),
    *("```py\n", "```\n", "    indented\n", "a | b\n---|---\n", "1 | 2\n", "---\n", "# Head\n", "سلام "),
]


def looks(document: QTextDocument) -> list[object]:
    """Everything there is to see: texts, formats, lists."""
    shown: list[object] = []
    for block in blocks(document):
        items = block.textList()
        properties = {key: str(value) for key, value in block.blockFormat().properties().items() if key}
        shown.append((block.text(), properties, items.format().indent() if items else None))
    return shown + [(text, look.properties()) for text, look in fragments(document)]


@given(st.lists(st.sampled_from(PIECES), max_size=30))
@settings(deadline=None, max_examples=60)
def test_grown_equals_written_at_once(qapp: QApplication, pieces: list[str]) -> None:
    document = QTextDocument()
    reply = ReplyDocument(document, style())
    for piece in pieces:
        reply.stream.feed(piece)
        reply.update()
    reply.stream.finish()
    reply.update()
    assert looks(document) == looks(written("".join(pieces)))


def test_a_closing_fence_does_not_flash_as_code(qapp: QApplication) -> None:
    document = QTextDocument()
    reply = ReplyDocument(document, style())
    for piece in ("```py\n", "x = 1\n", "`", "`", "`"):
        reply.stream.feed(piece)
        reply.update()
        assert lines(document) in ([], ["x = 1"])
    reply.stream.feed("x")
    reply.update()
    assert lines(document) == ["x = 1", "```x"]


def test_settled_text_is_never_touched_again(qapp: QApplication) -> None:
    document = QTextDocument()
    reply = ReplyDocument(document, style())
    touched: list[int] = []
    document.contentsChange.connect(lambda position, _removed, _added: touched.append(position))
    for piece in [
        "First **paragraph**.\n\n",
        "- a\n- b\n\n",
        "| h |\n|---|\n| 1 |\n\n",
        "```py\ncode\n```\n",
    ] * 5:
        for char in piece:
            settled, touched[:] = reply.settled_end, []
            reply.stream.feed(char)
            reply.update()
            assert all(position >= settled for position in touched)
    assert reply.settled_end > 100


def test_u01_work_per_update_does_not_grow(qapp: QApplication) -> None:
    reply = ReplyDocument(QTextDocument(), style())
    work: list[int] = []
    for _ in range(800):
        before = reply.written
        reply.stream.feed("word **bold** `code` and text. " * 5)
        reply.update()
        work.append(reply.written - before)
    assert max(work) < HARD_LIMIT
    assert sum(work[-100:]) <= 1.5 * sum(work[:100])


def test_u02_one_endless_paragraph_costs_no_more(qapp: QApplication) -> None:
    document = QTextDocument()
    reply = ReplyDocument(document, style())
    for _ in range(4_000):
        reply.stream.feed("word ")
    reply.update()
    longest = max(block.length() for block in blocks(document))
    assert longest < 4_000
    assert "".join(lines(document)).count("word") == 4_000


def test_a_long_history_is_written_in_several_updates(qapp: QApplication) -> None:
    reply = ReplyDocument(QTextDocument(), style())
    reply.stream.feed("A paragraph of some words.\n\n" * 3_000)
    updates = 1
    while not reply.update():
        updates += 1
        assert reply.written <= updates * (MOST_AT_ONCE + HARD_LIMIT)
    assert updates >= 4


def test_u25_restyled_text_is_the_same_in_other_colours(qapp: QApplication) -> None:
    document = QTextDocument()
    reply = ReplyDocument(document, style())
    reply.stream.feed("Text [link](https://a.b) `code`\n\n```py\nx\n```\n\n| h |\n|---|\n| 1 |\n")
    reply.update()
    before = lines(document)
    theme = Theme.of(dark())
    reply.restyle(TextStyle(theme, style().font))
    assert lines(document) == before
    colors = {look.foreground().color().name() for _, look in fragments(document)}
    assert colors == {theme.text.name(), theme.link.name()}


def test_restart_forgets_the_text(qapp: QApplication) -> None:
    document = QTextDocument()
    reply = ReplyDocument(document, style())
    reply.stream.feed("one\n\ntwo")
    reply.update()
    reply.restart()
    reply.stream.feed("three")
    reply.update()
    assert lines(document) == ["three"]
