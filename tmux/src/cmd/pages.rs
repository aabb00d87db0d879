//! Completions and the man page, both made from the command line's own description.

use clap::CommandFactory;
use clap_complete::Shell;

use super::Failure;
use crate::cli::Cli;
use crate::output::Output;

/// `completions SHELL`.
pub(super) fn completions(shell: Shell, output: &mut Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    // Verbs that only muxinbox itself uses would be offered, hidden or not.
    let all = Cli::command();
    let mut shown = clap::Command::new("muxinbox")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(all.get_arguments())
        .subcommands(all.get_subcommands().filter(|verb| !verb.is_hide_set()));
    clap_complete::generate(shell, &mut shown, "muxinbox", &mut script);
    Ok(output.raw(&script)?)
}

/// `man`: one page, with a section for each verb.
pub(super) fn man(output: &mut Output) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    // All but the list of verbs, which names a page for each.
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_extra_section(&mut page)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        // What every verb has was told above.
        let is_common = |arg: &clap::Arg| ["help", "color"].contains(&arg.get_id().as_str());
        let verb = verb.clone().mut_args(|arg| {
            let is_hidden = arg.is_hide_set() || is_common(&arg);
            arg.hide(is_hidden)
        });
        let has_options = verb.get_arguments().any(|arg| !arg.is_hide_set());
        let name = format!("muxinbox {}", verb.get_name());
        page.extend_from_slice(format!(".SH \"{}\"\n", name.to_uppercase()).as_bytes());
        let man = clap_mangen::Man::new(verb);
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        if has_options {
            man.render_options_section(&mut page)?;
        }
    }
    Ok(output.raw(&page)?)
}
