//! Pull requests: their addresses, what `gh` says of them, and what is remembered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::fields::{Fields, object};
use super::{Parsed, Problem, fields};
use crate::time::Millis;

/// State of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names are GitHub's")]
pub enum PullState {
    Open,
    Draft,
    Merged,
    Closed,
}

impl PullState {
    /// GitHub's word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Draft => "DRAFT",
            Self::Merged => "MERGED",
            Self::Closed => "CLOSED",
        }
    }

    /// The state of GitHub's word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        [Self::Open, Self::Draft, Self::Merged, Self::Closed]
            .into_iter()
            .find(|state| state.word() == word)
    }

    /// Merged or closed.
    #[must_use]
    pub const fn is_resolved(self) -> bool {
        matches!(self, Self::Merged | Self::Closed)
    }
}

/// One pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Its address.
    pub url: String,
    /// Its number.
    pub number: Option<u64>,
    /// Its state, where known.
    pub state: Option<PullState>,
    /// Its title, where known.
    pub title: Option<String>,
    /// When it was merged or closed, where known.
    pub resolved_at: Option<Millis>,
}

impl Pull {
    /// A pull request of which only the address is known.
    #[must_use]
    pub fn of(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            number: Address::of(url).map(|address| address.number),
            state: None,
            title: None,
            resolved_at: None,
        }
    }

    /// What a row shows of it: `#123`, for a GitLab merge request `!123`, and `PR` when the address
    /// tells no number.
    #[must_use]
    pub fn badge(&self) -> String {
        let sign = if merge_request(&self.url).is_some() { '!' } else { '#' };
        let number = self.number.or_else(|| Address::of(&self.url).map(|address| address.number));
        number.map_or_else(|| "PR".to_owned(), |number| format!("{sign}{number}"))
    }

    /// Merged or closed, with the date: nobody needs to ask again.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.state.is_some_and(PullState::is_resolved) && self.resolved_at.is_some()
    }

    /// Takes a merged or closed one without a date for resolved when the session `began`. For a
    /// session's own copy, and only where no `gh` is there to ask for the date.
    pub fn assume_resolved(&mut self, began: Millis) {
        if self.state.is_some_and(PullState::is_resolved) && self.resolved_at.is_none() {
            self.resolved_at = Some(began);
        }
    }
}

/// The parts of a pull request's address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// `OWNER/REPO`; for GitLab the whole path of the project.
    pub repository: String,
    /// The number.
    pub number: u64,
}

impl Address {
    /// The parts of a GitHub pull request's or a GitLab merge request's address.
    #[must_use]
    pub fn of(url: &str) -> Option<Self> {
        pull_request(url).or_else(|| merge_request(url))
    }
}

/// Whether a person may link this: `https://github.com/OWNER/REPO/pull/NUMBER`, one final slash
/// allowed.
#[must_use]
pub fn is_acceptable(url: &str) -> bool {
    pull_request(url).is_some()
}

/// As [`is_acceptable`], with the reason of a refusal in one sentence, and the address without its
/// final slash.
pub fn accept(url: &str) -> Result<String, String> {
    if is_acceptable(url) {
        return Ok(url.strip_suffix('/').unwrap_or(url).to_owned());
    }
    Err(if merge_request(url).is_some() {
        "GitLab merge requests cannot be linked: their state cannot be asked for.".to_owned()
    } else {
        "A pull request is linked by its address: https://github.com/OWNER/REPO/pull/NUMBER."
            .to_owned()
    })
}

fn pull_request(url: &str) -> Option<Address> {
    let path = url.strip_prefix("https://github.com/")?;
    let mut parts = path.strip_suffix('/').unwrap_or(path).split('/');
    let (owner, repo) = (parts.next()?, parts.next()?);
    let (kind, number, end) = (parts.next()?, parts.next()?, parts.next());
    let is_plain = is_name(owner) && is_name(repo) && kind == "pull" && end.is_none();
    let number = digits(number).filter(|_| is_plain)?;
    Some(Address { repository: format!("{owner}/{repo}"), number })
}

fn merge_request(url: &str) -> Option<Address> {
    let (host, path) = url.strip_prefix("https://")?.split_once('/')?;
    let (project, number) = path.split_once("/-/merge_requests/")?;
    let number = digits(number.strip_suffix('/').unwrap_or(number))?;
    let is_plain = is_name(host) && project.split('/').all(is_name);
    is_plain.then(|| Address { repository: project.to_owned(), number })
}

fn is_name(part: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !part.is_empty() && part.bytes().all(is_allowed)
}

fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Reads the output of `gh pr view URL --json number,state,isDraft,title,url,closedAt`. `None`:
/// what was known stays.
#[must_use]
pub fn parse_view(url: &str, bytes: &[u8]) -> Parsed<Option<Pull>> {
    let map = match object(bytes, "The answer of gh") {
        Ok(map) => map,
        Err(problem) => return Parsed::unreadable(problem),
    };
    match answered(&map, Some(url)) {
        Ok(pull) => Parsed::clean(Some(pull)),
        Err(problem) => Parsed::unreadable(problem),
    }
}

/// Reads many pull requests at once: the array of `gh pr list --json ...`, or the answer to
/// [`batch_argv`]. A pull request that could not be read is left out and named.
#[must_use]
pub fn parse_batch(bytes: &[u8]) -> Parsed<Option<Vec<Pull>>> {
    let value = match fields::json(bytes, "The answer of gh") {
        Ok(value) => value,
        Err(problem) => return Parsed::unreadable(problem),
    };
    let mut problems: Vec<Problem> = value
        .get("errors")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|error| error.get("message").and_then(Value::as_str))
        .map(|message| Problem(format!("GitHub says: {message}")))
        .collect();
    let entries: Vec<&Value> = match &value {
        Value::Array(list) => list.iter().collect(),
        Value::Object(_) => match value.pointer("/data/repository") {
            Some(Value::Object(map)) => map.values().collect(),
            Some(_) | None => {
                problems.push(Problem("The answer of gh holds no repository.".to_owned()));
                return Parsed { value: None, problems };
            }
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Parsed::unreadable("The answer of gh is not a list.".to_owned());
        }
    };
    let mut pulls = Vec::with_capacity(entries.len());
    for map in entries.into_iter().filter_map(Value::as_object) {
        match answered(map, None) {
            Ok(pull) => pulls.push(pull),
            Err(problem) => problems.push(Problem(problem)),
        }
    }
    Parsed { value: Some(pulls), problems }
}

/// The command that asks for many pull requests of one repository in one call.
#[must_use]
pub fn batch_argv(repository: &str, numbers: &[u64]) -> Option<Vec<String>> {
    let (owner, name) = repository.split_once('/')?;
    if !is_name(owner) || !is_name(name) || numbers.is_empty() {
        return None;
    }
    let wanted = "number url state isDraft title closedAt";
    let parts: Vec<String> = numbers
        .iter()
        .map(|number| format!("p{number}: pullRequest(number: {number}) {{ {wanted} }}"))
        .collect();
    let query = format!(
        "query {{ repository(owner: \"{owner}\", name: \"{name}\") {{ {} }} }}",
        parts.join(" ")
    );
    Some(
        ["gh", "api", "graphql", "-f"]
            .map(str::to_owned)
            .into_iter()
            .chain([format!("query={query}")])
            .collect(),
    )
}

/// One pull request as `gh` describes it.
fn answered(map: &Map<String, Value>, asked: Option<&str>) -> Result<Pull, String> {
    let mut problems = Vec::new();
    let mut fields = Fields::new(map, "The answer of gh", &mut problems);
    let url = fields.text("url").or_else(|| asked.map(str::to_owned));
    let word = fields.text("state").unwrap_or_default();
    let is_draft = fields.value("isDraft").and_then(Value::as_bool).unwrap_or_default();
    let number = fields.count("number");
    let title = fields.text("title");
    let resolved_at = fields.instant("closedAt");
    if let Some(Problem(problem)) = problems.into_iter().next() {
        return Err(problem);
    }
    let (Some(url), Some(state)) = (url, PullState::of(&word)) else {
        return Err(format!("The answer of gh has no state that is known: {word:?}."));
    };
    let state = if state == PullState::Open && is_draft { PullState::Draft } else { state };
    let number = number.or_else(|| Address::of(&url).map(|address| address.number));
    Ok(Pull { url, number, state: Some(state), title, resolved_at })
}

/// Reads a file of pull requests by address: Claude's `gh-pr-status-cache.json`, which has no
/// dates, or our own `prs.json`, in which `resolved_at` is in milliseconds.
#[must_use]
pub fn parse_cache(bytes: &[u8]) -> Parsed<Option<Vec<Pull>>> {
    let map = match object(bytes, "The file of pull requests") {
        Ok(map) => map,
        Err(problem) => return Parsed::unreadable(problem),
    };
    let mut problems = Vec::new();
    let mut pulls = Vec::with_capacity(map.len());
    for (url, entry) in &map {
        let what = format!("The file of pull requests, {url}");
        let Some(entry) = entry.as_object() else {
            problems.push(Problem(format!("{what}: it is not an object.")));
            continue;
        };
        let mut fields = Fields::new(entry, &what, &mut problems);
        let word = fields.text("state");
        let state = word.as_deref().and_then(PullState::of);
        if word.is_some() && state.is_none() {
            fields.bad("state", "a state that is known");
        }
        pulls.push(Pull {
            number: fields.count("number").or_else(|| Pull::of(url).number),
            state,
            title: fields.text("title"),
            resolved_at: fields.instant("resolved_at"),
            url: url.clone(),
        });
    }
    Parsed { value: Some(pulls), problems }
}

/// What [`parse_cache`] reads. The caller gives only final answers: others go out of date.
#[must_use]
pub fn encode(pulls: &[Pull]) -> Vec<u8> {
    let entries = pulls.iter().map(|pull| {
        let entry = json!({
            "number": pull.number,
            "state": pull.state.map(PullState::word),
            "title": pull.title,
            "resolved_at": pull.resolved_at.map(|at| at.0),
        });
        (pull.url.clone(), entry)
    });
    Value::Object(entries.collect()).to_string().into_bytes()
}
