"""The notice above the composer of a model without a working chat template, and the choice what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.quiet_label import QuietLabel
from app.ui.theme import GRID

if TYPE_CHECKING:
    from app.chat.templates import TemplateView

__all__ = ["TemplateBar"]


class TemplateBar(QWidget):
    """Hidden while the model's own template works.

    Attributes:
        buttons: of the choices, by their names.

    Signals:
        chosen: the name of a template; empty to be asked again.
        fetch_requested: the model's own template is to be fetched.
    """

    chosen = Signal(str)
    fetch_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = QuietLabel(parent=self)
        self.label.setWordWrap(True)
        self.change = QPushButton("Change", self)
        self.change.setFlat(True)
        self.change.clicked.connect(lambda: self.chosen.emit(""))
        self.fetch = QPushButton(self)
        self.fetch.clicked.connect(self.fetch_requested)
        self.buttons: dict[str, QPushButton] = {}
        self._row = QWidget(self)
        self._choices = QHBoxLayout()
        self._lay_out()
        self.hide()

    def show_template(self, view: TemplateView | None) -> None:
        """Shows a notice with its choices, or in one quiet line what was chosen; hides for None."""
        if view is not None:
            self.label.setText(view.sentence)
            self.label.set_caution(bool(view.choices))
            self.change.setVisible(not view.choices)
            self._offer(view)
            self._row.setVisible(bool(view.choices))
        self.setVisible(view is not None)

    def _offer(self, view: TemplateView) -> None:
        for button in self.buttons.values():
            button.deleteLater()
        self.buttons = {name: QPushButton(label, self._row) for name, label in view.choices}
        for name, button in self.buttons.items():
            button.clicked.connect(lambda _checked, name=name: self.chosen.emit(name))
            self._choices.addWidget(button)
        self.fetch.setText("Getting its template…" if view.fetching else "Get its template")
        self.fetch.setToolTip(f"From {view.repository}")
        self.fetch.setEnabled(not view.fetching)
        self.fetch.setVisible(bool(view.repository))

    def _lay_out(self) -> None:
        line, below = QHBoxLayout(), QHBoxLayout(self._row)
        line.addWidget(self.label, 1)
        line.addWidget(self.change)
        below.setContentsMargins(0, 0, 0, 0)
        below.addLayout(self._choices)
        below.addWidget(self.fetch)
        below.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 0, GRID, 0)
        for part in (line, below, self._choices, layout):
            part.setSpacing(GRID)
        layout.addLayout(line)
        layout.addWidget(self._row)
