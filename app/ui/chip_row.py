"""The attachments of a message being written."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.records import Attachment, new_id
from app.ui.chip import Chip
from app.ui.flow_layout import FlowLayout
from app.ui.theme import GRID

__all__ = ["ChipRow"]


class ChipRow(QWidget):
    """Removable chips in as many lines as they need; hidden without any.

    Signals: changed, after one was added or removed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: list[Chip] = []
        self._flow = FlowLayout(GRID)
        self.setLayout(self._flow)
        self.hide()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """In the order they were added."""
        return tuple(chip.attachment for chip in self._chips)

    def add(self, attachment: Attachment) -> None:
        """Shows one more."""
        chip = Chip(attachment, removable=True, parent=self)
        chip.removed.connect(self._remove)
        self._chips.append(chip)
        self._flow.addWidget(chip)
        self.show()
        self.changed.emit()

    def attach(self, text: str) -> None:
        """Shows a pasted text."""
        name = f"Pasted text {len(self._chips) + 1}" if self._chips else "Pasted text"
        self.add(Attachment(new_id(), name, text, len(text.encode("utf-8", "surrogatepass"))))

    def clear(self) -> None:
        """Removes all."""
        for attachment in self.attachments:
            self._remove(attachment)

    def _remove(self, attachment: Attachment) -> None:
        chip = next(chip for chip in self._chips if chip.attachment.id == attachment.id)
        self._chips.remove(chip)
        self._flow.removeWidget(chip)
        chip.hide()
        chip.deleteLater()
        self.setVisible(bool(self._chips))
        self.changed.emit()
