"""A parsed template with its limits written into it: every loop, text and comparison asks the budget."""

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

__all__ = ["CONCATENATED", "MADE", "TICK", "WEIGHED", "WRITTEN", "guarded"]

# Names of filters that no template can write: they hold a space.
TICK = "a tick"
WRITTEN = "a written piece"
CONCATENATED = "a concatenation"
MADE = "a made value"
WEIGHED = "a weighed value"


def guarded(tree: nodes.Template) -> nodes.Template:
    """The same template, changed in place. Calls, filters and operators are the sandbox's to guard."""
    guarded: nodes.Template = _Guards().visit(tree)
    return guarded


def _through(name: str, node: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _weighed(node: nodes.Expr) -> nodes.Expr:
    return node if isinstance(node, nodes.Const) else _through(WEIGHED, node)


class _Guards(NodeTransformer):
    """Code of Python's or Jinja's own that runs long without a call to the sandbox gets one before it."""

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802
        self.generic_visit(node)
        node.nodes = [
            _through(
                WRITTEN,
                nodes.Const(part.data, lineno=part.lineno) if isinstance(part, nodes.TemplateData) else part,
            )
            for part in node.nodes
        ]
        return node

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802
        self.generic_visit(node)
        tick = _through(TICK, nodes.Const(True, lineno=node.lineno))
        node.body.insert(0, nodes.ExprStmt(tick, lineno=node.lineno))
        if node.test is not None:
            node.test = nodes.And(tick, node.test, lineno=node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802
        self.generic_visit(node)
        return _through(CONCATENATED, nodes.List(node.nodes, lineno=node.lineno))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:  # noqa: N802
        self.generic_visit(node)
        node.expr = _weighed(node.expr)
        for operand in node.ops:
            operand.expr = _weighed(operand.expr)
        return node

    def visit_Pair(self, node: nodes.Pair) -> nodes.Pair:  # noqa: N802
        self.generic_visit(node)
        node.key = _weighed(node.key)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return _through(MADE, node) if isinstance(node.arg, nodes.Slice) else node

    def visit_List(self, node: nodes.List) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return _through(MADE, node)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return _through(MADE, node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return _through(MADE, node) if node.ctx == "load" else node
