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
mod keyboard;
mod log;
mod marks;
mod output;
mod paths;
mod perform;
mod resolve;
mod rows;
mod run;
mod seat;
mod setup;
mod tell;
mod terminal;
mod tmux;
mod watch;
mod zone;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    if let Some(cli::Verb::Exec { argv }) = &cli.verb {
        output::say_raw(&exec::become_program(argv));
        return ExitCode::from(127);
    }
    cmd::run(cli)
}
