//! The branch of a folder, read from git's own files.

use std::path::{Path, PathBuf};

use super::file::{read, under};

/// A folder this deep beneath its repository is not looked for any further.
const DEEPEST: usize = 64;

/// The branch checked out in a folder: its name, the branch being rebased, or the first 7 hex
/// digits of a detached commit. `None` when the folder is not in git.
pub(super) fn branch(root: &Path, folder: &Path) -> Option<String> {
    let git = git_folder(root, folder)?;
    for rebase in ["rebase-merge", "rebase-apply"] {
        if let Some(name) = line(&git.join(rebase).join("head-name")) {
            return Some(short(&name).to_owned());
        }
    }
    let head = line(&git.join("HEAD"))?;
    match head.strip_prefix("ref:") {
        Some(name) => Some(short(name.trim()).to_owned()),
        None if head.len() >= 7 && head.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            head.get(..7).map(str::to_owned)
        }
        None => None,
    }
}

/// The git folder of the repository or worktree that a folder is in.
fn git_folder(root: &Path, folder: &Path) -> Option<PathBuf> {
    for above in folder.ancestors().take(DEEPEST) {
        let dot = under(root, above).join(".git");
        if dot.is_dir() {
            return Some(dot);
        }
        if let Some(gitdir) =
            line(&dot).and_then(|text| Some(text.strip_prefix("gitdir:")?.trim().to_owned()))
        {
            return Some(under(root, &above.join(gitdir)));
        }
    }
    None
}

fn line(path: &Path) -> Option<String> {
    let text = String::from_utf8(read(path).ok()?).ok()?;
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}

fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], folder: &str, expected: Option<&str>) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(branch(root.path(), Path::new(folder)).as_deref(), expected);
    }

    #[test]
    fn a_branch_is_read_wherever_git_keeps_it() {
        let on_main = ("p/.git/HEAD", "ref: refs/heads/feat/x\n");
        check(&[on_main], "/p", Some("feat/x"));
        check(&[on_main], "/p/src/deep", Some("feat/x"));
        check(&[on_main], "/q", None);
        check(
            &[("p/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n")],
            "/p",
            Some("0123456"),
        );
        check(&[("p/.git/HEAD", "junk")], "/p", None);
        check(
            &[("p/.git/HEAD", "0123456789ab"), ("p/.git/rebase-merge/head-name", "refs/heads/y\n")],
            "/p",
            Some("y"),
        );
        let worktree = ("p/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
        check(&[worktree, ("w/.git", "gitdir: /p/.git/worktrees/w\n")], "/w/a", Some("w"));
        check(&[worktree, ("p/wt/.git", "gitdir: ../.git/worktrees/w")], "/p/wt", Some("w"));
    }
}
