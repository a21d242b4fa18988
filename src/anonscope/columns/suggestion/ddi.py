"""What a DDI Codebook says of variables: their labels, read as XML that defines nothing of its own."""

from xml.parsers import expat

_VARIABLE, _LABEL = "var", "labl"


def labels_of_codebook(text: bytes) -> dict[str, str]:
    """Return the label of every variable of a DDI Codebook (versions 1 to 2.6); raise ValueError if it is none that can be read."""
    reader = _Codebook()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    # A document that defines entities could become anything.
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        raise ValueError("no XML") from None
    return reader.labels


def _refuse(*_: object) -> None:
    raise ValueError("a document type")


class _Codebook:
    """The variables of a codebook, as they come; the label of a variable stands right below it, those of its answers further down."""

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}
        self._path: list[str] = []
        self._name = ""
        self._said: list[str] = []

    def start(self, element: str, attributes: dict[str, str]) -> None:
        """Enter an element."""
        self._path.append(element.rpartition(":")[2])
        if self._path[-1] == _VARIABLE:
            self._name = attributes.get("name", "").strip()
        if self._of_variable:
            self._said = []

    def end(self, _: str) -> None:
        """Leave it; the first label of a variable counts."""
        said = " ".join("".join(self._said).split())
        if self._of_variable and self._name and said:
            self.labels.setdefault(self._name, said)
        self._path.pop()

    def text(self, piece: str) -> None:
        """Take what stands in a label."""
        if self._of_variable:
            self._said.append(piece)

    @property
    def _of_variable(self) -> bool:
        return self._path[-2:] == [_VARIABLE, _LABEL]
