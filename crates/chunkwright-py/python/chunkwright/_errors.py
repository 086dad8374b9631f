"""Exceptions for files that cannot be read."""


class FileError(Exception):
    """A file or directory that `chunk_files` skipped.

    Attributes:
        path: Path of the file.
        reason: Why it was skipped, such as `no such file or directory`.
    """

    path: str
    reason: str

    def __init__(self, path: object, reason: str, message: str) -> None:
        super().__init__(path, reason, message)
        self.path = str(path)
        self.reason = reason
        self._message = message

    def __str__(self) -> str:
        return self._message


class FilesError(Exception):
    """Raised by `chunk_files` after the last chunk if files were skipped.

    Pass `on_error` to handle each file as it occurs instead.

    Attributes:
        errors: A `FileError` for each file.
    """

    errors: list[FileError]

    def __init__(self, errors: list[FileError]) -> None:
        super().__init__(errors)
        self.errors = errors

    def __str__(self) -> str:
        files = "1 file was" if len(self.errors) == 1 else f"{len(self.errors)} files were"
        return "\n  ".join([f"{files} skipped:", *map(str, self.errors)])
