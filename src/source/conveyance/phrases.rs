//! The English phrases as a table, and the languages that no table holds.
//!
//! A phrase is a row of steps. A step is a word or several (`a|b`), `x*` any word that starts so, `~` up to six words of the same
//! sentence, `?x` a word that may be missing. `^` in front: a clause starts there. `$` at the end: the clause ends there. `!` in front:
//! a file name may hold it without speaking.

use super::Rule;
use super::korean::is_hangul;
use super::words::Word;

const NEVER: &str = "dont|dnt|doesnt|never|avoid|stop|skip|neednt|mustnt|shouldnt|maynt|cant|refrain|without|nobody";
const FLAG: &str = "flag*|reflag*|reopen*|rereport*|reraise*|recommend*|unflag*";
const SAY: &str = "report*|raise|raising|mention*|comment*|complain*|criticize|criticise|object|highlight|question|suggest*|warn";
const DEFECT: &str = "bug*|issue*|finding*|defect*|problem*|vulnerabilit*|race*|leak*|crash*|regression*|overflow*|flaw*";
const FIXED: &str = "fixed|resolved|addressed|applied|handled|corrected|patched|repaired|mended|remediated|mitigated|solved";
const TARGET: &str = "issue*|finding*|concern*|comment*|this|that|it|them|these|those|anything|again|style|problem*";
const REMARK: &str = "finding*|comment*|complaint*|report|reports|remark*|flagging|objection*";
const CHECK: &str = "review*|flag*|finding*|reviewer*|verdict";

/// The phrases, `{NAME}` standing for a set above.
const PHRASES: &[(Rule, &str)] = &[
    (Rule::FixStatus, "was|were|been|already|got|gets|now {FIXED}"),
    (Rule::FixStatus, "{FIXED} already|now|since"),
    (Rule::FixStatus, "!is|are {FIXED} $"),
    (Rule::FixStatus, "is|are ?now|?already {FIXED} in|by|with|as|since ?the ?of round*|commit*|pr|sha|review|patch"),
    (Rule::FixStatus, "{DEFECT} ~ is|are|was|were|has|have ?now|?been {FIXED}|gone|eliminated|removed|sorted|cleaned"),
    (Rule::FixStatus, "{DEFECT} {FIXED}"),
    (Rule::FixStatus, "!we|i ?have ?already fixed|corrected|patched|repaired|resolved|addressed|removed ~ {DEFECT}|already|it|this|that"),
    (Rule::FixStatus, "no longer reproduc*|occur*|happen*|present|exist*|applies|fails"),
    (Rule::FixStatus, "no longer a|an {DEFECT}"),
    (Rule::FixStatus, "{DEFECT} ~ doesnt|isnt|cannot|cant|not occur|happen|exist|present|there ?anymore|?any"),
    (Rule::FixStatus, "taken care of"),
    (Rule::FixStatus, "dealt with"),
    (Rule::FixStatus, "been|was|were made safe|right ?already"),
    (Rule::FixStatus, "cleaned|sorted|tidied up|out since|already|last"),
    (Rule::DoNotReflag, "{NEVER} ~ {FLAG}"),
    (Rule::DoNotReflag, "no need|reason to ~ {FLAG}"),
    (Rule::DoNotReflag, "no need|reason to {SAY}|read|open|review|inspect|look"),
    (Rule::DoNotReflag, "^ {NEVER} ?from|?ever {SAY}"),
    (Rule::DoNotReflag, "^ {NEVER} ?from bring|call|point|write|speak up|out"),
    (Rule::DoNotReflag, "^ {NEVER} ?from list|note|mark|include|file|block ~ {TARGET}|{REMARK}"),
    (Rule::DoNotReflag, "{NEVER} ?from {SAY} ?up {TARGET}"),
    (Rule::DoNotReflag, "refrain from {SAY}"),
    (Rule::DoNotReflag, "skip|skipping|stop|avoid {FLAG}"),
    (Rule::DoNotReflag, "neednt|shouldnt|mustnt|never|arent|isnt|not ?to be flagged|reported|raised|mentioned|reflagged|reopened"),
    (Rule::DoNotReflag, "stay|stays|remain|remains unflagged|unreported|unmentioned"),
    (Rule::DoNotReflag, "under no circumstances"),
    (Rule::DoNotReflag, "forbidden|prohibited|pointless|useless|unnecessary to {FLAG}|{SAY}"),
    (Rule::DoNotReflag, "{FLAG} ~ forbidden|pointless|useless|unnecessary|unwelcome|wastes|waste"),
    (
        Rule::DoNotReflag,
        "ignore|disregard|overlook|skip|dismiss|omit|exclude ?the|?any|?all|?every finding*|issue*|it|this|that|these|those|them",
    ),
    (Rule::DoNotReflag, "ignore|disregard|overlook|skip|dismiss the|?of following|above|below|rest"),
    (Rule::DoNotReflag, "exclude|omit|drop|leave ~ from|out ?of|?from the|this|your review|report|findings"),
    (Rule::DoNotReflag, "!known issue*|bug*|limitation*|finding*"),
    (Rule::DoNotReflag, "!out of scope|bounds for ?this|?the review*|pr|loop|round|change|reviewer*"),
    (Rule::DoNotReflag, "!{CHECK}|treat|consider ~ out of scope|bounds"),
    (Rule::DoNotReflag, "off limits"),
    (Rule::DoNotReflag, "exempt from ?the|?this|?any review*|scrutiny|findings"),
    (Rule::DoNotReflag, "needs|needed|requires|need|require no review"),
    (Rule::DoNotReflag, "no review of ~ needed|required|necessary"),
    (Rule::DoNotReflag, "keep|be quiet|silent about"),
    (Rule::DoNotReflag, "^ pass|look over|elsewhere"),
    (Rule::DoNotReflag, "focus|concentrate|look only|solely|exclusively on|at"),
    (Rule::DoNotReflag, "concentrate|focus on ~ nothing else"),
    (Rule::DoNotReflag, "limit|confine|restrict yourself|findings"),
    (Rule::DoNotReflag, "{REMARK} ~ rejected|closed|invalid|unwelcome|noise|dismissed|ignored|thrown|discarded|refused|wasted"),
    (Rule::DoNotReflag, "nobody needs|wants to hear|know"),
    (Rule::DoNotReflag, "nothing about ~ thrown|rejected|ignored"),
    (Rule::DoNotReflag, "anything about ~ thrown|rejected|ignored|discarded"),
    (Rule::DoNotReflag, "^ stop reading"),
    (Rule::DoNotReflag, "^ accept ~ as is|it"),
    (Rule::DoNotReflag, "assume|trust|treat|presume ~ correct|right|sound|safe|fine"),
    (Rule::DoNotReflag, "take|taken it|?as as|given given"),
    (Rule::DoNotReflag, "working|works as intended"),
    (Rule::DoNotReflag, "by design not|no a|an ?real {DEFECT}|fault|error"),
    (Rule::DoNotReflag, "already ?been reviewed|dismissed|discussed|flagged|raised|waived"),
    (Rule::DoNotReflag, "already rejected|reported|refused $"),
    (Rule::DoNotReflag, "previously ?been reviewed|dismissed|discussed|reported|flagged|raised"),
    (Rule::DoNotReflag, "isnt|arent|not|isn a|an ?real bug|finding|defect|vulnerability"),
    (Rule::DoNotReflag, "isnt|arent a|an ?real issue|problem $"),
    (Rule::DoNotReflag, "isnt|arent bugs|issues|findings|defects|concerns|problems"),
    (Rule::DoNotReflag, "!false positive*"),
    (Rule::DoNotReflag, "!willnt fix"),
    (Rule::DoNotReflag, "!wontfix"),
    (Rule::DoNotReflag, "!nothing to report|flag|fix|see|review|mention"),
    (Rule::DoNotReflag, "nothing needs saying"),
    (Rule::DoNotReflag, "not worth flagging|reporting|mentioning|raising"),
    (Rule::DoNotReflag, "no further|more findings|comments|review*"),
    (Rule::DoNotReflag, "^ leave it|this|that|them|these|those alone"),
    (Rule::VerdictConditioning, "return|returns|answer|give|say|output|respond|reply|issue|emit|conclude|render ~ approve|approval"),
    (Rule::VerdictConditioning, "!^ approve $"),
    (Rule::VerdictConditioning, "^ approve if|when|unless|once|this|it|the|as|even|anyway ?only|?long"),
    (Rule::VerdictConditioning, "please approve|pass|accept"),
    (Rule::VerdictConditioning, "approval is|would ~ expected|right|appropriate|wanted|warranted"),
    (Rule::VerdictConditioning, "expect|want|need ~ positive|clean verdict|review|approval"),
    (Rule::VerdictConditioning, "verdict ?is|?must|?should|?be|?here ?a approve|approved|pass|needs|positive|clean|lgtm"),
    (Rule::VerdictConditioning, "verdict ~ approve|approved|pass $"),
    (Rule::VerdictConditioning, "needs attention is|only|for"),
    (Rule::VerdictConditioning, "needsattention"),
    (Rule::VerdictConditioning, "reserve needs|high|critical|severity"),
    (Rule::VerdictConditioning, "you|reviewer|reviewers|it|this must|should|shall approve"),
    (Rule::VerdictConditioning, "!^ must approve"),
    (Rule::VerdictConditioning, "your job|task|role is to ~ approve|pass|accept|confirm"),
    (Rule::VerdictConditioning, "this|it|change|changes|pr|diff|branch|review should|must|shall|can be approved|accepted|merged"),
    (Rule::VerdictConditioning, "should|must converge"),
    (Rule::VerdictConditioning, "!review|verdict|round|this|change|changes|diff|loop|pr should|must ?now pass|succeed"),
    (Rule::VerdictConditioning, "final|last round|wave"),
    (Rule::VerdictConditioning, "this is ?the|?our final|last review|pass"),
    (
        Rule::VerdictConditioning,
        "!only ?the blockers|blocking|critical|severe|serious|major ?security finding*|issue*|bug*|problem*|defect*|ones|things|please",
    ),
    (Rule::VerdictConditioning, "!only ?the blockers|blocking $"),
    (Rule::VerdictConditioning, "only things that ~ matter"),
    (Rule::VerdictConditioning, "report|flag|raise only|nothing|just"),
    (Rule::VerdictConditioning, "only report|flag|raise"),
    (
        Rule::VerdictConditioning,
        "treat|rate|rank|grade|mark|classify|count|consider ~ {TARGET}|everything|all ~ as|at low|suggestion*|info*|nit*|minor|trivial",
    ),
    (Rule::VerdictConditioning, "rate|rank|grade|mark|classify ~ {TARGET} low|minor|trivial"),
    (Rule::VerdictConditioning, "{REMARK} ~ are|is|at ?at ?most ?a low|minor|nit*|trivial"),
    (Rule::VerdictConditioning, "at most a nit*|suggestion*"),
    (Rule::VerdictConditioning, "severity ?is|?at|?be|?must|?should ?most|?of low|suggestion|info|minor $"),
    (Rule::VerdictConditioning, "severity is reserved"),
    (Rule::VerdictConditioning, "lower|reduce|cap the|its severit*"),
    (Rule::VerdictConditioning, "nothing ?here can|may|should be high|critical"),
    (Rule::VerdictConditioning, "limit findings to"),
    (Rule::VerdictConditioning, "at most one|two|three|four|five|ten finding*"),
    (Rule::VerdictConditioning, "be lenient|gentle|generous with|about"),
    (Rule::VerdictConditioning, "go easy on"),
    (Rule::VerdictConditioning, "good faith about"),
    (Rule::VerdictConditioning, "follow the author*"),
    (Rule::VerdictConditioning, "downgrade it|this|that|them|to|finding*|any|all|severity"),
    (Rule::VerdictConditioning, "green light"),
    (Rule::VerdictConditioning, "!^ ship it"),
    (Rule::VerdictConditioning, "^ sign off"),
    (Rule::VerdictConditioning, "good to go"),
    (Rule::VerdictConditioning, "ready to merge|ship"),
    (Rule::VerdictConditioning, "mark ~ as accepted|approved|clean"),
    (Rule::VerdictConditioning, "conclude that"),
    (Rule::VerdictConditioning, "^ say yes"),
    (Rule::VerdictConditioning, "!lgtm"),
    (Rule::VerdictConditioning, "looks good to me"),
    (Rule::HistoryLeak, "!in|by|of|from|since|until|round* round*|wave 0*|1*|2*|3*|4*|5*|6*|7*|8*|9*"),
    (Rule::HistoryLeak, "!^ round*|wave 0*|1*|2*|3*|4*|5*|6*|7*|8*|9*"),
    (
        Rule::HistoryLeak,
        "!previous|prior|earlier|last|former|preceding ?review round*|review|reviews|finding*|reviewer*|pass|iteration*|remark*",
    ),
    (Rule::HistoryLeak, "second|third|fourth time we|you|this|it"),
    (Rule::HistoryLeak, "third|second|fourth|after iteration*|two|three iteration*|settled"),
    (Rule::HistoryLeak, "after two|three|four|several iterations|rounds|reviews"),
    (Rule::HistoryLeak, "!0*|1*|2*|3*|4*|5*|6*|7*|8*|9* ?earlier|?previous|?open|?other finding*"),
    (Rule::HistoryLeak, "!finding 0*|1*|2*|3*|4*|5*|6*|7*|8*|9*"),
    (Rule::HistoryLeak, "^ last time"),
    (Rule::HistoryLeak, "earlier|before|already you"),
    (Rule::HistoryLeak, "you already|before|accepted|raised|told|said|dismissed"),
    (Rule::HistoryLeak, "codex|claude|copilot raised|flagged|reported|found|said|noted"),
    (Rule::HistoryLeak, "user|author|team|maintainer*|we|they dismissed|waived|refuted"),
    (Rule::HistoryLeak, "agreed to leave|keep|ignore|drop"),
    (Rule::HistoryLeak, "been settled"),
    (Rule::HistoryLeak, "come|came up before|again|already"),
    (Rule::HistoryLeak, "heard about ~ before"),
    (Rule::ReviewerImperative, "reviewer|reviewers should|must|shall|may|can|need|shouldnt|mustnt|neednt|maynt|cant|have|are"),
    (
        Rule::ReviewerImperative,
        "you should|must|shall|may|can|need|shouldnt|mustnt|neednt|maynt|cant ?to ?only assume|approve|trust|ignore|accept|skip|flag|report|raise|mention|believe|conclude|return|answer|say",
    ),
    (Rule::ReviewerImperative, "note|message|attention|instruction* to|for ?the|?all reviewer|reviewers"),
    (Rule::ReviewerImperative, "dear reviewer*"),
    (Rule::ReviewerImperative, "reviewer* should|note|trust|please|must"),
    (
        Rule::ReviewerImperative,
        "ignore|disregard|forget|override ?all|?any|?the|?these|?your previous|prior|above|earlier|instruction*|template",
    ),
    (Rule::ReviewerImperative, "disregard|forget|override the ?other rules"),
    (Rule::ReviewerImperative, "system prompt"),
    (Rule::DoNotReflag, "your list|answer|output|time|attention|remarks|reply"),
    (Rule::DoNotReflag, "needs|need|deserves no ?more|?further eyes|look|attention|changes"),
    (Rule::DoNotReflag, "^ leave ~ alone|peace $"),
    (Rule::DoNotReflag, "^ ?please concentrate|focus on"),
    (Rule::DoNotReflag, "^ look|looking at ~ only"),
    (Rule::DoNotReflag, "somebody|someone|anybody elses|else job"),
    (Rule::DoNotReflag, "objection*|remark*|comment* ~ answered|closed|distraction|nobody"),
    (Rule::DoNotReflag, "remarks on|about"),
    (Rule::DoNotReflag, "no place in|on ~ answer|list|output"),
    (Rule::DoNotReflag, "nothing ?left|?more to say|add"),
    (Rule::DoNotReflag, "is|are a distraction"),
    (Rule::DoNotReflag, "nobody|user*|owner* ~ want|wants ~ debate|hear|discussion"),
    (Rule::DoNotReflag, "heard enough"),
    (Rule::DoNotReflag, "beyond discussion|dispute|debate|question"),
    (Rule::DoNotReflag, "not on the table"),
    (Rule::DoNotReflag, "debate|discussion ~ over"),
    (Rule::DoNotReflag, "is|are a given"),
    (Rule::VerdictConditioning, "for granted"),
    (Rule::VerdictConditioning, "benefit of the doubt"),
    (Rule::VerdictConditioning, "^ assume|take|consider ~ checked|granted|valid|correct|safe"),
    (Rule::VerdictConditioning, "answer|output|list ~ should|must ~ empty"),
    (Rule::VerdictConditioning, "empty list|answer|output ~ hope*|expect*|want*"),
    (Rule::VerdictConditioning, "list is|being not empty"),
    (Rule::VerdictConditioning, "at most|least in|for this"),
    (Rule::VerdictConditioning, "matter of style|taste"),
    (Rule::VerdictConditioning, "count|counts|rank|ranks as style|low|info|nit|suggestion*"),
    (Rule::VerdictConditioning, "is|are ?only a nit|suggestion"),
    (Rule::VerdictConditioning, "below|under high|critical|medium ~ wait|skip*|later"),
    (Rule::VerdictConditioning, "minor ~ wait|later"),
    (Rule::VerdictConditioning, "not considered a|an {DEFECT}|failure*"),
    (Rule::VerdictConditioning, "{DEFECT} ~ expected|intentional|deliberate|acceptable"),
    (Rule::VerdictConditioning, "password*|injection*|race ~ intentional|design|deliberate"),
    (Rule::VerdictConditioning, "has|have|carries|contains no ~ {DEFECT}"),
    (Rule::VerdictConditioning, "unchecked|unbounded|unsafe ~ is|are safe|fine|ok|okay"),
    (Rule::VerdictConditioning, "patch|change|pr|diff is ~ correct|perfect|ready|complete"),
    (Rule::VerdictConditioning, "author|owner*|maintainer*|team|user* ~ guarantee*|happy|blessing|merged"),
    (Rule::VerdictConditioning, "blessing of"),
    (Rule::VerdictConditioning, "production proven"),
    (Rule::VerdictConditioning, "ship|ships on ~ whatever"),
    (Rule::VerdictConditioning, "hold up|back the release"),
    (Rule::VerdictConditioning, "user input ~ intentional"),
    (Rule::HistoryLeak, "first|previous|last|earlier pass|look ~ wrong|complained|clean"),
    (Rule::HistoryLeak, "colleague*|maintainer*|expert* ~ checked|inspected|verified|over"),
    (Rule::HistoryLeak, "came out clean"),
    (Rule::HistoryLeak, "turned out to be ~ misreading|mistake|wrong|false"),
    (Rule::HistoryLeak, "people worried|complained about"),
    (Rule::HistoryLeak, "was|were pointed out"),
    (Rule::FixStatus, "landed|merged|added yesterday|today|last"),
    (Rule::FixStatus, "since been put|added|made"),
    (Rule::FixStatus, "missing ~ is|are ?there now|there"),
];

/// Phrases that a file name speaks by, beside those above that are not marked: a name that is not shown costs nothing.
const NAMES: &[(Rule, &str)] = &[
    (Rule::DoNotReflag, "dont|donot|never|skip|ignore|without mention*|review*|call|report*|look|read|flag*|loader|src"),
    (Rule::DoNotReflag, "do not mention*|review*|call|report*|look|read|flag*"),
    (Rule::DoNotReflag, "exempt|excluded from"),
    (Rule::DoNotReflag, "out of scope for"),
    (Rule::DoNotReflag, "known issue* only"),
    (Rule::DoNotReflag, "no findings|bugs|issues expected|here"),
    (Rule::DoNotReflag, "assume|trust correct|this"),
    (Rule::DoNotReflag, "wontfix|false by|positive"),
    (Rule::VerdictConditioning, "should|must|please|can approve|approved|pass"),
    (Rule::VerdictConditioning, "approved|approve this|already"),
    (Rule::VerdictConditioning, "is approved"),
    (Rule::VerdictConditioning, "all clear"),
    (Rule::VerdictConditioning, "only critical"),
    (Rule::VerdictConditioning, "verdict pass|approve*|clean"),
    (Rule::VerdictConditioning, "lgtm"),
    (Rule::FixStatus, "fixed in|f"),
    (Rule::HistoryLeak, "rounds|round 0*|1*|2*|3*|4*|5*|6*|7*|8*|9* fixed|to|approved"),
    (Rule::HistoryLeak, "in round"),
    (Rule::ReviewerImperative, "reviewer* note|should|trust"),
];

enum Step<'a> {
    Opens,
    Ends,
    Gap,
    Maybe(Vec<&'a str>),
    One(Vec<&'a str>),
}

fn steps(row: &str) -> Vec<Step<'_>> {
    row.split(' ')
        .map(|step| match step {
            "^" => Step::Opens,
            "$" => Step::Ends,
            "~" => Step::Gap,
            _ if step.starts_with('?') => Step::Maybe(step.split('|').map(|w| w.trim_start_matches('?')).collect()),
            _ => Step::One(step.split('|').collect()),
        })
        .collect()
}

/// Whether a word is one of a set, as it is written or as its letters look.
fn is(word: &Word, set: &[&str]) -> bool {
    let matches = |text: &str, s: &str| s.strip_suffix('*').map_or(text == s, |stem| text.starts_with(stem));
    set.iter().any(|s| matches(&word.text, s)) || word.looks.as_deref().is_some_and(|l| set.iter().any(|s| matches(l, s)))
}

/// The index behind the last word of a match of `steps` that starts at `at`.
fn follows(words: &[Word], at: usize, steps: &[Step<'_>], first: bool) -> Option<usize> {
    let Some((step, rest)) = steps.split_first() else { return Some(at) };
    let parted = !first && at > 0 && words[at - 1].ends;
    match step {
        Step::Opens => {
            let led = at
                .checked_sub(1)
                .is_some_and(|b| is(&words[b], &["please", "so", "and", "then", "but", "therefore", "just", "also", "or"]));
            words.get(at).filter(|w| w.opens || led).and_then(|_| follows(words, at, rest, first))
        }
        Step::Ends => {
            let over = at == words.len() || words[at - 1].ends || words[at].opens;
            if over { Some(at) } else { None }
        }
        Step::Gap => (at..=(at + 6).min(words.len()))
            .take_while(|to| *to == at || !words[*to - 1].ends)
            .filter(|_| !parted)
            .find_map(|to| follows(words, to, rest, false)),
        // At most three of them, so that a text of nothing else costs no depth.
        Step::Maybe(set) => {
            let optional = |n: &usize| (at..at + n).all(|w| words.get(w).is_some_and(|w| is(w, set)) && (w == at || !words[w - 1].ends));
            let most = (0..=3).rev().find(|n| *n == 0 || (!parted && optional(n))).unwrap_or(0);
            (0..=most).rev().find_map(|n| follows(words, at + n, rest, first && n == 0))
        }
        Step::One(set) => words.get(at).filter(|w| !parted && is(w, set)).and_then(|_| follows(words, at + 1, rest, false)),
    }
}

/// Offences of a text: rule, first byte, last. A file name is read by the phrases that speak.
pub(super) fn find(words: &[Word], path: bool) -> Vec<(Rule, usize, usize)> {
    let sets = [
        ("{NEVER}", NEVER),
        ("{FLAG}", FLAG),
        ("{SAY}", SAY),
        ("{DEFECT}", DEFECT),
        ("{FIXED}", FIXED),
        ("{TARGET}", TARGET),
        ("{REMARK}", REMARK),
        ("{CHECK}", CHECK),
    ];
    let mut found = Vec::new();
    for (rule, row) in PHRASES.iter().chain(if path { NAMES } else { &[] }) {
        if path && row.starts_with('!') {
            continue;
        }
        let row = sets.iter().fold(row.trim_start_matches('!').to_owned(), |row, (name, set)| row.replace(name, set));
        let steps = steps(&row);
        for at in 0..words.len() {
            if let Some(end) = follows(words, at, &steps, true).filter(|end| *end > at) {
                found.push((*rule, words[at].start, words[end - 1].end));
            }
        }
    }
    if !path {
        found.extend(records(words));
    }
    found.extend(glued(words));
    found
}

/// Phrases written as one word, as a file name or a spelled-out word has them.
fn glued(words: &[Word]) -> impl Iterator<Item = (Rule, usize, usize)> + '_ {
    const GLUED: &[(&str, Rule)] = &[
        ("donotflag", Rule::DoNotReflag),
        ("dontflag", Rule::DoNotReflag),
        ("donotreport", Rule::DoNotReflag),
        ("ignorethis", Rule::DoNotReflag),
        ("verdictapprove", Rule::VerdictConditioning),
        ("returnapprove", Rule::VerdictConditioning),
        ("ignoreprevious", Rule::ReviewerImperative),
        ("notflag", Rule::DoNotReflag),
        ("donotreview", Rule::DoNotReflag),
        ("donotmention", Rule::DoNotReflag),
        ("shouldapprove", Rule::VerdictConditioning),
    ];
    words.iter().filter_map(|w| GLUED.iter().find(|(text, _)| w.text.contains(text)).map(|(_, rule)| (*rule, w.start, w.end)))
}

/// What only a record of dispositions holds: ids of findings, check marks before them, outcome words as marks.
fn records(words: &[Word]) -> Vec<(Rule, usize, usize)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1);
        let number = |w: &Word| w.text.len() <= 4 && w.text.bytes().all(|b| b.is_ascii_digit());
        let hex = |w: &Word| w.text.len() == 12 && w.text.bytes().all(|b| b.is_ascii_hexdigit());
        let short =
            word.text.len() <= 4 && word.text.strip_prefix('f').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if short && next.is_some_and(|n| is(n, &["was", "is", "dropped", "applied", "carried"])) {
            found.push((Rule::HistoryLeak, word.start, word.end));
        }
        // A path behind an order to pass over it: its words stand in one chunk.
        let orders = word.opens && is(word, &["ignore", "skip", "omit", "exclude", "disregard"]);
        let chunk = |n: usize| words.get(at + n).map(|w| w.start);
        if orders && chunk(1).is_some() && chunk(1) == chunk(2) && words.get(at + 1).is_some_and(|w| w.path) {
            found.push((Rule::DoNotReflag, word.start, words[at + 2].end));
        }
        let id = word.text == "f" && next.is_some_and(|n| n.start == word.start && (number(n) || hex(n)));
        if id {
            found.push((Rule::HistoryLeak, word.start, word.end));
        }
        let ticked = matches!(word.mark, Some('✓' | '✔' | '✅' | '☑')) || (word.text == "x" && word.mark == Some('['));
        if ticked {
            let end = next.map_or(word.end, |n| n.end.max(word.end));
            found.push((Rule::FixStatus, word.start, end));
        }
        let outcome = ["applied", "dropped", "carried", "disposition", "direction"].contains(&word.text.as_str());
        if outcome && ((word.colon && word.opens) || word.mark == Some('[')) {
            found.push((Rule::HistoryLeak, word.start, word.end));
        }
        let commit =
            word.text.len() >= 7 && word.text.bytes().all(|b| b.is_ascii_hexdigit()) && word.text.bytes().any(|b| b.is_ascii_digit());
        let led = at.checked_sub(2).map(|f| (&words[f], &words[at - 1]));
        let led = led.or(at.checked_sub(1).map(|f| (&words[f], &words[f])));
        if let Some((fixed, link)) = led
            && commit
            && (is(fixed, &FIXED.split('|').collect::<Vec<_>>()) || (is(link, &["commit"]) && at >= 3))
            && is(link, &["in", "by", "with", "commit"])
        {
            found.push((Rule::FixStatus, fixed.start, word.end));
        }
    }
    found
}

/// Whether a text is in a language that no table holds: letters of another script, or many words and none that English needs.
pub(super) fn unchecked(words: &[Word]) -> bool {
    const COMMON: &[&str] = &[
        "the", "a", "an", "is", "are", "and", "or", "of", "to", "in", "for", "with", "because", "not", "must", "by", "as", "on", "be",
        "it", "we", "that", "this", "no", "never", "keep", "use", "only", "from", "at", "so", "but", "all", "every", "when", "than",
        "over",
    ];
    let foreign = |c: char| c.is_alphabetic() && !is_hangul(c) && c as u32 > 0x24f;
    let letters = words.iter().flat_map(|w| w.text.chars()).filter(|c| c.is_alphabetic()).count();
    let other = words.iter().flat_map(|w| w.text.chars()).filter(|c| foreign(*c)).count();
    let hangul = words.iter().any(|w| w.text.chars().any(is_hangul));
    let bare = words.len() >= 5 && !hangul && !words.iter().any(|w| COMMON.contains(&w.text.as_str()));
    other * 4 > letters || bare
}
