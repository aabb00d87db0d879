//! `setup zellij`: the plugin, its layouts, its lines in zellij's settings, and its permissions.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use muxinbox_core::session::sha256_hex;

use super::shown;
use crate::cli::Setup as Arguments;
use crate::clock;
use crate::cmd::Failure;
use crate::edit::Edit;
use crate::edit::block::Marks;
use crate::edit::kdl::{Node, parse, quoted};
use crate::edit::kept::Kept;
use crate::output::{Output, ask, say, say_raw};
use crate::paths::Places;
use crate::zellij::{PERMISSIONS, Zellij, version_in};

/// The layouts that are copied.
const LAYOUTS: [(&str, &str); 3] = [
    ("muxinbox.kdl", include_str!("../../../../layouts/muxinbox.kdl")),
    ("muxinbox-floating.kdl", include_str!("../../../../layouts/muxinbox-floating.kdl")),
    ("muxinbox-status.kdl", include_str!("../../../../layouts/muxinbox-status.kdl")),
];

/// Our blocks in the settings.
const OPTION: Marks = Marks { comment: "//", name: "muxinbox" };
const PLUGINS: Marks = Marks { comment: "//", name: "muxinbox plugins" };
const KEYS: Marks = Marks { comment: "//", name: "muxinbox keys" };

const OPTION_LINES: &str = "\
// A click on a row acts at once, also while another pane has the focus.
mouse_click_through true
";

/// The keys, what each does in words, and in zellij's.
const BINDS: [(&str, &str, &str); 3] = [
    ("F6", "The session that has waited longest for you.", "next"),
    ("F7", "To the sidebar, and back.", "toggle"),
    ("F8", "The inbox as a floating pane.", ""),
];

pub(super) fn run(
    arguments: &Arguments,
    places: &Places,
    output: &mut Output,
) -> Result<(), Failure> {
    let zellij = Zellij::find(&places.home, arguments.file.as_deref());
    let mut plan = Plan::default();
    plugin(arguments, places, &zellij, &mut plan);
    for (name, text) in LAYOUTS {
        layout(arguments, places, &zellij.layouts.join(name), text, &mut plan);
    }
    settings(arguments, &zellij, &mut plan);
    grant(arguments, places, &zellij, &mut plan);
    plan.carry_out(arguments, places, output)?;
    if arguments.apply {
        output.line("Start it with: zellij --layout muxinbox")?;
        output.line("A session that runs already keeps its layout: muxinbox doctor tells which tabs have no sidebar.")?;
    }
    Ok(())
}

/// All that is to be done, and what cannot.
#[derive(Default)]
struct Plan {
    steps: Vec<Step>,
    notes: Vec<String>,
    /// Each a sentence, and lines to be put in by hand.
    problems: Vec<(String, String)>,
}

/// One file that changes.
struct Step {
    edit: Edit,
    /// The change as people read it.
    shown: String,
    kept: Option<Kept>,
}

impl Plan {
    fn problem(&mut self, sentence: impl Into<String>) {
        self.problems.push((sentence.into(), String::new()));
    }

    /// Opens a file to be changed.
    fn open(&mut self, path: &Path) -> Option<Edit> {
        Edit::open(path).map_err(|why| self.problem(why)).ok()
    }

    fn step(&mut self, edit: Edit, kept: Option<Kept>) {
        if edit.is_change() {
            let shown = edit.diff();
            self.steps.push(Step { edit, shown, kept });
        }
    }

    fn carry_out(
        self,
        arguments: &Arguments,
        places: &Places,
        output: &mut Output,
    ) -> Result<(), Failure> {
        for step in &self.steps {
            output.raw(step.shown.as_bytes())?;
        }
        output.flush()?;
        let is_done = self.steps.is_empty() && self.problems.is_empty();
        if is_done {
            output.line(if arguments.undo {
                "zellij holds nothing of muxinbox."
            } else {
                "zellij is set up already."
            })?;
        }
        for note in &self.notes {
            output.line(note)?;
        }
        let mut result = Ok(());
        for (sentence, lines) in &self.problems {
            say(sentence);
            if !lines.is_empty() {
                say_raw(lines);
            }
            result = Err(Failure::Said);
        }
        if arguments.check {
            if !self.steps.is_empty() {
                say("it is not set up: the same with --apply makes this change");
                result = Err(Failure::Said);
            }
            return result;
        }
        for step in self.steps {
            step.apply(arguments, places, output)?;
        }
        result
    }
}

impl Step {
    fn apply(
        self,
        arguments: &Arguments,
        places: &Places,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Self { edit, kept, .. } = self;
        if let Some(folder) = edit.path().parent() {
            std::fs::create_dir_all(folder)?;
        }
        let backup = edit.apply(&places.state.join("backups"), clock::now());
        let backup = backup.map_err(Failure::Failed)?;
        if let Some(kept) = kept {
            match edit.after() {
                Some(after) if !arguments.undo => kept.keep(edit.before(), after)?,
                Some(_) | None => kept.forget(),
            }
        }
        let was = backup.map_or_else(String::new, |it| format!(" As it was: {}.", shown(&it)));
        Ok(output.line(&format!("{} was changed.{was}", shown(edit.path())))?)
    }
}

/// What a whole file of ours was before.
fn kept(places: &Places, path: &Path) -> Kept {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let hash = sha256_hex(path.to_string_lossy().as_bytes());
    let hash = hash.get(..8).unwrap_or_default();
    Kept { folder: places.state.join("setup"), name: format!("zellij-{hash}-{name}") }
}

/// Gives a whole file back as it was.
fn give_back(edit: &mut Edit, kept: &Kept, plan: &mut Plan) {
    let before = edit.before().map(<[u8]>::to_vec);
    match kept.original(before.as_deref()) {
        Some(original) => edit.set(original),
        None if kept.is_kept() && before.is_some() => {
            let file = shown(edit.path());
            plan.notes.push(format!("{file} was changed since, so it is left as it is."));
        }
        None => {}
    }
}

/// The plugin's file.
fn plugin(arguments: &Arguments, places: &Places, zellij: &Zellij, plan: &mut Plan) {
    let Some(mut edit) = plan.open(&zellij.plugin) else { return };
    let kept = kept(places, &zellij.plugin);
    let mut said = "goes".to_owned();
    if arguments.undo {
        give_back(&mut edit, &kept, plan);
    } else {
        match found(arguments.wasm.as_deref()) {
            Ok(Some((from, bytes))) => {
                let version = version_in(&bytes).unwrap_or_default();
                said = format!("version {version}, {} bytes of {}", bytes.len(), shown(&from));
                edit.set(Some(bytes));
            }
            Ok(None) if edit.before().is_some() => {}
            Ok(None) => {
                return plan.problem(
                    "the plugin's file is not beside this program: name it with --wasm FILE (it is built by: cargo \
                     build --release --target wasm32-wasip1 -p muxinbox-zellij)",
                );
            }
            Err(why) => return plan.problem(why),
        }
    }
    if edit.is_change() {
        let was = if edit.before().is_some() { shown(edit.path()) } else { "(no file)".to_owned() };
        let shown = format!("--- {was}\n+++ {}\n+the plugin: {said}\n", shown(edit.path()));
        plan.steps.push(Step { edit, shown, kept: Some(kept) });
    }
}

/// The plugin's file to be copied.
fn found(named: Option<&Path>) -> Result<Option<(PathBuf, Vec<u8>)>, String> {
    let candidates = match named {
        Some(named) => vec![named.to_owned()],
        None => {
            let program = std::env::current_exe().unwrap_or_default();
            let folder = program.parent().unwrap_or_else(|| Path::new("/"));
            [
                "muxinbox.wasm",
                "muxinbox-zellij.wasm",
                "../share/muxinbox/muxinbox.wasm",
                "../wasm32-wasip1/release/muxinbox-zellij.wasm",
            ]
            .map(|name| folder.join(name))
            .into()
        }
    };
    for path in candidates {
        match std::fs::read(&path) {
            Ok(bytes) if version_in(&bytes).is_some() && bytes.starts_with(b"\0asm") => {
                return Ok(Some((path, bytes)));
            }
            Ok(_) if named.is_some() => {
                return Err(format!("{} is no muxinbox plugin", shown(&path)));
            }
            Err(error) if named.is_some() => {
                return Err(format!("{} cannot be read ({error})", shown(&path)));
            }
            Ok(_) | Err(_) => {}
        }
    }
    Ok(None)
}

/// A layout.
fn layout(arguments: &Arguments, places: &Places, path: &Path, text: &str, plan: &mut Plan) {
    let Some(mut edit) = plan.open(path) else { return };
    let kept = kept(places, path);
    if arguments.undo {
        give_back(&mut edit, &kept, plan);
    } else {
        let before = edit.before().map(<[u8]>::to_vec);
        let is_ours = kept.original(before.as_deref()).is_some();
        if before.as_ref().is_none_or(|before| is_ours || before == text.as_bytes()) {
            edit.set(Some(text.as_bytes().to_vec()));
        } else {
            plan.notes.push(format!("{} is your own, so it is left as it is.", shown(path)));
        }
    }
    plan.step(edit, Some(kept));
}

/// Our lines in zellij's settings.
fn settings(arguments: &Arguments, zellij: &Zellij, plan: &mut Plan) {
    let Some(mut edit) = plan.open(&zellij.config) else { return };
    let before = edit.before().map(<[u8]>::to_vec);
    let result = if arguments.undo {
        let marks = [KEYS, PLUGINS, OPTION];
        marks.into_iter().try_fold(before, |bytes, marks| marks.take(bytes.as_deref()))
    } else {
        let settings = zellij.location().and_then(|at| Settings::new(&at).put(before));
        settings.map(|(bytes, notes)| {
            plan.notes.extend(notes);
            bytes
        })
    };
    match result {
        Ok(after) => {
            edit.set(after);
            plan.step(edit, None);
        }
        Err(why) => {
            let file = shown(&zellij.config);
            let lines = match zellij.location() {
                Ok(location) if !arguments.undo => Settings::new(&location).whole(),
                Ok(_) | Err(_) => String::new(),
            };
            let by_hand = if lines.is_empty() { "" } else { "; by hand these go in:" };
            plan.problems.push((format!("{file} is left as it is: {why}{by_hand}"), lines));
        }
    }
}

/// What is put into zellij's settings.
struct Settings {
    aliases: String,
}

impl Settings {
    fn new(location: &str) -> Self {
        let location = quoted(location);
        let aliases = format!(
            "    muxinbox location={location} {{\n        cwd \"/\"\n    }}\n    muxinbox-status \
             location={location} {{\n        cwd \"/\"\n        mode \"status\"\n    }}\n"
        );
        Self { aliases }
    }

    /// All of it, as an empty file would get it.
    fn whole(&self) -> String {
        let keys = keys(|_| true);
        format!("{OPTION_LINES}plugins {{\n{}}}\nkeybinds {{\n{keys}}}\n", self.aliases)
    }

    /// The file with our blocks, and what is to be told of it.
    fn put(&self, bytes: Option<Vec<u8>>) -> Result<(Option<Vec<u8>>, Vec<String>), String> {
        let mut notes = Vec::new();
        let marks = [KEYS, PLUGINS, OPTION];
        let plain =
            marks.into_iter().try_fold(bytes.clone(), |it, marks| marks.take(it.as_deref()))?;
        let plain = String::from_utf8(plain.unwrap_or_default())
            .map_err(|_utf8| "it is no UTF-8; write it anew as UTF-8".to_owned())?;
        let nodes = parse(&plain)?;
        let mut bytes = bytes;
        match nodes.iter().find(|node| node.name == "mouse_click_through") {
            Some(node) if node.args.first().is_some_and(|arg| arg == "true") => {}
            Some(_) => notes.push(
                "mouse_click_through is false in your settings: a first click on a row only focuses the sidebar."
                    .to_owned(),
            ),
            None => bytes = Some(OPTION.put(bytes.as_deref(), OPTION_LINES)?),
        }
        let has_alias =
            |node: &&Node| node.name == "plugins" && is_named(node.children(), "muxinbox");
        if nodes.iter().any(|node| has_alias(&node)) {
            notes.push(
                "The plugin alias muxinbox is in your settings already: it is left as it is."
                    .to_owned(),
            );
        } else {
            bytes = Some(into(bytes, PLUGINS, "plugins", &self.aliases)?);
        }
        let taken = |key: &str| nodes.iter().any(|it| it.name == "keybinds" && binds(it, key));
        for (key, what, _) in BINDS.into_iter().filter(|(key, ..)| taken(key)) {
            notes.push(format!("{key} is a key of yours, so it is left out: {what}"));
        }
        let keys = keys(|key| !taken(key));
        if keys.is_empty() {
            let taken = KEYS.take(bytes.as_deref())?;
            return Ok((taken, notes));
        }
        Ok((Some(into(bytes, KEYS, "keybinds", &keys)?), notes))
    }
}

fn is_named(nodes: &[Node], name: &str) -> bool {
    nodes.iter().any(|node| node.name == name)
}

/// Whether a key is bound anywhere in here.
fn binds(node: &Node, key: &str) -> bool {
    let is_it = node.name == "bind" && node.args.iter().any(|arg| arg == key);
    is_it || node.children().iter().any(|child| binds(child, key))
}

/// The keys that are wanted; nothing when none is.
fn keys(is_wanted: impl Fn(&str) -> bool) -> String {
    let bind = |(key, what, payload): (&str, &str, &str)| {
        let act = if payload.is_empty() {
            "LaunchOrFocusPlugin \"muxinbox\" {\n                floating true\n                \
             move_to_focused_tab true\n            }"
                .to_owned()
        } else {
            format!(
                "MessagePlugin \"muxinbox\" {{\n                name \"muxinbox\"\n                \
                 payload {}\n            }}",
                quoted(payload)
            )
        };
        format!(
            "        // {what}\n        bind {} {{\n            {act}\n        }}\n",
            quoted(key)
        )
    };
    let binds: String = BINDS.into_iter().filter(|(key, ..)| is_wanted(key)).map(bind).collect();
    if binds.is_empty() {
        return binds;
    }
    format!("    shared_except \"locked\" {{\n{binds}    }}\n")
}

/// Puts a block into the braces of the only node of this name, or a node of its own at the end.
fn into(bytes: Option<Vec<u8>>, marks: Marks, name: &str, lines: &str) -> Result<Vec<u8>, String> {
    let text = bytes.as_deref().unwrap_or_default();
    let place = marks.place(text)?;
    let base = marks.take(bytes.as_deref())?;
    let utf8 = |_| "it is no UTF-8; write it anew as UTF-8".to_owned();
    let plain = String::from_utf8(base.clone().unwrap_or_default()).map_err(utf8)?;
    let nodes = parse(&plain)?;
    let homes: Vec<&Node> = nodes.iter().filter(|node| node.name == name).collect();
    match homes.as_slice() {
        [] => {
            let lines = format!("{name} {{\n{lines}}}\n");
            let is_outside = |at: &usize| {
                nodes.iter().all(|node| *at <= node.span.start || *at >= node.span.end)
            };
            match place.filter(is_outside) {
                Some(_) => marks.put(bytes.as_deref(), &lines),
                None => marks.put(base.as_deref(), &lines),
            }
        }
        [home] => {
            let block = home.block.as_ref().ok_or_else(|| {
                format!("its node `{name}` has no braces; write: {name} {{, a line end, and }}")
            })?;
            let head = plain.get(..block.close).unwrap_or_default();
            let line = head.rfind('\n').map_or(0, |at| at.saturating_add(1));
            let is_alone = head.get(line..).is_some_and(|rest| rest.trim().is_empty());
            if !is_alone || line <= block.open {
                return Err(format!(
                    "the closing brace of `{name}` does not stand on a line of its own: give it one"
                ));
            }
            match place.filter(|at| (block.open..=line).contains(at)) {
                Some(_) => marks.put(bytes.as_deref(), lines),
                None => marks.put_at(plain.as_bytes(), lines, line),
            }
        }
        _ => Err(format!(
            "it has several nodes `{name}`, of which zellij reads the first: make them one"
        )),
    }
}

/// The permissions.
fn grant(arguments: &Arguments, places: &Places, zellij: &Zellij, plan: &mut Plan) {
    let Some(mut edit) = plan.open(&zellij.grants) else { return };
    let kept = kept(places, &zellij.grants);
    let before = edit.before().map(<[u8]>::to_vec);
    let text = String::from_utf8_lossy(before.as_deref().unwrap_or_default()).into_owned();
    let malformed = |why: String| format!("{} is left as it is: {why}", shown(&zellij.grants));
    if arguments.undo {
        if !kept.is_kept() {
            return;
        }
        match kept.original(before.as_deref()) {
            Some(original) => edit.set(original),
            // zellij has written it anew since.
            None => match zellij.ungranting(&text) {
                Ok(after) => edit.set(before.map(|_| after.into_bytes())),
                Err(why) => return plan.problem(malformed(why)),
            },
        }
        return plan.step(edit, Some(kept));
    }
    if zellij.missing().is_empty() {
        return;
    }
    match zellij.granting(&text) {
        Ok(after) => edit.set(Some(after.into_bytes())),
        Err(why) => return plan.problem(malformed(why)),
    }
    if arguments.grant || (arguments.apply && agrees(zellij)) {
        return plan.step(edit, Some(kept));
    }
    plan.notes.push(
        "The plugin is not granted its permissions: the sidebar asks for them when you press Enter in it, or the same \
         with --grant grants them."
            .to_owned(),
    );
}

/// Tells the permissions, and waits for a yes. Nobody is asked where nobody can answer.
fn agrees(zellij: &Zellij) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    say_raw(&format!("{} needs these permissions of zellij:", shown(&zellij.plugin)));
    for (name, why) in PERMISSIONS {
        say_raw(&format!("    {name}: {why}"));
    }
    ask("Grant them? [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

#[cfg(test)]
mod tests;
