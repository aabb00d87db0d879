//! Names of things on a tmux server, parsed strictly: nothing else can be the target of a command.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $sigil:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(u32);

        impl $name {
            /// The sigil and a number, and nothing else.
            pub(crate) fn parse(text: &str) -> Option<Self> {
                number(text.strip_prefix($sigil)?).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($sigil, "{}"), self.0)
            }
        }
    };
}

id! {
    /// `$3`.
    SessionId, '$'
}
id! {
    /// `@7`.
    WindowId, '@'
}
id! {
    /// `%12`.
    PaneId, '%'
}

fn number(digits: &str) -> Option<u32> {
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

/// A client, by the name that tmux gave it: the path of its terminal, or `client-PID`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClientName(String);

impl ClientName {
    /// A name that tmux gives.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('/').or_else(|| text.strip_prefix("client-"))?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
        (!rest.is_empty() && rest.bytes().all(is_plain)).then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for ClientName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A pane as it is seen from one session: its window may be linked into several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) session: SessionId,
    pub(crate) window: WindowId,
    pub(crate) pane: PaneId,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}.{}", self.session, self.window, self.pane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_are_ids() {
        assert_eq!(PaneId::parse("%12").unwrap().to_string(), "%12");
        assert_eq!(WindowId::parse("@0").unwrap().to_string(), "@0");
        assert_eq!(SessionId::parse("$3").unwrap().to_string(), "$3");
        for text in ["", "%", "12", "%-1", "%+1", "% 1", "%1 ", "@1", "%1.2", "%99999999999", "%a"]
        {
            assert_eq!(PaneId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn clients_have_the_names_that_tmux_gives() {
        for text in ["/dev/pts/3", "/dev/ttys001", "client-1234"] {
            assert_eq!(ClientName::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "/", "-t", "=x", "/dev/pts/3;x", "/dev/#(touch x)", "a b"] {
            assert_eq!(ClientName::parse(text), None, "{text}");
        }
    }
}
