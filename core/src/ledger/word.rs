//! The words that a ledger's fields hold: kinds, statuses, actors.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::loose::{Got, Read, word};

/// Makes an enum of words that are kept as they are when they are not known.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A word that this build does not know.
            Other(String),
        }

        impl $name {
            /// The word as it stands in the log.
            #[must_use]
            pub fn word(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)*
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Other(String::new())
            }
        }

        impl Read for $name {
            fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
                word(from)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.word())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Ok(Self::read(from)?.value().unwrap_or_default())
            }
        }
    };
}

words! {
    /// What sort of open thing an item is.
    Kind {
        /// A turn died.
        Stopped = "stopped",
        /// A command that failed.
        Check = "check",
        /// A question to the person.
        Question = "question",
        /// Something only the person can do.
        Task = "task",
        /// Something is wrong.
        Issue = "issue",
        /// Something could be better.
        Opportunity = "opportunity",
        /// Claimed, never run.
        Unverified = "unverified",
        /// What the person wants.
        Ask = "ask",
        /// Background work.
        Running = "running",
    }
}

words! {
    /// Where an item stands. `later` is neither open nor closed.
    Status {
        /// Open.
        Open = "open",
        /// Set aside by the person until they wrap up.
        Later = "later",
        /// Closed: it is settled.
        Done = "done",
        /// Closed: nobody wants it any more.
        Dropped = "dropped",
    }
}

words! {
    /// Who opened or closed an item.
    Actor {
        /// The person.
        You = "you",
        /// A model's read of a prompt or a reply.
        Audit = "audit",
        /// The assistant, through the tool.
        Claude = "claude",
        /// Signals of the program itself.
        Engine = "engine",
    }
}

words! {
    /// How far a background look is.
    CheckState {
        /// Under way.
        Running = "running",
        /// Finished.
        Back = "back",
    }
}

words! {
    /// What a background look found.
    Verdict {
        /// It holds.
        Passed = "passed",
        /// It does not.
        Failed = "failed",
        /// It could not be told.
        Unclear = "unclear",
    }
}
