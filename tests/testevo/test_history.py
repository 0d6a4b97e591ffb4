"""Reading a repository's history without a work tree."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from testmark.errors import UserError
from testmark.testevo.history import Change, History
from tests.testevo.repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_commits_come_oldest_first_within_the_window(repository: Repository) -> None:
    names = [repository.commit({"a.txt": str(number)}) for number in range(4)]
    history = History(repository.folder)
    assert [commit.sha for commit in history.commits(history.head())] == names
    window = history.commits(
        history.head(),
        since=datetime(2024, 3, 4, 12, 1, tzinfo=UTC),
        until=datetime(2024, 3, 4, 12, 2, tzinfo=UTC),
    )
    assert [commit.sha for commit in window] == names[1:3]
    assert window[0].parents == (names[0],)


def test_changes_name_both_places_of_a_moved_file(repository: Repository) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    old = repository.commit({"gone.txt": "x", "same.txt": "s", "edited.txt": "1", "ol d/ü.txt": text})
    new = repository.commit(
        {"gone.txt": None, "ol d/ü.txt": None, "new/ü.txt": text + "more\n", "edited.txt": "2", "fresh.txt": ""}
    )
    assert History(repository.folder).changes(old, new) == (
        Change("modified", "edited.txt", "edited.txt"),
        Change("added", "fresh.txt", ""),
        Change("deleted", "gone.txt", "gone.txt"),
        Change("renamed", "new/ü.txt", "ol d/ü.txt"),
    )


def test_a_revision_is_exported_byte_for_byte_into_a_plain_folder(repository: Repository, tmp_path: Path) -> None:
    content = b"one\ntwo\n$Id$\xff"
    revision = repository.commit({"a/b.txt": content, ".gitattributes": "*.txt text eol=crlf ident\n", "run.sh": "#!"})
    repository.commit({"later.txt": "no"})
    (repository.folder / "a/b.txt").write_bytes(b"changed in the work tree")
    history = History(repository.folder / ".git")
    assert history.export(revision, tmp_path / "out") == []
    assert (tmp_path / "out/a/b.txt").read_bytes() == content
    assert not (tmp_path / "out/later.txt").exists()
    assert not (tmp_path / "out/.git").exists()
    assert (repository.folder / "a/b.txt").read_bytes() == b"changed in the work tree"
    assert history.texts(revision, ["run.sh", "missing", "a/b.txt"]) == {
        "run.sh": "#!",
        "a/b.txt": "one\ntwo\n$Id$\ufffd",
    }


def test_a_clone_that_lacks_an_object_gives_the_others(repository: Repository, tmp_path: Path) -> None:
    revision = repository.commit({"big.bin": "large", "small.txt": "small"})
    name = repository.git("rev-parse", f"{revision}:big.bin")
    place = repository.folder / ".git/objects" / name[:2] / name[2:]
    place.chmod(0o644)
    place.unlink()
    assert History(repository.folder).export(revision, tmp_path / "out") == ["big.bin"]
    assert (tmp_path / "out/small.txt").read_text() == "small"


def test_a_folder_that_is_no_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this is no git repository; give a clone's folder"):
        History(tmp_path)


def test_a_repository_without_a_commit_is_named(repository: Repository) -> None:
    with pytest.raises(UserError, match=r"repository: HEAD names no commit; check out a branch that has one"):
        History(repository.folder).head()


def test_what_the_user_has_set_for_git_changes_nothing(repository: Repository) -> None:
    texts = {f"old/{number}.txt": f"{number}\n" * 30 for number in range(3)}
    old = repository.commit(texts)
    moved = {f"new/{number}.txt": f"{number}\n" * 30 + "more\n" for number in range(3)}
    new = repository.commit(dict.fromkeys(texts) | moved)
    expected = [Change("renamed", f"new/{number}.txt", f"old/{number}.txt") for number in range(3)]
    settings = {"diff.renameLimit": "1", "diff.renames": "false", "log.showSignature": "true", "color.ui": "always"}
    for name, value in settings.items():
        repository.git("config", name, value)
    sign = repository.folder / "sign"
    sign.write_text("#!/bin/sh\necho '[GNUPG:] SIG_CREATED ' >&2\ncat > /dev/null\necho signature\n")
    sign.chmod(0o755)
    repository.git(
        "-c", "commit.gpgsign=true", "-c", f"gpg.program={sign}", "commit", "--allow-empty", "-qSx", "-m", "x"
    )
    history = History(repository.folder)
    assert list(history.changes(old, new)) == expected
    assert [commit.sha for commit in history.commits(history.head())][:2] == [old, new]


def test_why_a_repository_cannot_be_read_is_said(repository: Repository) -> None:
    (repository.folder / ".git/HEAD").write_text("nonsense\n")
    with pytest.raises(UserError, match=r"this is no git repository; .*: not a git repository"):
        History(repository.folder)


def test_what_the_user_has_set_for_all_repositories_changes_nothing(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "attributes").write_text("* -diff\n")
    (tmp_path / ".gitconfig").write_text(
        f"[core]\nsymlinks = false\nattributesFile = {tmp_path / 'attributes'}\n"
        "[i18n]\nlogOutputEncoding = UTF-16\n[log]\ndecorate = full\n[diff]\nnoprefix = true\nrelative = true\n"
    )
    lines = "".join(f"line {number}\n" for number in range(30))
    old = repository.commit({"old.txt": lines.replace("\n", "\r\n")})
    (repository.folder / "link").symlink_to("new.txt")
    new = repository.commit({"old.txt": None, "new.txt": lines})
    monkeypatch.setenv("HOME", str(tmp_path))
    history = History(repository.folder)
    assert history.changes(old, new) == (Change("added", "link", ""), Change("renamed", "new.txt", "old.txt"))
    assert [commit.sha for commit in history.commits(new)] == [old, new]
    assert history.export(new, tmp_path / "out") == []
    assert (tmp_path / "out/link").is_symlink()


def test_the_history_is_the_one_that_its_names_stand_for(repository: Repository) -> None:
    names = [repository.commit({"a.txt": str(number)}) for number in range(3)]
    repository.git("replace", names[0], names[1])
    (repository.folder / ".git/info").mkdir(exist_ok=True)
    (repository.folder / ".git/info/grafts").write_text(f"{names[2]}\n")
    history = History(repository.folder)
    assert [commit.sha for commit in history.commits(names[2])] == names
    assert history.texts(names[0], ["a.txt"]) == {"a.txt": "0"}


def test_a_repository_of_another_user_is_not_said_to_be_none(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "fatal: detected dubious ownership\nTo add an exception, call:\n\n\tgit config --add safe.directory /x\n"
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{words}END\nexit 128\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    expected = (
        f"{repository.folder}: git cannot open this repository: "
        "fatal: detected dubious ownership To add an exception, call: git config --add safe.directory /x"
    )
    with pytest.raises(UserError) as caught:
        History(repository.folder)
    assert str(caught.value) == expected
