//! The verbs of the command line, one file each.

mod pages;

use std::process::ExitCode;

use crate::cli::{Cli, Verb};
use crate::output::{Output, say};

/// How a verb ended that did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It went wrong, in one sentence with the way to mend it. Exit status 1.
    Failed(String),
    /// It was not understood. Exit status 2.
    Usage(String),
    /// Nobody reads what is printed.
    Unread,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::Unread
        } else {
            Self::Failed(format!("the output cannot be written: {error}"))
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(format!("{error:#}"))
    }
}

/// Carries a command line out.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let mut output = Output::new(cli.color);
    let result = verb(cli.verb, &mut output).and_then(|()| Ok(output.flush()?));
    match result {
        Ok(()) | Err(Failure::Unread) => ExitCode::SUCCESS,
        Err(Failure::Failed(sentence)) => {
            let _ = output.flush();
            say(&sentence);
            ExitCode::FAILURE
        }
        Err(Failure::Usage(sentence)) => {
            let _ = output.flush();
            say(&sentence);
            ExitCode::from(2)
        }
    }
}
fn verb(verb: Option<Verb>, output: &mut Output) -> Result<(), Failure> {
    match verb {
        Some(Verb::Completions { shell }) => pages::completions(shell, output),
        Some(Verb::Man) => pages::man(output),
        _ => Ok(()),
    }
}
