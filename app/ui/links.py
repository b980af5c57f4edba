"""Opening a link: only after its real target was shown, and only on the web or by mail."""

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from app.ui.markdown_parser import is_safe_link

__all__ = ["ask_to_open"]


def ask_to_open(parent: QWidget, url: QUrl) -> None:
    """Shows where a link leads and opens it once the user agrees. Other kinds of links do nothing."""
    address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
    if not is_safe_link(address):
        return
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText("Open this link?")
    box.setInformativeText(address)
    open_button = box.addButton("Open", QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    open_button.clicked.connect(lambda: QDesktopServices.openUrl(url))
    box.open()
