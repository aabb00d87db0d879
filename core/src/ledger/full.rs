//! An item in full: everything about it that is worth a line, and where in the ledger it stands.

use serde::Serialize;

use super::fold::Ledger;
use super::label::label_of;
use super::section::sections_of;
use super::word::{Status, Verdict};

/// A background look, as far as it is worth telling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// What it found, or `running` when it has found nothing yet.
    pub verdict: String,
    /// In words.
    pub found: String,
}

/// Everything about an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Full {
    /// Its id.
    pub id: String,
    /// The words for its kind.
    pub kind: String,
    /// What it is about.
    pub title: String,
    /// The word for where it stands.
    pub status: String,
    /// Section and heading.
    pub r#where: String,
    /// Where it comes from.
    pub from: String,
    /// Why it matters.
    pub why: String,
    /// What settles it.
    pub to_close: String,
    /// A question's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<String>>,
    /// A command to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// A page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// A path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A background look that has something to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Seen>,
    /// What is done of the same goal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done_so_far: Vec<String>,
}

/// Where an item stands: section and heading. Empty when it is not in the ledger.
#[must_use]
pub fn place_of(ledger: &Ledger, id: &str) -> String {
    for section in sections_of(ledger) {
        for group in section.groups {
            if !group.rows.iter().any(|item| item.id == id) {
                continue;
            }
            let name = section.key.name();
            return match (group.heading, group.goal) {
                (None, _) => name.to_owned(),
                (Some(heading), None) => format!("{name} / {heading}"),
                (Some(heading), Some(goal)) => {
                    let progress = ledger.progress_of(&goal.id);
                    format!("{name} / {heading} ({} of {} done)", progress.done, progress.of)
                }
            };
        }
    }
    String::new()
}

/// Everything about an item, if there is one of this id.
#[must_use]
pub fn full_of(ledger: &Ledger, id: &str) -> Option<Full> {
    let item = ledger.item(id)?;
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let check = item.check.as_ref().and_then(|check| {
        let found = check.text.clone().filter(|text| !text.is_empty())?;
        let verdict = check.verdict.as_ref().map_or("running", Verdict::word).to_owned();
        Some(Seen { verdict, found })
    });
    let done_so_far = item.goal.as_deref().map_or_else(Vec::new, |goal| {
        ledger
            .items
            .iter()
            .filter(|other| other.status == Status::Done && other.goal.as_deref() == Some(goal))
            .map(|other| other.title.clone())
            .collect()
    });
    Some(Full {
        id: item.id.clone(),
        kind: label_of(item).to_owned(),
        title: item.title.clone(),
        status: item.status.word().to_owned(),
        r#where: place_of(ledger, id),
        from: item.from.clone(),
        why: item.why.clone(),
        to_close: item.close.clone(),
        answers: item.options.clone(),
        command: filled(&item.command),
        link: filled(&item.link),
        file: filled(&item.file),
        check,
        done_so_far,
    })
}
