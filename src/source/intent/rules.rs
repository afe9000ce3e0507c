//! Which rule files touch the surface: by a glob of their front matter, by a path or a component they name, or by their own name.
//!
//! Source: resolution spec §4 a to d. No match keeps a rule out; the whole folder never goes in. Bound: linear in the rules, each
//! token looked up, beside one match for each glob and changed file.

use std::collections::{BTreeMap, BTreeSet};

use globset::{GlobBuilder, GlobSetBuilder};

use super::{Basis, Document, Rule, Touched, Why};
use crate::base::case;

/// The most reasons that are kept of one rule.
const REASONS: usize = 8;

/// Names that stand in every tree: sharing one says nothing.
const COMMON: &[&str] =
    &["src", "lib", "main", "index", "test", "tests", "docs", "mod", "init", "app", "bin", "core", "common", "utils", "util", "readme"];

/// What of the surface a text can name.
struct Surface<'a> {
    paths: BTreeMap<&'a str, &'a str>,
    folders: BTreeMap<String, &'a str>,
    names: BTreeMap<&'a str, &'a str>,
    components: BTreeMap<&'a str, &'a str>,
    segments: BTreeMap<String, &'a str>,
}

impl<'a> Surface<'a> {
    fn of(touched: &'a [Touched], unique: &BTreeSet<String>) -> Surface<'a> {
        let mut surface = Surface {
            paths: BTreeMap::new(),
            folders: BTreeMap::new(),
            names: BTreeMap::new(),
            components: BTreeMap::new(),
            segments: BTreeMap::new(),
        };
        for file in touched {
            let path = file.path.as_str();
            surface.paths.insert(path, path);
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if unique.contains(name) && name.contains('.') {
                surface.names.insert(name, path);
            }
            let mut above = folder;
            while !above.is_empty() {
                surface.folders.entry(above.to_owned()).or_insert(path);
                above = above.rsplit_once('/').map_or("", |(up, _)| up);
            }
            let stem = name.split('.').find(|s| !s.is_empty()).unwrap_or(name);
            for segment in folder.split('/').chain([stem]) {
                let segment = case::lower(segment).replace('-', "_");
                if segment.chars().count() >= 3 && !COMMON.contains(&segment.as_str()) {
                    surface.segments.entry(segment).or_insert(path);
                }
            }
            // Prose names components and is none.
            let named = file.patch.iter().filter(|_| !path.ends_with(".md")).flat_map(|p| &p.identifiers);
            for name in named {
                surface.components.entry(name).or_insert(path);
            }
        }
        surface
    }
}

/// The rules that touch, the surest first.
pub fn touching(rules: &[Document], touched: &[Touched], unique: &BTreeSet<String>) -> Vec<Rule> {
    let surface = Surface::of(touched, unique);
    let mut found: Vec<(Why, usize, Rule)> = Vec::new();
    for rule in rules {
        let basis = reasons(rule, &surface, touched);
        let Some(first) = basis.iter().next() else { continue };
        let (why, count) = (first.why, basis.len());
        let basis = basis.into_iter().take(REASONS).collect();
        found.push((why, count, Rule { path: rule.path.clone(), aliases: rule.aliases.clone(), basis, changed: rule.changed }));
    }
    found.sort_by(|a, b| (a.0, std::cmp::Reverse(a.1), &a.2.path).cmp(&(b.0, std::cmp::Reverse(b.1), &b.2.path)));
    found.into_iter().map(|(.., rule)| rule).collect()
}

fn reasons(rule: &Document, surface: &Surface<'_>, touched: &[Touched]) -> BTreeSet<Basis> {
    let mut basis = BTreeSet::new();
    // A rule does not touch itself.
    let mut take = |why, token: &str, file: &str| {
        if file == rule.path {
            return;
        }
        basis.insert(Basis { why, token: token.to_owned(), changed_file: file.to_owned() });
    };
    let (front, body) = front_matter(&rule.text);
    for glob in front.globs {
        let anywhere = format!("**/{glob}");
        // A folder stands for everything in it.
        let folder = format!("{}/**", glob.trim_end_matches('/'));
        let patterns: Vec<&str> = if glob.contains('/') { vec![&glob, &folder] } else { vec![&glob, &anywhere, &folder] };
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            if let Ok(built) = GlobBuilder::new(pattern.trim_start_matches("./")).literal_separator(true).build() {
                set.add(built);
            }
        }
        if let Ok(set) = set.build()
            && let Some(file) = touched.iter().find(|t| t.path != rule.path && set.is_match(&t.path))
        {
            take(Why::Frontmatter, &glob, &file.path);
        }
    }
    if front.always {
        take(Why::Always, "alwaysApply", touched.first().map_or("", |t| &t.path));
    }
    for token in body.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-'))) {
        let bare = token.trim_start_matches("./").trim_end_matches(['.', '-']);
        let folder = bare.strip_suffix('/').filter(|f| !f.is_empty());
        if let Some(file) = surface.paths.get(bare).filter(|_| bare.contains('/') || bare.contains('.')) {
            take(Why::Path, bare, file);
        } else if let Some(file) = folder.or(bare.contains('/').then_some(bare)).and_then(|f| surface.folders.get(f)) {
            take(Why::Path, bare, file);
        } else if let Some(file) = surface.names.get(bare) {
            take(Why::Path, bare, file);
        }
    }
    let (mut ticked, mut plain) = (BTreeSet::new(), BTreeSet::new());
    for (at, part) in body.split('`').enumerate() {
        let hits = if at % 2 == 1 { &mut ticked } else { &mut plain };
        let names = part.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter_map(|w| surface.components.get_key_value(w));
        hits.extend(names.map(|(name, file)| (*name, *file)));
    }
    if !ticked.is_empty() || plain.len() >= 2 {
        ticked.into_iter().chain(plain).for_each(|(name, file)| take(Why::Component, name, file));
    }
    let stem = rule.path.rsplit('/').next().and_then(|n| n.split('.').next()).unwrap_or_default().to_lowercase().replace('-', "_");
    if let Some(file) = surface.segments.get(&stem) {
        take(Why::FileName, &stem, file);
    }
    basis
}

/// What the head of a rule file says of its reach.
struct Front {
    globs: Vec<String>,
    always: bool,
}

/// The head between two lines of dashes, and what stands behind it. The globs of such heads are seldom valid YAML (`*.ts` is an alias
/// there), so the head is read line by line.
fn front_matter(text: &str) -> (Front, &str) {
    let mut front = Front { globs: Vec::new(), always: false };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text.strip_prefix("---").and_then(|r| r.strip_prefix("\r\n").or_else(|| r.strip_prefix('\n'))) else {
        return (front, text);
    };
    let Some((head, body)) = rest.split_once("\n---") else { return (front, text) };
    let mut listing = false;
    for line in head.lines() {
        let item = line.trim_start().strip_prefix("- ").filter(|_| listing);
        // A list in brackets, or a text, goes on over indented lines.
        let more = (listing && line.starts_with([' ', '\t'])).then(|| line.trim());
        if let Some(item) = item.or(more) {
            front.globs.extend(parts(item).filter_map(glob));
            continue;
        }
        let Some((key, value)) = line.split_once(':').filter(|_| !line.starts_with([' ', '\t'])) else { continue };
        listing = ["paths", "globs", "applyto", "files"].contains(&key.trim().trim_matches(['"', '\'']).to_lowercase().as_str());
        if listing {
            front.globs.extend(parts(value).filter_map(glob));
        }
        front.always |= key.trim().eq_ignore_ascii_case("alwaysapply") && value.trim() == "true";
    }
    (front, body)
}

/// The globs of a value: parted by commas outside braces, without brackets and without a comment behind them.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let value = value.split(" #").next().unwrap_or(value).trim().trim_matches(['[', ']']).trim();
    let mut depth = 0usize;
    value.split(move |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

fn glob(text: &str) -> Option<String> {
    let plain = text.trim().trim_matches(['"', '\'', '[', ']']).trim().trim_start_matches('/');
    let marks = ["|", ">", ">-", "|-"].contains(&plain);
    (!plain.is_empty() && !plain.starts_with('#') && !marks).then(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{Changed, patch};
    use super::*;

    fn rule(path: &str, text: &str) -> Document {
        Document { path: path.to_owned(), aliases: Vec::new(), text: text.to_owned(), changed: Changed::No }
    }

    fn surface() -> (Vec<Touched>, BTreeSet<String>) {
        let patch = patch::read(b"@@ -1,0 +2,1 @@ fn loadPlugin\n+let cache_key = 1;\n");
        let touched = vec![
            Touched { path: "src/auth/login.rs".to_owned(), text: None, patch: Some(patch) },
            Touched { path: "web/app.ts".to_owned(), ..Touched::default() },
        ];
        (touched, BTreeSet::from(["login.rs".to_owned()]))
    }

    fn why(text: &str) -> Vec<(Why, String)> {
        let (touched, unique) = surface();
        let rules = touching(&[rule(".claude/rules/x.md", text)], &touched, &unique);
        rules.into_iter().flat_map(|r| r.basis).map(|b| (b.why, b.token)).collect()
    }

    #[test]
    fn a_rule_touches_by_glob_path_component_or_its_own_name() {
        assert_eq!(why("---\npaths:\n  - \"src/**/*.rs\"\n---\nx"), [(Why::Frontmatter, "src/**/*.rs".to_owned())]);
        assert_eq!(why("---\nglobs: *.ts, *.tsx\n---\nx"), [(Why::Frontmatter, "*.ts".to_owned())]);
        for front in [
            "paths: \"{src,lib}/**/*.rs\"",
            "paths: src/**/*.{rs,go}",
            "paths: [\n  docs/**,\n  src/**\n]",
            "paths:\n- src/** # all",
            "\"paths\": [\"src/**\"]",
            "paths: /src/auth/*.rs",
            "paths: src/",
            "paths: src",
            "paths: >-\n  src/**",
        ] {
            assert_eq!(why(&format!("---\n{front}\n---\nx")).first().map(|w| w.0), Some(Why::Frontmatter), "{front}");
        }
        let own = [Touched { path: ".claude/rules/money.md".to_owned(), ..Touched::default() }];
        assert_eq!(touching(&[rule(".claude/rules/money.md", "x")], &own, &BTreeSet::new()), []);
        assert_eq!(why("Read `src/auth/login.rs` first."), [(Why::Path, "src/auth/login.rs".to_owned())]);
        assert_eq!(why("Everything in src/auth/ is audited."), [(Why::Path, "src/auth/".to_owned())]);
        assert_eq!(why("See login.rs."), [(Why::Path, "login.rs".to_owned())]);
        assert_eq!(why("`loadPlugin` blocks on purpose."), [(Why::Component, "loadPlugin".to_owned())]);
        let (touched, unique) = surface();
        let by_name = touching(&[rule(".claude/rules/auth.md", "x")], &touched, &unique);
        assert_eq!(by_name[0].basis[0].why, Why::FileName);
    }

    #[test]
    fn what_touches_nothing_stays_out() {
        for text in ["", "x", "xsrc/auth/login.rs", "src/author/", "loadPluginX", "one cache_key alone", "app.ts", "src", "login"] {
            assert_eq!(why(text), [], "{text}");
        }
        assert_eq!(why("cache_key and loadPlugin").len(), 2);
    }

    #[test]
    fn the_surest_reason_comes_first() {
        let (touched, unique) = surface();
        let rules = [
            rule(".claude/rules/auth.md", "x"),
            rule(".claude/rules/b.md", "`loadPlugin`"),
            rule(".claude/rules/c.md", "---\npaths: src/**\n---\n"),
        ];
        let order: Vec<String> = touching(&rules, &touched, &unique).into_iter().map(|r| r.path).collect();
        assert_eq!(order, [".claude/rules/c.md", ".claude/rules/b.md", ".claude/rules/auth.md"]);
    }
}
