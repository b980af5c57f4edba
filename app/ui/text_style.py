"""The formats of rendered text: fonts, margins and colours, by what a piece of text is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTableFormat,
)

from app.ui.theme import Theme

__all__ = ["GAP", "INDENT", "ITEM_GAP", "PAD", "Property", "TextStyle"]

GAP = 10.0
"""Between paragraphs, in pixels, as all of these."""
ITEM_GAP = 5.0
PAD = 10.0
"""Between the edge of a code panel and its text."""
INDENT = 22.0
"""Of one level of a list or quote."""
LINE_HEIGHT = 130.0
"""In percent of the font's."""
_HEADING_SIZES = (1.5, 1.3, 1.15, 1.05, 1.0, 1.0)


class Property:
    """What a block carries besides its format, for what is painted behind it."""

    CODE = QTextFormat.Property.UserProperty + 1
    LANGUAGE = QTextFormat.Property.UserProperty + 2
    QUOTE = QTextFormat.Property.UserProperty + 3
    RULE = QTextFormat.Property.UserProperty + 4


@dataclass(frozen=True)
class TextStyle:
    """Formats for one theme and one body font."""

    theme: Theme
    font: QFont

    @cached_property
    def code_font(self) -> QFont:
        """For code, a little smaller: fixed fonts look larger."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font.pointSizeF() * 0.94)
        return font

    @cached_property
    def label_font(self) -> QFont:
        """For the language line of a code panel."""
        font = QFont(self.font)
        font.setPointSizeF(self.font.pointSizeF() * 0.85)
        return font

    def quieter(self) -> "TextStyle":
        """The same for text that is less important."""
        font = QFont(self.font)
        font.setPointSizeF(self.font.pointSizeF() * 0.92)
        return TextStyle(replace(self.theme, text=self.theme.quiet), font)

    @property
    def label_height(self) -> float:
        """The height of a code panel's language line."""
        return QFontMetricsF(self.label_font).height() + PAD / 2

    def text(self, heading: int = 0) -> QTextCharFormat:
        """Body text, or that of a heading of level 1 to 6."""
        text = QTextCharFormat()
        text.setForeground(self.theme.text)
        if heading:
            text.setFontWeight(QFont.Weight.DemiBold)
            text.setFontPointSize(self.font.pointSizeF() * _HEADING_SIZES[heading - 1])
        return text

    def code(self) -> QTextCharFormat:
        """A line of code."""
        code = QTextCharFormat()
        code.setForeground(self.theme.text)
        code.setFontFamilies(self.code_font.families())
        code.setFontFixedPitch(True)
        code.setFontPointSize(self.code_font.pointSizeF())
        return code

    def link(self, address: str, tip: str) -> QTextCharFormat:
        """What a link adds to the text around it."""
        link = QTextCharFormat()
        link.setAnchor(True)
        link.setAnchorHref(address)
        link.setToolTip(tip)
        link.setForeground(self.theme.link)
        link.setFontUnderline(True)
        return link

    def paragraph(self, indent: int = 0, quotes: int = 0, right_to_left: bool = False) -> QTextBlockFormat:
        """A block inside that many lists and quotes."""
        block = QTextBlockFormat()
        block.setIndent(indent)
        block.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if right_to_left:
            block.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        if quotes:
            (block.setRightMargin if right_to_left else block.setLeftMargin)(quotes * INDENT)
            block.setProperty(Property.QUOTE, quotes)
        return block

    def cell(self, right_to_left: bool) -> QTextBlockFormat:
        """The text of a table cell."""
        block = QTextBlockFormat()
        if right_to_left:
            block.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        return block

    def code_line(self, indent: int = 0, quotes: int = 0, language: str = "") -> QTextBlockFormat:
        """One line on a code panel, always left to right."""
        block = self.paragraph(indent, quotes)
        block.setLeftMargin(quotes * INDENT + PAD)
        block.setRightMargin(PAD)
        block.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        block.setProperty(Property.CODE, True)
        if language:
            block.setProperty(Property.LANGUAGE, language)
        return block

    def thin(self) -> QTextBlockFormat:
        """A block that only separates: Qt wants one before and after each table."""
        block = QTextBlockFormat()
        block.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        return block

    def rule(self) -> QTextBlockFormat:
        """A horizontal rule."""
        block = self.thin()
        block.setProperty(Property.RULE, True)
        return block

    def table(self, columns: int, margin: float) -> QTextTableFormat:
        """A table as wide as its text needs."""
        table = QTextTableFormat()
        table.setBorder(1)
        table.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        table.setBorderBrush(self.theme.line)
        table.setBorderCollapse(True)
        table.setCellPadding(7)
        table.setCellSpacing(0)
        table.setHeaderRowCount(1)
        table.setLeftMargin(margin)
        lengths: Sequence[QTextLength] = [QTextLength()] * columns
        table.setColumnWidthConstraints(lengths)
        return table
