//! Makes repositories and two rounds of findings with known truth, and scores match-findings beside three simple rules.
//! Compiled by scripts/bench-identity.sh; arguments: BINARY FOLDER CASES SEED [hard].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Defects, each in wordings of title and body; `{}` is a name of the line.
const DEFECTS: &[&[(&str, &str)]] = &[
    &[("`{}` may be missing here", "The lookup can come back with none, and the next access then crashes."), ("No guard against an absent `{}`", "When the option is unset this dereferences nothing."), ("Null access", "A nil result reaches this call unhandled.")],
    &[("Two threads write `{}`", "There is no lock around the update, so one of them is lost."), ("Unsynchronised counter", "Parallel workers interleave their read-modify-write of `{}`."), ("Race condition", "Guard the shared state with a mutex or an atomic.")],
    &[("The handle is not closed on the error path", "`{}` stays open when the parse fails, and descriptors run out."), ("Resource leak", "Close `{}` before returning early."), ("Descriptor leaks", "The file is never released after an exception.")],
    &[("Query built from user text", "`{}` is concatenated into the statement; bind it as a parameter."), ("SQL injection", "An attacker can end the quoted string."), ("Unescaped value in a query string", "Use a prepared statement for `{}`.")],
    &[("Waits forever for a silent peer", "Set a timeout on `{}`."), ("No deadline on the remote call", "The request hangs when the server never answers."), ("Missing time limit", "`{}` blocks the worker indefinitely.")],
    &[("Retries without a pause", "A failing backend is hammered by `{}`."), ("No backoff between attempts", "Each failed try is followed at once by the next."), ("Tight retry loop", "Wait exponentially longer before repeating `{}`.")],
    &[("Integer overflow in the size", "The product does not fit for large inputs."), ("`{}` wraps around", "Unchecked arithmetic rolls over on hostile lengths."), ("Narrowing cast loses high bits", "Use a wider type before multiplying `{}`.")],
    &[("Stale value after a write", "The cached `{}` is not invalidated."), ("Cache is never refreshed", "Readers see outdated data until restart."), ("Memoised result survives the update", "Drop `{}` from the cache when its source changes.")],
    &[("Condition is inverted", "The branch runs in the opposite case."), ("Wrong comparison operator on `{}`", "Greater and less are swapped."), ("Negated test", "`{}` is rejected when it is valid.")],
    &[("Token ends up in the log", "Mask `{}` before it is printed."), ("Sensitive value is logged", "Redact the credential in this message."), ("Secret leaks through logging", "The header with `{}` is written in clear.")],
    &[("Quadratic scan", "For every element of `{}` the whole list is walked again."), ("Nested loop is slow for large inputs", "Look `{}` up in a set instead."), ("Repeated linear search", "Build an index once.")],
    &[("Magic number", "Give this literal a name."), ("Unexplained constant beside `{}`", "Say why this value was chosen."), ("Hard-coded limit", "Make the figure configurable.")],
    &[("Comment contradicts the code", "It says the opposite of what `{}` does."), ("Outdated documentation", "The description still names the old behaviour."), ("Stale comment", "Update the text above `{}`.")],
    &[("No test covers this branch", "Add a regression test for `{}`."), ("Untested error path", "Coverage ends before `{}` fails."), ("Missing test", "The new behaviour has no scenario that would fail without it.")],
];
const NAMES: &[&str] = &["order", "token", "buffer", "index", "cursor", "ledger", "packet", "signal", "window", "report", "harbor", "meter", "ticket", "vessel", "bridge", "anchor"];
const LEVELS: &[&str] = &["critical", "high", "medium", "low"];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A line: its number for the truth, and its text.
#[derive(Clone)]
struct Line {
    id: usize,
    text: String,
}

struct Finding {
    id: String,
    level: &'static str,
    path: String,
    line: usize,
    title: String,
    body: String,
}

#[derive(Default)]
struct Truth {
    pairs: BTreeMap<(String, String), Vec<&'static str>>,
    resolved: BTreeMap<String, &'static str>,
    added: BTreeMap<String, bool>,
}

#[derive(Default, Clone, Copy)]
struct Score {
    right: usize,
    said: usize,
    wanted: usize,
}

impl Score {
    fn show(self) -> String {
        let ratio = |a: usize, b: usize| if b == 0 { 1.0 } else { a as f64 / b as f64 };
        let (p, r) = (ratio(self.right, self.said), ratio(self.right, self.wanted));
        let f = if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 };
        format!("precision {p:.3}  recall {r:.3}  F1 {f:.3}")
    }
}

fn git(repo: &Path, words: &[&str]) -> String {
    let output = Command::new("git").args(["-c", "user.name=x", "-c", "user.email=x@example.invalid"]).args(words).current_dir(repo).output().unwrap();
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn code(random: &mut Random, id: usize) -> Line {
    let (a, b) = (NAMES[random.below(NAMES.len())], NAMES[random.below(NAMES.len())]);
    let text = match random.below(5) {
        0 => format!("    let {a}_{id} = load_{b}({a}, {});", random.below(90)),
        1 => format!("    if {a}_{id}.ready() {{ push_{b}({a}); }}"),
        2 => format!("    self.{a}_{id}.write({b}, {})?;", random.below(90)),
        3 => "    }".to_owned(),
        _ => format!("    emit_{a}_{b}_{id}({b}.len());"),
    };
    Line { id, text }
}

fn telling(line: &Line) -> bool {
    line.text.len() > 14
}

/// A name of the code that stands in a line.
fn name_of(line: &Line) -> String {
    line.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).max_by_key(|w| w.len()).unwrap_or("value").to_owned()
}

struct Case {
    old: Vec<Finding>,
    new: Vec<Finding>,
    truth: Truth,
    revisions: (String, String),
}

fn write(repo: &Path, files: &BTreeMap<String, Vec<Line>>) {
    for (path, lines) in files {
        let full = repo.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, lines.iter().map(|l| format!("{}\n", l.text)).collect::<String>()).unwrap();
    }
    git(repo, &["add", "-A"]);
    git(repo, &["commit", "-qm", "round"]);
}

fn make(repo: &Path, random: &mut Random, hard: bool) -> Case {
    let _ = std::fs::remove_dir_all(repo);
    std::fs::create_dir_all(repo).unwrap();
    git(repo, &["init", "-q", "-b", "main", "."]);
    let mut next = 0;
    let mut fresh = |random: &mut Random| {
        next += 1;
        code(random, next)
    };
    let mut before: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for f in 0..4 {
        let length = 90 + random.below(160);
        before.insert(format!("src/{}_{f}.rs", NAMES[random.below(NAMES.len())]), (0..length).map(|_| fresh(random)).collect());
    }
    write(repo, &before);
    let first = git(repo, &["rev-parse", "HEAD"]);
    // The edits of the round in between; what was written anew is remembered by line.
    let (mut after, mut edited): (BTreeMap<String, Vec<Line>>, BTreeMap<usize, usize>) = (before.clone(), BTreeMap::new());
    let mut moved: BTreeSet<usize> = BTreeSet::new();
    let paths: Vec<String> = before.keys().cloned().collect();
    for (n, path) in paths.iter().enumerate() {
        let lines = after.get_mut(path).unwrap();
        for count in [3, 14, 70].into_iter().take(1 + random.below(3)) {
            let at = random.below(lines.len());
            let added: Vec<Line> = (0..count).map(|_| fresh(random)).collect();
            lines.splice(at..at, added);
        }
        for _ in 0..4 {
            let at = random.below(lines.len());
            let (old, new) = (lines[at].id, fresh(random));
            edited.insert(old, new.id);
            lines[at] = new;
        }
        let at = random.below(lines.len() - 12);
        lines.drain(at..at + 3 + random.below(6));
        if random.chance(60) {
            let at = random.below(lines.len() - 10);
            let block: Vec<Line> = lines.drain(at..at + 7).collect();
            moved.extend(block.iter().map(|l| l.id));
            let to = random.below(lines.len());
            lines.splice(to..to, block);
        }
        if n == 0 {
            let lines = after.remove(path).unwrap();
            after.insert(format!("lib/renamed_{n}.rs"), lines);
        }
    }
    git(repo, &["rm", "-rqf", "src"]);
    write(repo, &after);
    let second = git(repo, &["rev-parse", "HEAD"]);
    let place = |files: &BTreeMap<String, Vec<Line>>| -> BTreeMap<usize, (String, usize)> {
        files.iter().flat_map(|(p, lines)| lines.iter().enumerate().map(move |(i, l)| (l.id, (p.clone(), i + 1)))).collect()
    };
    let (old_place, new_place) = (place(&before), place(&after));
    let mut case = Case { old: Vec::new(), new: Vec::new(), truth: Truth::default(), revisions: (first, second) };
    let all_old: Vec<Line> = before.values().flatten().filter(|l| telling(l)).cloned().collect();
    let all_new: Vec<Line> = after.values().flatten().filter(|l| telling(l)).cloned().collect();
    let (mut used_old, mut used_new): (Vec<(String, usize)>, Vec<(String, usize)>) = (Vec::new(), Vec::new());
    let far = |used: &[(String, usize)], at: &(String, usize)| used.iter().all(|(p, l)| *p != at.0 || l.abs_diff(at.1) > 9);
    for _ in 0..26 {
        let kind = random.below(10);
        let defect = random.below(DEFECTS.len());
        if kind >= 8 {
            // New in this round: on old code, or on what the fixes wrote.
            let line = all_new[random.below(all_new.len())].clone();
            let at = new_place[&line.id].clone();
            if far(&used_new, &at) {
                used_new.push(at.clone());
                let id = report(&mut case.new, "N", random, defect, 0, &line, &at, 0);
                case.truth.added.insert(id, !old_place.contains_key(&line.id));
            }
            continue;
        }
        let line = all_old[random.below(all_old.len())].clone();
        let at = old_place[&line.id].clone();
        let now = edited.get(&line.id).copied().unwrap_or(line.id);
        let there = new_place.get(&now).cloned();
        if !far(&used_old, &at) || there.as_ref().is_some_and(|t| !far(&used_new, t)) {
            continue;
        }
        used_old.push(at.clone());
        used_new.extend(there.clone());
        let wording = random.below(3);
        let slip = if hard && random.chance(25) { 2 } else { 0 };
        let id = report(&mut case.old, "P", random, defect, wording, &line, &at, slip);
        let (Some(there), true) = (there.clone(), kind < 6) else {
            let stands = new_place.contains_key(&line.id);
            case.truth.resolved.insert(id, if stands { "same" } else { "fixed" });
            continue;
        };
        let mut classes = vec![match there.1.abs_diff(at.1) {
            _ if there.0 != at.0 => "rename",
            0 => "no shift",
            1..=6 => "shift 1-6",
            7..=50 => "shift 7-50",
            _ => "shift >50",
        }];
        classes.extend(moved.contains(&line.id).then_some("moved block"));
        classes.extend((now != line.id).then_some("edited line"));
        let other = if hard || random.chance(85) { (wording + 1 + random.below(2)) % 3 } else { wording };
        classes.push(if other == wording { "verbatim" } else { "reworded" });
        let jitter = if random.chance(30) { 1 + random.below(3) } else { 0 };
        classes.extend((jitter > 0).then_some("inexact line"));
        let shown = after[&there.0][there.1 - 1].clone();
        let back = report(&mut case.new, "N", random, defect, other, &shown, &there, jitter);
        if case.old.last().unwrap().level != case.new.last().unwrap().level {
            classes.push("severity change");
        }
        case.truth.pairs.insert((id, back), classes);
        if kind == 5 {
            // Another defect on the same line, in one of the rounds only.
            let second = (defect + 1 + random.below(DEFECTS.len() - 1)) % DEFECTS.len();
            if random.chance(50) {
                let id = report(&mut case.old, "P", random, second, 0, &line, &at, 0);
                case.truth.resolved.insert(id, if new_place.contains_key(&line.id) { "same" } else { "fixed" });
            } else {
                let id = report(&mut case.new, "N", random, second, 0, &shown, &there, 0);
                case.truth.added.insert(id, !old_place.contains_key(&shown.id));
            }
        }
    }
    case
}

/// Writes one finding down; gives its id.
fn report(list: &mut Vec<Finding>, tag: &str, random: &mut Random, defect: usize, wording: usize, line: &Line, at: &(String, usize), slip: usize) -> String {
    let id = format!("{tag}{}", list.len() + 1);
    let (title, body) = DEFECTS[defect][wording];
    let name = name_of(line);
    let off = if random.chance(50) { at.1 + slip } else { at.1.saturating_sub(slip).max(1) };
    list.push(Finding {
        id: id.clone(),
        level: LEVELS[if random.chance(85) { defect % 3 } else { random.below(4) }],
        path: at.0.clone(),
        line: off,
        title: title.replace("{}", &name),
        body: body.replace("{}", &name),
    });
    id
}

fn json(list: &[Finding]) -> String {
    let text = |t: &str| t.replace('\\', "\\\\").replace('"', "\\\"");
    let items: Vec<String> = list
        .iter()
        .map(|f| format!("{{\"id\":\"{}\",\"severity\":\"{}\",\"path\":\"{}\",\"line\":{},\"title\":\"{}\",\"body\":\"{}\"}}", f.id, f.level, f.path, f.line, text(&f.title), text(&f.body)))
        .collect();
    format!("{{\"findings\":[{}]}}", items.join(","))
}

/// The objects of a list in our answer, each as key and bare value.
fn objects(answer: &str, list: &str) -> Vec<BTreeMap<String, String>> {
    let start = answer.find(&format!("\"{list}\":[")).map(|at| at + list.len() + 4).unwrap();
    let inner = &answer[start..start + answer[start..].find(']').unwrap()];
    let fields = |o: &str| o.split(',').filter_map(|f| f.split_once(':')).map(|(k, v)| (k.trim_matches(['"', '{']).to_owned(), v.trim_matches(['"', '}']).to_owned())).collect();
    inner.split("},").filter(|o| !o.is_empty()).map(fields).collect()
}

/// A simple rule in use today: the best free partner by some key, in order.
fn greedy(case: &Case, fits: impl Fn(&Finding, &Finding) -> bool) -> BTreeSet<(String, String)> {
    let mut taken = BTreeSet::new();
    let mut pairs = BTreeSet::new();
    for old in &case.old {
        if let Some(new) = case.new.iter().find(|n| !taken.contains(&n.id) && fits(old, n)) {
            taken.insert(new.id.clone());
            pairs.insert((old.id.clone(), new.id.clone()));
        }
    }
    pairs
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let (binary, folder) = (PathBuf::from(&words[1]), PathBuf::from(&words[2]));
    let (cases, seed): (usize, u64) = (words[3].parse().unwrap(), words[4].parse().unwrap());
    let hard = words.get(5).is_some_and(|w| w == "hard");
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let mut classes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut status, mut induced, mut ambiguous) = ((0, 0), (0, 0), 0);
    for _ in 0..cases {
        let repo = folder.join("repo");
        let case = make(&repo, &mut random, hard);
        std::fs::write(folder.join("a.json"), json(&case.old)).unwrap();
        std::fs::write(folder.join("b.json"), json(&case.new)).unwrap();
        let mut command = Command::new(&binary);
        command.args(["match-findings", "--previous", "a.json", "--current", "b.json", "--repo", "repo"]);
        command.args(["--previous-rev", &case.revisions.0, "--current-rev", &case.revisions.1]);
        let output = command.current_dir(&folder).stderr(Stdio::null()).output().unwrap();
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{answer}");
        let ours: BTreeSet<(String, String)> = objects(&answer, "pairs").iter().map(|p| (p["previous"].clone(), p["current"].clone())).collect();
        let near = |a: &Finding, b: &Finding| a.path == b.path && a.line.abs_diff(b.line) <= 6 && a.level == b.level;
        let rules = [
            ("match-findings", ours.clone()),
            ("exact path and line", greedy(&case, |a, b| a.path == b.path && a.line == b.line)),
            ("path, 6 lines, severity", greedy(&case, near)),
            ("title only", greedy(&case, |a, b| a.title == b.title)),
        ];
        for (name, pairs) in rules {
            let score = scores.entry(name).or_default();
            score.said += pairs.len();
            score.wanted += case.truth.pairs.len();
            score.right += pairs.iter().filter(|p| case.truth.pairs.contains_key(*p)).count();
        }
        for (pair, of) in &case.truth.pairs {
            for class in of {
                let known = classes.entry(class).or_default();
                known.0 += usize::from(ours.contains(pair));
                known.1 += 1;
            }
        }
        let said: BTreeMap<String, String> = objects(&answer, "resolved").into_iter().map(|r| (r["id"].clone(), r["status"].clone())).collect();
        for (id, want) in &case.truth.resolved {
            let got = match said.get(id).map(String::as_str) {
                Some("unreported_unchanged" | "moved_unreported") => "same",
                Some("fixed" | "file_removed") => "fixed",
                _ => "other",
            };
            status.0 += usize::from(got == *want);
            status.1 += 1;
        }
        let said: BTreeMap<String, String> = objects(&answer, "added").into_iter().map(|r| (r["id"].clone(), r["fix_induced"].clone())).collect();
        for (id, want) in &case.truth.added {
            induced.0 += usize::from(said.get(id).is_some_and(|s| (s == "true") == *want));
            induced.1 += 1;
        }
        ambiguous += answer.matches("\"reason\"").count();
    }
    let mut out = String::new();
    for name in ["match-findings", "exact path and line", "path, 6 lines, severity", "title only"] {
        let _ = writeln!(out, "{name:26} {}", scores[name].show());
    }
    let share = |(right, all): (usize, usize)| right as f64 / all.max(1) as f64;
    let _ = writeln!(out, "status {:.3} of {}, fix_induced {:.3} of {}, ambiguous {ambiguous}", share(status), status.1, share(induced), induced.1);
    for (class, known) in &classes {
        let _ = writeln!(out, "  {class:18} recall {:.3} of {}", share(*known), known.1);
    }
    print!("{out}");
}
