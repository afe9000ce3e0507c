//! What is known of each source: its names, how it is asked for its version and for a review, and what would make it available.
//!
//! Source: spec/clients.md §2 and §3; resolution spec §7 and §18. Models and efforts are handed in and never named here.

use super::answer::Client;
use crate::base::reason::words;

words! {
    /// The sources, in the order they are listed.
    Name {
        Checks "checks",
        Claude "claude",
        Codex "codex",
        Command "command",
    }
}

words! {
    /// How hard a client thinks; less than high is no review.
    Effort {
        High "high",
        Xhigh "xhigh",
        Max "max",
    }
}

impl Effort {
    /// How many findings the built-in review names at most (spec/clients.md §4).
    pub fn cap(self) -> usize {
        if self == Effort::High { 10 } else { 15 }
    }
}

impl Name {
    /// A source by its name; `code-review` is claude's built-in review.
    pub fn find(word: &str) -> Option<Name> {
        if word == "code-review" { Some(Name::Claude) } else { Name::parse(word) }
    }

    /// The client whose stream it prints; none for what prints a report.
    pub fn client(self) -> Option<Client> {
        match self {
            Name::Claude => Some(Client::Claude),
            Name::Codex => Some(Client::Codex),
            Name::Checks | Name::Command => None,
        }
    }

    /// What would make it available.
    pub fn remedy(self) -> &'static str {
        match self {
            Name::Checks => "the built-in checks are always there",
            Name::Claude => "install Claude Code so that `claude --version` runs here, and log in",
            Name::Codex => "install the Codex command line so that `codex --version` runs here, and log in",
            Name::Command => "name a program with --argv",
        }
    }
}

/// What a client is started with.
#[derive(Debug)]
pub struct Call<'a> {
    /// The top of the checkout.
    pub root: &'a str,
    /// The client's own default without it.
    pub model: Option<&'a str>,
    /// How hard it thinks.
    pub effort: Effort,
    /// Where the schema of its answer lies.
    pub schema: &'a str,
}

/// Program and arguments of a client that reads its prompt from standard input. Claude is always asked for its stream, so that the
/// outcome of a task is seen; codex for a structured answer, so that a clean one is provable.
pub fn argv(client: Client, call: &Call<'_>) -> Vec<String> {
    let mut argv: Vec<String> = match client {
        Client::Codex => {
            let effort = format!("model_reasoning_effort=\"{}\"", call.effort.word());
            let fixed = ["codex", "exec", "--ephemeral", "--json", "--color", "never", "--skip-git-repo-check", "--cd", call.root];
            // Instructions that the change itself brings (AGENTS.md) reach no reviewer: the bundle points at guides as they were.
            let more =
                ["--config", &effort, "--config", "project_doc_max_bytes=0", "--sandbox", "read-only", "--output-schema", call.schema];
            fixed.into_iter().chain(more).map(str::to_owned).collect()
        }
        Client::Claude => {
            let fixed = [
                "claude",
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--setting-sources",
                "user",
                "--effort",
                call.effort.word(),
            ];
            fixed.map(str::to_owned).to_vec()
        }
    };
    if let Some(model) = call.model {
        argv.extend(["--model".to_owned(), model.to_owned()]);
    }
    if client == Client::Codex {
        argv.push("-".to_owned());
    }
    argv
}

/// The schema of a structured answer: what our reader takes, and nothing that a model could leave out.
pub const SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["findings","verdict"],"properties":{"findings":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["severity","file","line","title","body"],"properties":{"severity":{"type":"string","enum":["critical","high","medium","low","suggestion"]},"file":{"type":"string"},"line":{"type":["integer","null"]},"title":{"type":"string"},"body":{"type":"string"}}}},"verdict":{"type":"string","enum":["approve","needs-attention"]}}}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_called_so_that_their_outcome_can_be_seen() {
        let call = Call { root: "/r", model: Some("m"), effort: Effort::High, schema: "/s" };
        let codex = argv(Client::Codex, &call).join(" ");
        assert!(codex.contains("--json") && codex.contains("--sandbox read-only") && codex.contains("--output-schema /s"), "{codex}");
        assert!(codex.ends_with("--model m -"), "{codex}");
        assert!(argv(Client::Claude, &call).join(" ").starts_with("claude -p --output-format stream-json --verbose"));
        assert_eq!((Name::find("code-review"), Name::find("gemini")), (Some(Name::Claude), None));
        assert!(Effort::parse("medium").is_none());
        assert!(serde_json::from_str::<serde_json::Value>(SCHEMA).is_ok());
    }
}
