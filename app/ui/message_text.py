"""The text of one message: read-only, as high as its text, and unable to load anything."""

from math import ceil

from PySide6.QtCore import QByteArray, QEvent, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFont,
    QFontInfo,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QTextBrowser, QWidget

from app.ui.links import ask_to_open
from app.ui.panels import paint_panels
from app.ui.text_style import INDENT, PAD, Property, TextStyle
from app.ui.theme import Theme

__all__ = ["MessageText", "body_font"]

_SCROLLING = {
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
}


class MessageText(QTextBrowser):
    """Text in the colours and the font of messages, or in quieter ones.

    Signals: restyled, after the system's colours or font changed and `text_style` with them.
    """

    restyled = Signal()

    def __init__(self, parent: QWidget | None = None, quiet: bool = False) -> None:
        super().__init__(parent)
        self._quiet = quiet
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setOpenLinks(False)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(INDENT)
        self.anchorClicked.connect(lambda url: ask_to_open(self, url))
        self._take_style(self._system_style())

    def fit(self) -> None:
        """Makes the widget as high as its text, and the panel it may end with."""
        ends_in_code = self.document().lastBlock().blockFormat().hasProperty(Property.CODE)
        self.setFixedHeight(ceil(self.document().size().height() + PAD * ends_in_code))

    def keep_selection(self) -> tuple[int, int]:
        """The selection, as anchor and position, for `restore_selection` after a change."""
        cursor = self.textCursor()
        return cursor.anchor(), cursor.position()

    def restore_selection(self, selection: tuple[int, int]) -> None:
        """Selects the same places again, as far as the text still reaches there."""
        anchor, position = selection
        cursor = self.textCursor()
        if anchor == position or (cursor.anchor(), cursor.position()) == selection:
            return
        last = self.document().characterCount() - 1
        cursor.setPosition(min(anchor, last))
        cursor.setPosition(min(position, last), cursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def loadResource(self, type: int, name: QUrl | str) -> QByteArray:  # noqa: ARG002
        """Nothing, whatever a message asks for. Without an answer Qt would open local files itself."""
        return QByteArray()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        paint_panels(painter, self.document(), self.text_style, QRectF(event.rect()))
        painter.end()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        selects = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.key() in _SCROLLING and not selects:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            style = self._system_style()
            if style != self.text_style:
                self._take_style(style)
                self.restyled.emit()

    def _system_style(self) -> TextStyle:
        style = TextStyle(Theme.of(self.palette()), body_font())
        return style.quieter() if self._quiet else style

    def _take_style(self, style: TextStyle) -> None:
        self.text_style = style
        self.document().setDefaultFont(style.font)
        # Only these two: the other roles go on following the system.
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Highlight, style.theme.selection)
        palette.setColor(QPalette.ColorRole.HighlightedText, style.theme.selected)
        self.setPalette(palette)


def body_font() -> QFont:
    """The system's font, a little larger: messages are read, not only glanced at."""
    font = QFont(QApplication.font())
    font.setPointSizeF(QFontInfo(font).pointSizeF() + 1)
    return font
