"""What a journal says is done only to files of the run that wrote it."""

import json

import pytest

from anonscope.io.placing import JOURNAL, PREFIX, Move, Staging, recover


@pytest.mark.parametrize("way", ["finish", "take back", "steal", "climb"])
def test_a_journal_that_came_with_somebody_elses_files_moves_nothing(tmp_path, way):
    """Whoever verifies a release that was sent to them must not have a file of theirs replaced, or taken away."""
    sent, home = tmp_path / "sent", tmp_path / "home"
    private = sent / f"{PREFIX}evil"
    private.mkdir(parents=True, mode=0o700)
    home.mkdir()
    (home / "profile").write_text("mine")
    for name in ("in-use", "made", "before-0"):
        (private / name).write_text("theirs")
    absent = {"made": str(private / "absent"), "target": str(sent / "absent"), "before": str(private / "before-1"), "last": True}
    step = {
        "finish": {"made": str(private / "made"), "target": str(home / "profile"), "before": str(private / "before-9")},
        "take back": {"made": str(home / f"{PREFIX}x" / "y"), "target": str(home / "profile"), "before": str(private / "before-0")},
        "steal": {"made": str(home / "profile"), "target": str(sent / "got"), "before": str(private / "before-9")},
        "climb": {"made": f"{private}/../../home/profile", "target": str(sent / "got"), "before": str(private / "before-9")},
    }[way]
    (private / JOURNAL).write_text(json.dumps([step | {"last": True}, *([absent] if way == "take back" else [])]))

    said = recover([sent])

    assert (home / "profile").read_text() == "mine" and not (sent / "got").exists()
    assert len(said) == 1 and "left alone" in said[0]


def test_what_must_be_noted_first_is_noted_before_anything_moves(tmp_path):
    """And where it cannot be, everything stays as it was."""
    (tmp_path / "release").write_text("old")

    def noted():
        assert (tmp_path / "release").read_text() == "old"
        raise OSError(28, "No space left on device")

    with Staging(tmp_path) as staging:
        made = staging.beside(tmp_path / "release")
        made.write_text("new")
        with pytest.raises(Exception, match="No space left"):
            staging.place([Move(made, tmp_path / "release", last=True)], before=noted)
    assert (tmp_path / "release").read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["release"]
