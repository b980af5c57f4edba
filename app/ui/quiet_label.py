"""A line of secondary text: smaller and quieter than a message, still readable."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.ui.theme import Theme

__all__ = ["QuietLabel"]


class QuietLabel(QLabel):
    """Plain text whose colour follows the system's palette. `caution` makes it stand out."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        self._caution = False
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setForegroundRole(QPalette.ColorRole.WindowText)
        self._apply()

    def set_caution(self, caution: bool) -> None:
        """Whether the text tells of something that went wrong."""
        self._caution = caution
        self._apply()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ApplicationFontChange):
            self._apply()

    def _apply(self) -> None:
        theme = Theme.of(self.palette())
        color = theme.caution if self._caution else theme.quiet
        if self.palette().color(QPalette.ColorRole.WindowText) != color:
            palette = QPalette()
            palette.setColor(QPalette.ColorRole.WindowText, color)
            self.setPalette(palette)
        font = QFont(QApplication.font())
        font.setPointSizeF(QFontInfo(font).pointSizeF() * 0.92)
        if font != self.font():
            self.setFont(font)
