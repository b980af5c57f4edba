"""The button that names the model and its state, and chooses another."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton, QWidget

__all__ = ["ModelButton"]


class ModelButton(QToolButton):
    """Signals: chosen, with the path of a model file or folder."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setToolTip("Choose a model")
        self._menu = QMenu(self)
        self._menu.addAction("Open Model File…", self.choose_file)
        self._menu.addAction("Open Model Folder…", self.choose_folder)
        self.clicked.connect(self._show_menu)
        self.set_model("No model", "")

    def set_model(self, name: str, state: str) -> None:
        """What is used, and whether it can be: "ready", "loading…" or a problem in a few words."""
        text = f"{name} · {state}" if state else name
        self.setText(text.replace("&", "&&") + "  ▾")
        self.setAccessibleName(f"Model: {text}")

    def choose_file(self) -> None:
        """Asks for a file in GGUF format."""
        dialog = self._dialog("Open Model File")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(["Models (*.gguf)", "All files (*)"])
        dialog.open()

    def choose_folder(self) -> None:
        """Asks for a folder with weights, a configuration and a tokenizer."""
        dialog = self._dialog("Open Model Folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.open()

    def _show_menu(self) -> None:
        self._menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self.window(), title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.chosen)
        return dialog
