"""Where a repository comes from, and what its rows say of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.errors import UserError
from testmark.testevo import repository as repositories
from testmark.testevo.history import History
from testmark.testevo.repository import clone_url, open_repository
from tests.testevo.repository import Repository


def test_no_password_of_a_url_is_published(tmp_path: Path) -> None:
    made = Repository(tmp_path / "made")
    made.commit({"a.txt": "a"})
    history = History(made.folder)
    assert clone_url("https://me:secret@host/o/r.git", history) == "https://host/o/r.git"
    assert clone_url("https://me:sec@ret@host/o/r.git", history) == "https://host/o/r.git"
    assert clone_url("https://host/o/r@v1", history) == "https://host/o/r@v1"
    assert clone_url("git@host:o/r.git", history) == "git@host:o/r.git"
    made.git("remote", "add", "origin", "https://ci-token:secret@host/o/r.git")
    assert clone_url(str(made.folder), history) == "https://host/o/r.git"


def test_no_password_is_in_a_message(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"http://127\.0\.0\.1:1/o/r: cannot be cloned") as caught:
        open_repository("http://me:secret@127.0.0.1:1/o/r", tmp_path)
    assert "secret" not in str(caught.value)


def test_a_clone_follows_the_default_branch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Repository(tmp_path / "made")
    made.commit({"a.txt": "a"})
    monkeypatch.setattr(repositories, "_SCHEMES", ("/",))
    assert open_repository(str(made.folder), tmp_path / "cache").branch() == "main"
    made.git("branch", "-m", "trunk")
    latest = made.commit({"a.txt": "b"})
    history = open_repository(str(made.folder), tmp_path / "cache")
    assert (history.branch(), history.head()) == ("trunk", latest)
    made.folder.rename(tmp_path / "gone")
    with pytest.raises(UserError, match="cannot be fetched"):
        open_repository(str(made.folder), tmp_path / "cache")


def test_a_clone_is_fetched_whatever_the_user_calls_remotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Repository(tmp_path / "made")
    made.commit({"a.txt": "a"})
    (tmp_path / ".gitconfig").write_text("[clone]\ndefaultRemoteName = upstream\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(repositories, "_SCHEMES", ("/",))
    open_repository(str(made.folder), tmp_path / "cache")
    latest = made.commit({"a.txt": "b"})
    assert open_repository(str(made.folder), tmp_path / "cache").head() == latest


def test_a_message_holds_what_git_says_went_wrong(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot be cloned: fatal: .+") as caught:
        open_repository("ssh://git@127.0.0.1:1/o/r", tmp_path)
    assert "Could not read from remote repository" in str(caught.value)
