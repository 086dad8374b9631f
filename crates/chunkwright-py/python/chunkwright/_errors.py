"""What can go wrong with files."""


class FileError(Exception):
    """A file or directory that was left out."""

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
    """Files that were left out, told when all others are done."""

    errors: list[FileError]

    def __init__(self, errors: list[FileError]) -> None:
        super().__init__(errors)
        self.errors = errors

    def __str__(self) -> str:
        files = "1 file was" if len(self.errors) == 1 else f"{len(self.errors)} files were"
        return "\n  ".join([f"{files} left out:", *map(str, self.errors)])
