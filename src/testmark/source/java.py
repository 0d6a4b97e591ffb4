"""Methods and classes of a Java file by tree-sitter, and what tells two versions of one apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

_TYPES = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "annotation_type_declaration": "annotation",
}
_BODIES = frozenset(
    {"class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body", "program"}
)
_METHODS = frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"})
_COMMENTS = frozenset({"line_comment", "block_comment"})


@dataclass(frozen=True)
class JavaClass:
    """A named class, interface, enum, record or annotation type, nested ones too; local and anonymous ones are code."""

    package: str
    names: tuple[str, ...]
    """Simple names, outermost first."""
    kind: str
    annotations: tuple[str, ...]
    modifiers: frozenset[str]
    superclass: str
    """As written, without type arguments; empty when there is none."""
    line: int

    @property
    def binary_name(self) -> str:
        """`a.b.Outer$Inner`."""
        return f"{self.package}.{'$'.join(self.names)}" if self.package else "$".join(self.names)


@dataclass(frozen=True)
class JavaMethod:
    """One method or constructor of a named class."""

    owner: JavaClass
    name: str
    """A constructor has the name of its class."""
    parameters: tuple[str, ...]
    """Types as written, without type arguments and annotations; `...` stays."""
    returns: str
    """Likewise; empty for a constructor."""
    annotations: tuple[str, ...]
    """Simple names."""
    modifiers: frozenset[str]
    is_constructor: bool
    has_body: bool
    line: int
    """1-based line of its first modifier or annotation."""
    end_line: int
    code: str
    fingerprint: str
    """Hash of its tokens: the same for two texts that differ in white space and comments only."""

    @property
    def key(self) -> str:
        """`a.b.Outer$Inner#name(String,int[])`: unique in a project but for two files of one class."""
        return _key(self.owner, self.name, self.parameters)


@dataclass(frozen=True)
class JavaHeader:
    """What other files see of a method or constructor, and where its body stands."""

    key: str
    """As `JavaMethod` has it."""
    returns: str
    modifiers: frozenset[str]
    body: tuple[int, int] | None = field(compare=False)
    """Bytes from its opening brace to behind the closing one; None when it has none."""


@dataclass(frozen=True)
class JavaFile:
    """What a Java file declares, in the order of the text."""

    package: str
    imports: tuple[str, ...]
    """As written between `import` and `;`, `static` included."""
    classes: tuple[JavaClass, ...]
    methods: tuple[JavaMethod, ...]
    has_errors: bool
    """Whether some of it could not be parsed; what could be is there all the same."""


@cache
def _parser() -> Parser:
    import tree_sitter_java
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_java.language()))


def parse_java(text: str) -> Tree:
    """The syntax tree, errors and all; offsets count bytes of UTF-8."""
    return _parser().parse(text.encode("utf-8"))


def read_java(text: str) -> JavaFile:
    """Parse a Java file; parts that are no Java are left out and reported by `has_errors`."""
    root = parse_java(text).root_node
    package = _package(root)
    imports = [
        " ".join(_tokens(node)[1:-1]).replace(" . ", ".")
        for node in root.named_children
        if node.type == "import_declaration"
    ]
    classes: list[JavaClass] = []
    methods: list[JavaMethod] = []
    for owner, node in _declared(root, package, (), None):
        if isinstance(owner, JavaClass) and node.type in _TYPES:
            classes.append(owner)
        elif isinstance(owner, JavaClass):
            methods.append(_method(owner, node))
    return JavaFile(
        package=package,
        imports=tuple(imports),
        classes=tuple(classes),
        methods=tuple(methods),
        has_errors=root.has_error,
    )


def read_headers(text: str) -> tuple[JavaHeader, ...]:
    """The headers of all methods that `read_java` finds, in its order; far quicker, as no token is looked at."""
    root = parse_java(text).root_node
    return tuple(
        _header(owner, node)
        for owner, node in _declared(root, _package(root), (), None)
        if isinstance(owner, JavaClass) and node.type in _METHODS
    )


def _header(owner: JavaClass, node: Node) -> JavaHeader:
    body = node.child_by_field_name("body")
    return JavaHeader(
        key=_key(owner, _field(node, "name"), _parameters(node)),
        returns=_returns(node),
        modifiers=_modifiers(node),
        body=(body.start_byte, body.end_byte) if body is not None else None,
    )


def _key(owner: JavaClass, name: str, parameters: Sequence[str]) -> str:
    return f"{owner.binary_name}#{name}({','.join(parameters)})"


def _package(root: Node) -> str:
    names = ""
    for node in root.named_children:
        if node.type == "package_declaration":
            names = _tokens_text([child for child in node.named_children if "identifier" in child.type])
    return names


def _declared(
    node: Node, package: str, names: tuple[str, ...], owner: JavaClass | None
) -> Iterator[tuple[JavaClass | None, Node]]:
    """Every named class with its node, and every method with the class that declares it."""
    for child in node.named_children:
        if child.type in _TYPES:
            found = _class(child, package, names)
            yield found, child
            body = child.child_by_field_name("body")
            if body is not None:
                yield from _declared(body, package, found.names, found)
        elif child.type in _METHODS and owner is not None:
            yield owner, child
        elif child.type in _BODIES:
            yield from _declared(child, package, names, owner)


def _class(node: Node, package: str, names: tuple[str, ...]) -> JavaClass:
    superclass = node.child_by_field_name("superclass")
    return JavaClass(
        package=package,
        names=(*names, _field(node, "name")),
        kind=_TYPES[node.type],
        annotations=_annotations(node),
        modifiers=_modifiers(node),
        superclass=_type_text(superclass.named_children[0]) if superclass is not None else "",
        line=node.start_point.row + 1,
    )


def _method(owner: JavaClass, node: Node) -> JavaMethod:
    return JavaMethod(
        owner=owner,
        name=_field(node, "name"),
        parameters=_parameters(node),
        returns=_returns(node),
        annotations=_annotations(node),
        modifiers=_modifiers(node),
        is_constructor=node.type != "method_declaration",
        has_body=node.child_by_field_name("body") is not None,
        line=node.start_point.row + 1,
        end_line=node.end_point.row + 1,
        code=_text(node),
        fingerprint=_fingerprint(_tokens(node)),
    )


def _returns(node: Node) -> str:
    typed, dimensions = node.child_by_field_name("type"), node.child_by_field_name("dimensions")
    return (_type_text(typed) if typed else "") + (_text(dimensions) if dimensions is not None else "")


def _parameters(method: Node) -> tuple[str, ...]:
    parameters = method.child_by_field_name("parameters")
    compact = method.type == "compact_constructor_declaration"
    return () if compact or parameters is None else _parameter_types(parameters)


def _parameter_types(parameters: Node) -> tuple[str, ...]:
    found = []
    for parameter in parameters.named_children:
        if parameter.type not in {"formal_parameter", "spread_parameter"}:
            continue
        typed = parameter.child_by_field_name("type")
        if typed is None:
            typed = next(child for child in parameter.named_children if child.type != "modifiers")
        dimensions = parameter.child_by_field_name("dimensions")
        ending = "..." if parameter.type == "spread_parameter" else ""
        found.append(_type_text(typed) + (_text(dimensions) if dimensions is not None else "") + ending)
    return tuple(found)


def _type_text(node: Node) -> str:
    """A type as written, without its type arguments and annotations."""
    if node.type == "generic_type":
        return _type_text(node.named_children[0])
    if node.type == "annotated_type":
        return _type_text(node.named_children[-1])
    if node.type == "array_type":
        element = node.child_by_field_name("element")
        dimensions = node.child_by_field_name("dimensions")
        return (_type_text(element) if element else "") + ("[]" * _text(dimensions).count("[") if dimensions else "")
    if node.type == "scoped_type_identifier":
        return ".".join(_type_text(child) for child in node.named_children if "annotation" not in child.type)
    return _text(node)


def _annotations(node: Node) -> tuple[str, ...]:
    return tuple(
        _field(child, "name").rpartition(".")[2]
        for modifiers in node.named_children
        if modifiers.type == "modifiers"
        for child in modifiers.named_children
        if child.type in {"annotation", "marker_annotation"}
    )


def _modifiers(node: Node) -> frozenset[str]:
    return frozenset(
        child.type
        for modifiers in node.named_children
        if modifiers.type == "modifiers"
        for child in modifiers.children
        if not child.is_named
    )


def _field(node: Node, name: str) -> str:
    found = node.child_by_field_name(name)
    return _text(found) if found is not None else ""


def _text(node: Node) -> str:
    return node.text.decode("utf-8") if node.text is not None else ""


def _tokens_text(nodes: Sequence[Node]) -> str:
    return "".join(token for node in nodes for token in _tokens(node))


def _tokens(node: Node) -> list[str]:
    """The texts of all leaves but comments; string literals are one token each."""
    found: list[str] = []
    todo = [node]
    while todo:
        current = todo.pop()
        if current.type in _COMMENTS:
            continue
        if current.child_count == 0 or current.type in {"string_literal", "text_block", "character_literal"}:
            found.append(_text(current))
        else:
            todo += reversed(current.children)
    return found


def _fingerprint(tokens: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(token for token in tokens if token).encode("utf-8")).hexdigest()[:20]
