"""A form with a file in it, written to disk piece by piece as it comes: nothing waits in memory, nothing passes the limit."""

from pathlib import Path
from typing import IO, Any

from fastapi import Request

from anonscope.errors import RequestRefused

_LONGEST_FIELD = 10_000
# A manifest counts what was changed column by column.
_LONGEST_FIELDS = {"manifest": 4_000_000}
_MOST_PARTS = 20


async def receive(request: Request, target: Path, limit: int) -> "Form":
    """Return a form's fields, and the name of its file, whose bytes are in `target` then."""
    from python_multipart.multipart import MultipartParser, parse_options_header
    from starlette.concurrency import run_in_threadpool

    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise RequestRefused("Send a form (multipart/form-data) with the file in its field 'file', or with 'sample'.", 415)
    told = request.headers.get("content-length", "")
    if told.isdigit() and int(told) > limit + 100_000:
        raise too_large(limit)
    form = Form(target, limit)
    parser = MultipartParser(boundary, form.callbacks())
    try:
        async for piece in request.stream():
            await run_in_threadpool(parser.write, piece)
        await run_in_threadpool(parser.finalize)
    except ValueError:
        # Its message may quote what was sent.
        raise RequestRefused("The form is damaged.", 400) from None
    finally:
        form.close()
    if not form.complete:
        raise RequestRefused("The form is not complete.", 400)
    return form


def too_large(limit: int) -> RequestRefused:
    """Return what to say of a file above the limit."""
    return RequestRefused(f"The file is larger than the limit of {limit:,} bytes. `anonscope serve --upload-limit` sets it.", 413)


class Form:
    """The parts of a form as they come in."""

    def __init__(self, target: Path, limit: int) -> None:
        self.fields: dict[str, str] = {}
        self.file_name: str | None = None
        self.size = 0
        self.complete = False
        self._target, self._limit = target, limit
        self._out: IO[bytes] | None = None
        self._parts = 0
        self._header = (bytearray(), bytearray())
        self._headers: dict[bytes, bytes] = {}
        self._field: str | None = None
        self._value = bytearray()

    def callbacks(self) -> Any:
        """Return what the parser calls."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_part_data": self._data,
            "on_part_end": self._part_end,
            "on_end": self._end,
        }

    def close(self) -> None:
        """Let go of the file."""
        if self._out is not None:
            self._out.close()
            self._out = None

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise RequestRefused("The form has too many parts.", 400)
        self._headers, self._field, self._value = {}, None, bytearray()

    def _header_end(self) -> None:
        name, value = self._header
        self._headers[bytes(name).lower()] = bytes(value)
        self._header = (bytearray(), bytearray())

    def _headers_finished(self) -> None:
        from python_multipart.multipart import parse_options_header

        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        name = options.get(b"name", b"").decode("utf-8", "replace")
        file_name = options.get(b"filename")
        if name == "file" and file_name is not None:
            if self.file_name is not None:
                raise RequestRefused("Send one file at a time.", 400)
            self.file_name = file_name.decode("utf-8", "replace")
            self._out = open(self._target, "wb")  # noqa: SIM115 (closed when the form is)
        else:
            self._field = name

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._field is None and self._out is not None:
            self.size += end - start
            if self.size > self._limit:
                raise too_large(self._limit)
            self._out.write(memoryview(data)[start:end])
            return
        self._value += data[start:end]
        if len(self._value) > _LONGEST_FIELDS.get(self._field or "", _LONGEST_FIELD):
            raise RequestRefused("A field of the form is too long.", 413)

    def _part_end(self) -> None:
        if self._field is None:
            self.close()
        else:
            self.fields[self._field] = self._value.decode("utf-8", "replace")

    def _end(self) -> None:
        self.complete = True
