//! muxinbox: the inbox of background coding sessions as a popup and on the command line.

mod attach;
mod cli;
mod clock;
mod cmd;
mod edit;
mod endings;
mod exec;
mod hands;
mod headless;
mod hook;
mod keyboard;
mod ledgers;
mod log;
mod marks;
mod mcp;
mod output;
mod paths;
mod perform;
mod quiet;
mod resolve;
mod resume;
mod rows;
mod run;
mod seat;
mod setup;
mod statusline;
mod tell;
mod terminal;
mod tmux;
mod watch;
mod zellij;
mod zone;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // Sessions wait for these, so they come before everything else.
    let mut arguments = std::env::args_os().skip(1);
    let words = [arguments.next(), arguments.next(), arguments.next()];
    match words.each_ref().map(Option::as_deref) {
        [Some(verb), None, None] if verb == "hook" => return hook::run(),
        [Some(verb), None, None] if verb == "mcp" => return mcp::run(),
        [Some(verb), state, key] if verb == hook::DERIVE => return hook::derive(state, key),
        [Some(verb), None, None] if verb == "statusline" => return statusline::run(&[]),
        [Some(verb), Some(dashes), Some(program)] if verb == "statusline" && dashes == "--" => {
            let argv: Vec<_> = std::iter::once(program.to_owned()).chain(arguments).collect();
            return statusline::run(&argv);
        }
        _ => {}
    }
    let cli = cli::Cli::parse();
    if let Some(cli::Verb::Exec { argv }) = &cli.verb {
        output::say_raw(&exec::become_program(argv));
        return ExitCode::from(127);
    }
    cmd::run(cli)
}
