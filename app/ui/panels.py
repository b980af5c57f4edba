"""What is painted behind rendered text: code panels, bars beside quotes, rules."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTextBlock, QTextDocument

from app.ui.text_style import INDENT, PAD, Property, TextStyle

__all__ = ["paint_panels"]

_RADIUS = 8.0
_BAR = 3.0


def paint_panels(painter: QPainter, document: QTextDocument, style: TextStyle, exposed: QRectF) -> None:
    """Paints behind the text that meets `exposed`, in document coordinates."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    blocks = list(_exposed_blocks(document, exposed))
    for run in _runs(blocks, _is_code, _begins_panel):
        _paint_code(painter, document, style, run)
    for level in range(max((_quotes(block) for block in blocks), default=0)):
        for run in _runs(blocks, partial(_is_quoted, level), lambda _: False):
            _paint_bar(painter, document, style, run, level)
    for block in blocks:
        if block.blockFormat().hasProperty(Property.RULE):
            top = round(_rect(document, block).top())
            painter.fillRect(QRectF(0, top, document.textWidth(), 1), style.theme.line)


def _exposed_blocks(document: QTextDocument, exposed: QRectF) -> Iterator[QTextBlock]:
    """The blocks in sight and one on either side, so that no panel ends at the edge of what is painted."""
    hit = document.documentLayout().hitTest(QPointF(0, exposed.top()), Qt.HitTestAccuracy.FuzzyHit)
    block = document.findBlock(max(hit, 0))
    block = block.previous() if block.previous().isValid() else block
    while block.isValid():
        yield block
        if _rect(document, block).top() > exposed.bottom():
            return
        block = block.next()


def _rect(document: QTextDocument, block: QTextBlock) -> QRectF:
    return document.documentLayout().blockBoundingRect(block)


def _runs(
    blocks: Sequence[QTextBlock], belongs: Callable[[QTextBlock], bool], begins: Callable[[QTextBlock], bool]
) -> Iterator[list[QTextBlock]]:
    """Neighbours that share one background."""
    run: list[QTextBlock] = []
    for block in blocks:
        if run and (not belongs(block) or begins(block)):
            yield run
            run = []
        if belongs(block):
            run.append(block)
    if run:
        yield run


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(Property.CODE)


def _begins_panel(block: QTextBlock) -> bool:
    return block.blockFormat().topMargin() > 0


def _quotes(block: QTextBlock) -> int:
    return block.blockFormat().intProperty(Property.QUOTE)


def _is_quoted(level: int, block: QTextBlock) -> bool:
    return _quotes(block) > level


def _paint_code(
    painter: QPainter, document: QTextDocument, style: TextStyle, run: Sequence[QTextBlock]
) -> None:
    look = run[0].blockFormat()
    language = str(look.stringProperty(Property.LANGUAGE))
    label = style.label_height if language else 0.0
    left = look.leftMargin() + look.indent() * document.indentWidth() - PAD
    top = _rect(document, run[0]).top() - PAD - label
    bottom = _rect(document, run[-1]).bottom() + PAD
    panel = QRectF(left, top, document.textWidth() - left, bottom - top)
    painter.setBrush(style.theme.panel)
    painter.drawRoundedRect(panel, _RADIUS, _RADIUS)
    if language:
        painter.setPen(style.theme.quiet)
        painter.setFont(style.label_font)
        place = QRectF(left + PAD, top + PAD / 2, panel.width() - 2 * PAD, label)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, language)
        painter.setPen(Qt.PenStyle.NoPen)


def _paint_bar(
    painter: QPainter, document: QTextDocument, style: TextStyle, run: Sequence[QTextBlock], level: int
) -> None:
    top, bottom = _rect(document, run[0]).top(), _rect(document, run[-1]).bottom()
    left = level * INDENT
    if run[0].textDirection() == Qt.LayoutDirection.RightToLeft:
        left = document.textWidth() - left - _BAR
    painter.setBrush(style.theme.line)
    painter.drawRoundedRect(QRectF(left, top, _BAR, bottom - top), _BAR / 2, _BAR / 2)
