//! `setup`: puts muxinbox into the settings of another program, and takes it out again.

pub(super) mod claude;
mod zellij;

use std::path::{Path, PathBuf};

use muxinbox_core::text::sanitize;

use super::Failure;
use crate::cli::{Setup as Arguments, SetupOf};
use crate::clock;
use crate::edit::Edit;
use crate::edit::block::Marks;
use crate::marks;
use crate::output::{Output, say};
use crate::paths::{Places, variable};
use crate::resume::quote;
use crate::tmux::Tmux;

/// The block in a tmux.conf.
const TMUX: Marks = Marks { comment: "#", name: "muxinbox" };

pub(super) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let places = Places::find()?;
    let is_for_zellij = arguments.grant || arguments.wasm.is_some();
    if is_for_zellij && arguments.what != SetupOf::Zellij {
        return Err(Failure::Usage("--grant and --wasm go with: setup zellij".to_owned()));
    }
    let is_for_claude = arguments.statusline || arguments.plugin;
    if is_for_claude && arguments.what != SetupOf::Claude {
        return Err(Failure::Usage("--statusline and --plugin go with: setup claude".to_owned()));
    }
    match arguments.what {
        SetupOf::Tmux => tmux(arguments, &places, output),
        SetupOf::Claude => claude::run(arguments, &places, output),
        SetupOf::Zellij => zellij::run(arguments, &places, output),
    }
}

fn tmux(arguments: &Arguments, places: &Places, output: &mut Output) -> Result<(), Failure> {
    let path = match &arguments.file {
        Some(path) => std::path::absolute(path)?,
        None => tmux_conf(places, variable("XDG_CONFIG_HOME").map(PathBuf::from).as_deref()),
    };
    let mut edit = Edit::open(&path).map_err(Failure::Failed)?;
    let lines = block(&own_path()?);
    let refuse = |why: String| Failure::Failed(format!("{} is left as it is: {why}", shown(&path)));
    let after = if arguments.undo {
        TMUX.take(edit.before()).map_err(refuse)?
    } else {
        Some(TMUX.put(edit.before(), &lines).map_err(refuse)?)
    };
    edit.set(after);
    step(arguments, &edit, &places.state.join("backups"), output)?;
    let again = format!("tmux source-file {}", quote(&path.to_string_lossy()));
    if arguments.apply && edit.is_change() {
        output.line(&format!("A tmux that runs already reads it with: {again}"))?;
    }
    if arguments.undo {
        if let Some(mut server) = Tmux::of_environment() {
            marks::clear(&mut server).map_err(Failure::Failed)?;
            output.line("What this tmux showed of sessions was taken away.")?;
        }
        if edit.is_change() {
            output.line(&format!(
                "Its keys stay bound in a tmux that runs already, until: tmux unbind-key {KEY}; tmux unbind-key {NEXT_KEY}"
            ))?;
        }
    }
    Ok(())
}

/// Shows the change, and makes it unless it was only asked about.
fn step(
    arguments: &Arguments,
    edit: &Edit,
    backups: &Path,
    output: &mut Output,
) -> Result<(), Failure> {
    let file = shown(edit.path());
    if !edit.is_change() {
        return Ok(output.line(&if arguments.undo {
            format!("{file} holds nothing of muxinbox.")
        } else {
            format!("{file} is set up already.")
        })?);
    }
    output.raw(edit.diff().as_bytes())?;
    output.flush()?;
    if arguments.check {
        say("it is not set up: the same with --apply makes this change");
        return Err(Failure::Said);
    }
    let kept = edit.apply(backups, clock::now()).map_err(Failure::Failed)?;
    let kept = kept.map_or_else(String::new, |kept| format!(" As it was: {}.", shown(&kept)));
    Ok(output.line(&format!("{file} was changed.{kept}"))?)
}

/// The file of settings that tmux reads: the first that is there, else the oldest name of it. It
/// reads all of them.
fn tmux_conf(places: &Places, xdg: Option<&Path>) -> PathBuf {
    let xdg = xdg.filter(|folder| folder.is_absolute()).map(|it| it.join("tmux/tmux.conf"));
    let candidates = [
        Some(places.home.join(".tmux.conf")),
        xdg,
        Some(places.home.join(".config/tmux/tmux.conf")),
    ];
    let mut candidates = candidates.into_iter().flatten();
    let is_there = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
    candidates.find(is_there).unwrap_or_else(|| places.home.join(".tmux.conf"))
}

/// The keys after the prefix: neither tmux nor its plugin manager has them by default.
const KEY: &str = "b";
const NEXT_KEY: &str = "B";

/// The lines of the block, for a binary at this path.
fn block(program: &str) -> String {
    let bind = |key: &str, what: &str| {
        let failed = "tmux display-message -c '#{client_name}' 'muxinbox: see muxinbox doctor'";
        let command = format!(
            "{} {what} --client '#{{client_name}}' || {failed}",
            quote(&program.replace('#', "##"))
        );
        format!("bind-key {key} run-shell -b {}\n", quoted(&command))
    };
    format!(
        "# Written by `muxinbox setup tmux --apply`; `--undo` takes it out again.\n\
         # The inbox, and the session that has waited longest:\n{}{}\
         # In a status line of yours: #{{@muxinbox_summary}}, #{{@muxinbox_waiting}}, and in\n\
         # window-status-format #{{@muxinbox_state}}.\n",
        bind(KEY, "popup"),
        bind(NEXT_KEY, "next --go"),
    )
}

/// The path of this program, as long as it is a text.
fn own_path() -> Result<String, Failure> {
    let path = std::env::current_exe()?;
    let path = path.to_str().filter(|path| !path.contains(['\n', '\r']));
    path.map(str::to_owned)
        .ok_or_else(|| Failure::Failed("the path of muxinbox is no text".to_owned()))
}

/// A word for a tmux.conf.
fn quoted(word: &str) -> String {
    let mut quoted = String::from('"');
    for char in word.chars() {
        if ['"', '\\', '$'].contains(&char) {
            quoted.push('\\');
        }
        quoted.push(char);
    }
    quoted.push('"');
    quoted
}

fn shown(path: &Path) -> String {
    sanitize(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_arrives_as_it_is() {
        assert_eq!(quote("/usr/bin/muxinbox"), "/usr/bin/muxinbox");
        assert_eq!(quote("/a b'c/$x"), r"'/a b'\''c/$x'");
        assert_eq!(quoted(r#"'a"\$'"#), r#""'a\"\\\$'""#);
        let lines = block("/opt/a b#{x}/muxinbox");
        assert!(lines.contains(r##""'/opt/a b##{x}/muxinbox' popup --client"##), "{lines}");
        assert!(lines.lines().all(|line| line.starts_with('#') || line.starts_with("bind-key ")));
    }

    #[test]
    fn the_file_is_the_one_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let (config, state, cache) = (home.join("c"), home.join("s"), home.join("k"));
        let places = Places { home: home.clone(), config, state, cache };
        let xdg = home.join("xdg");
        let found = || tmux_conf(&places, Some(&xdg)).strip_prefix(&home).unwrap().to_owned();
        assert_eq!(found(), Path::new(".tmux.conf"));
        for (file, expected) in [
            (".config/tmux/tmux.conf", ".config/tmux/tmux.conf"),
            ("xdg/tmux/tmux.conf", "xdg/tmux/tmux.conf"),
            (".tmux.conf", ".tmux.conf"),
        ] {
            let path = home.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
            assert_eq!(found(), Path::new(expected));
        }
    }
}
