"""A file is replaced as a whole, or stays what it was; more in tests/test_io_models.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from discriminant._engine.files import replacing, write_whole


def test_a_file_holds_the_old_content_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, "one")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half")
            assert path.read_text() == "one"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "one"
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]  # nothing is left lying about


def test_a_link_is_followed_and_permissions_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "a.txt", tmp_path / "link"
    write_whole(path, "one")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "two")
    assert link.is_symlink()
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o640
