//! `.review-loop/checks.toml`: the project's own checks, and which built-in ones are off (map.md, checks.toml).

use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::finding::read::tool::Format;

/// One check of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCheck {
    /// Its name.
    pub name: String,
    /// Program and arguments; never a shell.
    pub argv: Vec<String>,
    /// Which changed files call for it; empty means all.
    pub globs: Vec<String>,
    /// What it prints.
    pub parser: Format,
    /// How long it may take, in seconds.
    pub limit_s: u64,
}

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checks {
    /// Built-in rules that are off.
    pub off: Vec<String>,
    /// In file order.
    pub project: Vec<ProjectCheck>,
}

/// The limit of a check that states none.
pub const DEFAULT_LIMIT_S: u64 = 300;

/// Reads the file. `rules` are the built-in rule ids.
///
/// # Errors
/// `INVALID_CHECKS` naming the key; unknown keys are refused.
pub fn read(text: &str, rules: &[&str]) -> Result<Checks, Fail> {
    let refuse = |why: String| Fail::new(Code::InvalidChecks, format!("`.review-loop/checks.toml`: {why}"));
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| refuse(printable(e.message())))?;
    let mut checks = Checks::default();
    for (key, value) in &table {
        match key.as_str() {
            "builtin" => {
                let switches = value.as_table().ok_or_else(|| refuse("`builtin` must be a table".to_owned()))?;
                for (rule, on) in switches {
                    if !rules.contains(&rule.as_str()) {
                        return Err(refuse(format!("`builtin.{}` is no built-in rule", printable(rule))));
                    }
                    if !on.as_bool().ok_or_else(|| refuse(format!("`builtin.{rule}` must be true or false")))? {
                        checks.off.push(rule.clone());
                    }
                }
            }
            "check" => {
                let list = value.as_array().ok_or_else(|| refuse("`check` must be written as `[[check]]`".to_owned()))?;
                for entry in list {
                    let check = check(entry).map_err(refuse)?;
                    if checks.project.iter().any(|c| c.name == check.name) {
                        return Err(refuse(format!("the check `{}` stands twice", printable(&check.name))));
                    }
                    checks.project.push(check);
                }
            }
            unknown => {
                return Err(refuse(format!("the key `{}` is unknown", printable(unknown))));
            }
        }
    }
    Ok(checks)
}

fn check(entry: &toml::Value) -> Result<ProjectCheck, String> {
    let table = entry.as_table().ok_or("a `[[check]]` must be a table")?;
    let name = table.get("name").and_then(toml::Value::as_str).filter(|n| !n.trim().is_empty()).ok_or("a `[[check]]` needs a `name`")?;
    let shown = printable(name);
    if let Some(unknown) = table.keys().find(|k| !["name", "argv", "globs", "parser", "limit_s"].contains(&k.as_str())) {
        return Err(format!("the key `{}` of the check `{shown}` is unknown", printable(unknown)));
    }
    let texts = |key: &str| -> Result<Vec<String>, String> {
        let Some(value) = table.get(key) else {
            return Ok(Vec::new());
        };
        let list = value.as_array().and_then(|l| l.iter().map(|v| v.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>());
        list.ok_or_else(|| format!("`{key}` of the check `{shown}` must be a list of strings"))
    };
    let argv = texts("argv")?;
    if argv.first().is_none_or(String::is_empty) {
        return Err(format!("the check `{shown}` needs an `argv` of at least a program"));
    }
    let parser = table.get("parser").and_then(toml::Value::as_str).and_then(Format::parse);
    let parser = parser.ok_or_else(|| format!("`parser` of the check `{shown}` must be cargo, rdjsonl, sarif, lines or exit"))?;
    let limit = match table.get("limit_s") {
        None => DEFAULT_LIMIT_S,
        Some(value) => value
            .as_integer()
            .and_then(|n| u64::try_from(n).ok())
            .filter(|n| (1..=86_400).contains(n))
            .ok_or_else(|| format!("`limit_s` of the check `{shown}` must be from 1 to 86400"))?,
    };
    Ok(ProjectCheck { name: name.to_owned(), argv, globs: texts("globs")?, parser, limit_s: limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[&str] = &["secret", "debug-leftover"];

    #[test]
    fn switches_and_checks_are_read() {
        let text =
            "[builtin]\nsecret = true\ndebug-leftover = false\n[[check]]\nname = \"lint\"\nargv = [\"sh\", \"x.sh\"]\nparser = \"lines\"\n";
        let checks = read(text, RULES).unwrap();
        assert_eq!(checks.off, ["debug-leftover"]);
        assert_eq!(checks.project[0].limit_s, 300);
    }

    #[test]
    fn unknown_and_wrong_keys_are_refused() {
        for text in [
            "x = 1\n",
            "[builtin]\nnope = false\n",
            "[builtin]\nsecret = 0\n",
            "[[check]]\nargv = [\"a\"]\nparser = \"lines\"\n",
            "[[check]]\nname = \"a\"\nargv = []\nparser = \"lines\"\n",
            "[[check]]\nname = \"a\"\nargv = \"sh -c x\"\nparser = \"lines\"\n",
            "[[check]]\nname = \"a\"\nargv = [\"a\"]\nparser = \"xml\"\n",
            "[[check]]\nname = \"a\"\nargv = [\"a\"]\nparser = \"exit\"\nlimit_s = 0\n",
            "[[check]]\nname = \"a\"\nargv = [\"a\"]\nparser = \"exit\"\nshell = true\n",
            "[[check]]\nname = \"a\"\nargv = [\"a\"]\nparser = \"exit\"\n[[check]]\nname = \"a\"\nargv = [\"a\"]\nparser = \"exit\"\n",
            "[builtin\n",
        ] {
            assert_eq!(read(text, RULES).unwrap_err().code, Code::InvalidChecks, "{text}");
        }
    }
}
