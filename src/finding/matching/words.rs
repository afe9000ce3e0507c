//! What a finding says, as a few defect concepts and its own words, so that two wordings of one defect are alike.
//!
//! The table below is knowledge of the trade: stems that reviewers use for a kind of defect, in several groups of near synonyms.
//! A stem counts where a word starts with it. docs/identity.md shows the table. Bound: linear in the text.

use crate::base::case;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One concept a line: its name, then the stems that speak of it; a plus joins two stems that must both be there.
const CONCEPTS: &[(&str, &str)] = &[
    (
        "null",
        "null nil none nullable undefined optional unset absent dereferenc unwrap npe nullptr missing+value value+missing lookup+nothing nothing+guarantees empty+result+crash crash+empty not+set no+value guard+missing present+assum access+nothing",
    ),
    (
        "unchecked",
        "unchecked+return unchecked+error unchecked+result return+ignored ignored+result ignored+error ignor+return discard+error discard+result drop+error dropped+status status+dropped unhandled+error error+checked silently fail+unnoticed unnoticed outcome bubble propagate errno failure+lost nobody+looks inspects+outcome as+if+worked claims+success problem+lost returned+status",
    ),
    (
        "swallow",
        "swallow catch-all broad+except bare+except bare+handler empty+handler empty+catch handler+conceal mask+interrupt silenced suppress re-raise reraise rethrow vanish+handler narrow+type catch+only catching+everything catch+everything broad+catch except+pass exception+ignored hides+exception hides+failure",
    ),
    (
        "abort",
        "panic abort+process crash+input terminates+instead terminat+process unwrap+user assertion+user hard+failure recoverable malformed+panic brings+down process+dies dies+invalid exit+library kills+process assert+input aborts fatal+exit crashes+server",
    ),
    (
        "upper_bound",
        "off-by-one+upper off-by-one+end upper+bound last+index past+end exclusive+range inclusive+limit exclusive+limit upper+limit+exclusive fencepost one+past one+too+far step+too+far overrun+end tail one+extra final+iteration last+iteration length+equal strict+comparison beyond+length",
    ),
    (
        "lower_bound",
        "first+element first+entry first+record index+zero start+index head+skipped head+left skip+first initial+offset initial+record lower+bound item+zero starts+late begins+second begins+one counting+begins start+range beginning+ignored single+row off-by-one+start",
    ),
    (
        "bounds",
        "out-of-bounds out+bounds index+range bound+check bounds+check buffer+overflow buffer+overrun overread overwrite+memory slice+length+check index+unchecked",
    ),
    (
        "command",
        "shell command+injection sh+-c subprocess metacharacter arbitrary+command arbitrary+program interpreter spawn+string spawned+process system+input argument+vector exec+arguments command+line+text unquoted+input command+string",
    ),
    (
        "sql",
        "sql query+concat query+string query+interpolat parameteri bind+parameter bind+value placeholder prepared statement+concat database+injection query+built query+text query+user",
    ),
    (
        "traversal",
        "traversal dot-dot ../ outside+folder outside+directory escape+directory directory+escape sandbox containment confined base+folder base+directory arbitrary+file parent+segment crafted+name served+directory absolute+name joined+path",
    ),
    (
        "markup",
        "xss html+escap script+inject unescaped+output unescaped+html sanitiz+html cross-site+script markup+raw innerhtml autoescape raw+html html+user dangerouslysetinnerhtml script+tag",
    ),
    (
        "race",
        "race synchroni concurren thread-safe thread+safe interleav atomic unsynchron simultaneous parallel+worker missing+lock lock+around mutex lost+update update+lost toctou check-then read-modify-write shared+state+lock several+threads two+threads",
    ),
    (
        "deadlock",
        "deadlock lock+order locks+order lock+twice reentran circular+wait opposite+order mutual+wait wait+each+other acquire+order two+locks hold+lock+while lock+held+call",
    ),
    (
        "leak",
        "leak+handle leak+descriptor leak+resource leak+connection leak+file not+closed never+closed close+missing missing+close handle+open descriptor left+open unreleased release+never released+error finally dispose stays+open closes+path connection+returned pool+exhaust resource+release",
    ),
    (
        "growth",
        "unbounded+growth grows+limit grows+forever grows+without unbounded+cache unbounded+list evict retained memory+climb memory+rises memory+usage memory+grow ram ever-growing only+bigger accumulat out-of-memory removes+elements never+removed never+shrink retain+forever items+kept leak+collection bounded+size cap+size",
    ),
    ("use_after", "use-after freed dangling lifetime after+free double+free stale+pointer outlive use+after+close closed+already"),
    (
        "overflow",
        "integer+overflow overflow+multipl overflow+arith overflows wraps+around wrap+around wraps rolls+over exceed+range exceed+type does+not+fit product+fit narrowing lossy+cast truncat+cast cast+truncat 32-bit saturat unchecked+addition unchecked+arithmetic widen wider+type negative+result hostile+length large+numbers",
    ),
    ("division", "divi+zero zero+divisor divisor denominat modulo+zero average+empty total+zero ratio+undefined nan+empty division"),
    (
        "float",
        "float+equal floating+compar float+compar floating-point epsilon precision exact+comparison+float binary+fraction tolerance+float float+money",
    ),
    ("rounding", "rounding round+cent truncat+cent half-cent banker round+down rounds"),
    ("timezone", "timezone time+zone time-zone utc naive+datetime local+time daylight dst offset+zone zone+lost local+clock"),
    ("clock", "wall+clock monotonic clock+jump clock+skew system+time+interval elapsed+clock"),
    (
        "unit",
        "milliseconds+seconds unit+mismatch wrong+unit units+mixed bytes+kilobytes factor+1000 unit+confus seconds+expected mixed+units conversion+factor",
    ),
    (
        "timeout",
        "timeout timeouts hang hangs deadline limit+time wait+limit upper+limit+wait waits+forever blocks+forever silent+server blocks+worker ties+up indefinitely+request unbounded+wait never+returns dead+connection stuck+waiting no+time+limit",
    ),
    (
        "retry",
        "retry retries retried backoff back-off hammer thundering attempts tries tight+loop hot+loop busy+loop pause+between flood again+pause exponential reattempt jittered dead+backend",
    ),
    ("loop", "infinite+loop endless never+terminat loop+forever termination spin+forever loop+exit no+exit never+ends loop+never"),
    ("recursion", "recurs stack+overflow depth+limit nesting+depth unbounded+depth"),
    (
        "quadratic",
        "quadratic o(n nested+loop nested+scan linear+search linear+lookup linear+scan repeated+scan complexity+grow slow+big slow+large constant+time set+map+look walked+again full+list+again rebuilt+iteration scans+whole performance+input hash+lookup",
    ),
    ("nplus", "n+1 query+loop query+each round-trip round+trip one+query+per batch+query query+per queries+inside"),
    (
        "blocking",
        "blocking+async blocking+call non-blocking event+loop await-able executor freezes scheduler main+thread blocks+runtime stops+responding synchronous+async worker+thread sync+call holds+executor async+code",
    ),
    (
        "await",
        "await+missing missing+await not+awaited unawaited floating+promise promise+ignored future+dropped forgotten+await fire-and-forget",
    ),
    (
        "secret",
        "secret+code secret+source hard-coded+key hardcoded+key password+plain credential+source hard-coded+password hard-coded+credential hardcoded+token api+key token+repository key+repository embed+password private+key+commit checked-in+credential rotate",
    ),
    (
        "logsecret",
        "log+password log+token log+secret log+credential sensitive+log logs+personal leaks+log leaks+logging token+logging mask+header mask+before redact pii password+printed secret+output authorisation+header+print authorization+header+print plain+log",
    ),
    (
        "auth",
        "authenticat authoriz authoris permission+check access+control unauthori any+user privilege role+check login+check ownership anonymous+caller idor who+allowed missing+permission caller+rights",
    ),
    ("csrf", "csrf request+forgery forged+request same-site"),
    ("ssrf", "ssrf internal+url internal+address server-side+request fetch+user+url metadata+endpoint internal+host"),
    ("redirect", "open+redirect redirect+unvalidated redirect+user redirect+target redirected"),
    (
        "crypto",
        "md5 sha1 sha-1 weak+hash weak+cipher ecb insecure+hash broken+crypto broken+hash cipher+mode fixed+iv static+iv salt+missing unsalted digest+broken collision+attack outdated+hash",
    ),
    (
        "random",
        "predictable random+insecure insecure+random math.random guessable seed+fixed prng non-crypto pseudo-random secure+generator random+source",
    ),
    ("timing", "timing+attack constant-time timing-safe compare+secret+equal byte+by+byte early+exit+compar"),
    ("tls", "certificate verify+false tls ssl hostname+verif insecure+transport plain+http"),
    ("deserial", "deseriali pickle yaml.load unsafe+load untrusted+object eval+input code+eval object+graph+untrusted arbitrary+object"),
    (
        "validation",
        "validat unvalidated unverified+input input+checked bounds+input reject+malformed trust+input trusted+input untrusted+length accepts+anything sanity+check unsanitis unsanitiz range+check+input negative+accepted",
    ),
    ("regex", "regex regular+expression backtrack redos anchored unanchored unescaped+dot catastrophic pattern+matches pattern+greedy"),
    (
        "encoding",
        "encoding utf-8 utf8 utf-16 charset decode+bytes non-ascii byte+length mojibake codepage surrogate unicode multi-byte multibyte platform+default+encod",
    ),
    ("locale", "locale+lower lowercase+locale turkish casefold case+sensitiv case-insensitiv upper+locale collat"),
    (
        "compare",
        "inverted polarity negat reversed reverse+logic opposite+case opposite+branch wrong+way wrong+operator comparison+operator wrong+side wrong+comparison flipped boolean+inverted backwards+condition true+ought true+false+remove and+instead or+instead condition+wrong rejection+branch",
    ),
    (
        "assign",
        "assignment+instead single+equals assign+condition shadow redeclar wrong+variable copy-paste+variable swapped swap+argument argument+order parameters+order wrong+order+argument transposed wrong+argument",
    ),
    (
        "identity",
        "reference+equal identity+compar equals+method compare+reference loose+equality strict+equality type+coercion object+identity",
    ),
    ("mutabledefault", "mutable+default default+argument+list shared+default default+object+reused shared+between+calls"),
    (
        "sharedstate",
        "global+state global+variable shared+mutable module-level aliasing alias mutates+caller mutates+input defensive+copy returns+internal modifies+argument side+effect hidden+state",
    ),
    (
        "iterate",
        "modif+while+iterat concurrent+modification removing+during mutate+during+iteration changed+size changed+iterat deleting+while collection+loop+remove",
    ),
    (
        "default",
        "default+value wrong+default fallback fall-through falls+through missing+break missing+default unhandled+case unhandled+variant exhaustive switch+case else+branch+missing",
    ),
    (
        "cache",
        "stale outdated+result cached cache memo invalidat old+value+survives yesterday not+refreshed is+refreshed diverges remembered restart+invisible cache+key store+refreshed up-to-date old+data",
    ),
    (
        "transaction",
        "transaction rollback partial+write atomicity half-written half+written commit+missing inconsistent+database all-or-nothing partially+applied two+writes",
    ),
    ("idempotent", "idempoten duplicate+request processed+twice double+charge replay delivered+twice twice+delivered at-least-once"),
    (
        "ordering",
        "sort+order unstable+order order+guaranteed nondetermin map+order iteration+order sorted+lexic lexicograph sort+numeric order+differs hash+order",
    ),
    ("fsync", "fsync durab atomic+rename power+loss flush+disk crash+halfway torn+file"),
    ("tempfile", "temp+predict mktemp tmp+race world-writable temporary+name temporary+file+predict symlink+tmp"),
    ("permissionbits", "file+mode world-readable chmod 0777 permissive umask readable+everyone file+permission"),
    ("signal", "signal+handler async-signal sigterm graceful shutdown+drops interrupt+ignored"),
    ("pagination", "paginat next+page page+size first+page cursor+page remaining+pages"),
    ("ratelimit", "rate+limit rate-limit throttl brute+force flood+endpoint abuse+endpoint"),
    (
        "deadcode",
        "dead+code unreachable never+used never+called never+run cannot+run no+reader obsolete leftover+code unused not+referenced always+returns nothing+calls branch+never removable",
    ),
    (
        "duplicate",
        "duplicat copied+code repeated+logic repeats+code copy-pasted copy-paste copies+drift drift+apart identical+earlier identical+sequence dry extract+helper extract+shared shared+helper shared+function share+implementation factored re-implement reimplement already+offers second+copy same+block",
    ),
    (
        "naming",
        "naming misleading+name name+misleading rename unclear+name ambiguous+name identifier+says typo misspell misspelt spelling name+suggests badly+named",
    ),
    (
        "docs",
        "comment+stale stale+comment outdated+comment comment+contradict comment+wrong comment+says docstring documentation doc+missing readme description+says description+differs documented+behaviour documents",
    ),
    (
        "test",
        "test+missing missing+test untested no+test test+absent coverage assert+nothing asserts assertion+missing flaky regression+test test+covers uncovered scenario+failed lacks+test without+test",
    ),
    (
        "magic",
        "magic+number magic hard-wired hard-coded+number unexplained literal constant+named named+constant figure+nowhere number+nowhere rationale why+value hard-coded+limit hard-coded+value hardcoded+value configurable hard-coded+path hard-coded+url",
    ),
    (
        "complexity",
        "too+long split+function cyclomatic deeply+nested hard+follow refactor large+function responsibilities long+method does+too+much",
    ),
    (
        "logging",
        "log+level missing+log noisy+log log+context debug+statement debug+output leftover+print print+statement debugging console.log left-over+debug trace+output",
    ),
    (
        "typing",
        "type+mismatch wrong+type type+annotation cast+unchecked string+number type+confus implicit+conver parseint parse+int radix type+differs not+a+number concatenates+instead",
    ),
    ("config", "configuration environment+variable env+var flag+ignored setting+ignored config option+ignored"),
    ("dependency", "dependency+version unpinned pinned+version outdated+dependency vulnerable+dependency lockfile pin+version"),
    ("compat", "backward+compat breaking+change api+change wire+format migration schema+change old+clients deprecat incompatible"),
    (
        "copy",
        "unnecessary+copy needless+clone extra+allocation allocate+loop clone+avoid string+concat+loop builder+string copies+whole borrow+instead allocation+iteration",
    ),
    ("todo", "todo fixme unfinished placeholder+code stub not+implemented unimplemented"),
    ("accessib", "accessib aria screen+reader alt+text contrast keyboard+focus"),
    ("react", "useeffect dependency+array rerender re-render stale+closure hook+order key+prop"),
    ("emptyinput", "empty+list empty+input empty+collection empty+array no+elements zero+length empty+string"),
    (
        "errormsg",
        "error+message vague+error unhelpful+message misleading+message message+lacks message+hides message+does+not+say context+error",
    ),
    ("cleanup", "cleanup early+return+skip left+behind orphan temporary+left rolled+back not+undone"),
    ("version", "version+check format+version magic+header checksum integrity+check signature+verified"),
];

/// What a finding says.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    /// Concepts, by how much is said of each.
    concepts: BTreeMap<usize, f64>,
    /// Its own words, stemmed.
    words: BTreeSet<String>,
    /// Those of them that stand in the line it is about or in the path: they say where, and not what.
    local: BTreeSet<String>,
}

/// Reads title and body; the title says twice as much. `place` is the line that is meant, and the path.
pub(super) fn read(title: &str, body: &str, place: &str) -> Said {
    let (title_words, body_words) = (tokens(title), tokens(body));
    let mut said = Said::default();
    let all: Vec<&str> = title_words.iter().chain(&body_words).map(String::as_str).collect();
    let in_title = title_words.len();
    let table = table();
    // The first word that each stem begins.
    let mut first: HashMap<usize, usize> = HashMap::new();
    for (at, word) in all.iter().enumerate() {
        let stems = word.as_bytes().get(..2).and_then(|head| table.by_head.get(head)).map_or(&[][..], Vec::as_slice);
        for (stem, number) in stems {
            if word.starts_with(stem) {
                first.entry(*number).or_insert(at);
            }
        }
    }
    for (at, groups) in table.concepts.iter().enumerate() {
        let mut weight = 0.0;
        for group in groups {
            let places: Option<Vec<usize>> = group.iter().map(|s| first.get(s).copied()).collect();
            if let Some(places) = places {
                let titled = places.iter().all(|p| *p < in_title);
                weight += if titled { 2.0 } else { 1.0 } * if group.len() == 1 { 1.2 } else { 1.0 };
            }
        }
        if weight > 0.0 {
            said.concepts.insert(at, f64::min(weight, 5.0));
        }
    }
    said.words = all.iter().filter(|w| w.chars().count() > 2 && !STOP.contains(w)).map(|w| stem(w)).collect();
    // Whole, without its folders, and in its parts.
    let lower = case::lower(place);
    let parts = lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let names = lower.split(|c: char| c.is_whitespace() || c == '/');
    let there: BTreeSet<String> = tokens(place).iter().map(String::as_str).chain(parts).chain(names).map(stem).collect();
    said.local = said.words.intersection(&there).cloned().collect();
    said
}

/// How alike two findings speak, from 0 to 1: of the same concepts, with how sure that is, and in the same words. None where one
/// has no concept. Of two that stand at one place (`near`) the words of the place say nothing.
pub(super) fn alike(a: &Said, b: &Said, rarity: &Rarity, near: bool) -> (Option<(f64, f64)>, f64) {
    let norm = |s: &Said| s.concepts.values().map(|w| w * w).sum::<f64>().sqrt();
    let (na, nb) = (norm(a), norm(b));
    let dot: f64 = a.concepts.iter().filter_map(|(k, w)| b.concepts.get(k).map(|v| w * v)).sum();
    let concepts = (na > 0.0 && nb > 0.0).then(|| (dot / (na * nb), (na.min(nb) / 2.2).min(1.0)));
    let of_place = |w: &String| near && (a.local.contains(w) || b.local.contains(w));
    let weight = |words: &BTreeSet<String>| words.iter().filter(|w| !of_place(w)).map(|w| rarity.of(w)).sum::<f64>();
    let shared: f64 = a.words.intersection(&b.words).filter(|w| !of_place(w)).map(|w| rarity.of(w)).sum();
    let total: f64 = weight(&a.words).min(weight(&b.words));
    (concepts, if total > 0.0 { shared / total } else { 0.0 })
}

/// How rare each word is among all findings of both sides.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    counts: HashMap<String, u32>,
    all: u32,
}

impl Rarity {
    /// Counts the words of all findings.
    pub(super) fn of_all<'s>(said: impl IntoIterator<Item = &'s Said>) -> Rarity {
        let mut rarity = Rarity::default();
        for one in said {
            rarity.all += 1;
            for word in &one.words {
                *rarity.counts.entry(word.clone()).or_default() += 1;
            }
        }
        rarity
    }

    fn of(&self, word: &str) -> f64 {
        let seen = f64::from(self.counts.get(word).copied().unwrap_or(0));
        ((f64::from(self.all) + 1.0) / (seen + 1.0)).ln() + 0.2
    }
}

/// Words that every finding may hold.
const STOP: &[&str] = &[
    "the",
    "and",
    "for",
    "that",
    "this",
    "with",
    "are",
    "was",
    "not",
    "but",
    "from",
    "its",
    "has",
    "have",
    "can",
    "may",
    "will",
    "when",
    "where",
    "which",
    "here",
    "there",
    "then",
    "than",
    "into",
    "only",
    "also",
    "code",
    "line",
    "lines",
    "file",
    "function",
    "method",
    "call",
    "value",
    "should",
    "would",
    "could",
    "must",
    "please",
    "consider",
    "before",
    "after",
    "merge",
    "fix",
    "use",
    "used",
    "uses",
    "instead",
    "still",
    "present",
    "see",
    "any",
    "all",
    "one",
    "two",
    "way",
    "via",
    "per",
    "you",
    "your",
    "our",
    "add",
    "make",
    "does",
    "done",
    "they",
    "them",
    "because",
    "since",
    "while",
    "until",
    "high",
    "medium",
    "low",
    "critical",
    "suggestion",
    "severity",
    "production",
    "users",
    "affects",
    "effort",
    "correct",
    "adding",
    "test",
    "well",
    "seen",
    "reading",
    "diff",
    "callers",
    "part",
    "works",
    "together",
    "statement",
    "reads",
    "around",
    "involves",
    "point",
    "depends",
    "holds",
    "place",
    "second",
    "look",
];

/// Lower-case words; a hyphen, a dot or a slash inside one keeps it together beside its parts.
fn tokens(text: &str) -> Vec<String> {
    let lower = case::lower(text);
    let mut found: Vec<String> = Vec::new();
    for word in
        lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '"' | '\'' | '`' | '!' | '?' | '[' | ']' | '{' | '}'))
    {
        let word = word.trim_matches(|c: char| matches!(c, '.' | ')' | '(' | '*' | '_'));
        if word.is_empty() {
            continue;
        }
        if word.contains(['-', '/', '.', '(', '_']) {
            found.extend(word.split(['-', '/', '.', '(', '_']).filter(|p| p.len() > 1).map(str::to_owned));
        }
        found.push(word.to_owned());
    }
    found
}

/// A word without its most common endings.
fn stem(word: &str) -> String {
    for end in ["ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "ly", "s"] {
        if let Some(rest) = word.strip_suffix(end).filter(|r| r.chars().count() >= 4) {
            return rest.to_owned();
        }
    }
    word.to_owned()
}

/// The table with its stems numbered.
struct Table {
    /// Of each concept the groups of stems that speak of it.
    concepts: Vec<Vec<Vec<usize>>>,
    /// Stems by their first two bytes.
    by_head: HashMap<[u8; 2], Vec<(&'static str, usize)>>,
}

/// The table, split once.
fn table() -> &'static Table {
    static TABLE: std::sync::OnceLock<Table> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        let mut numbers: HashMap<&'static str, usize> = HashMap::new();
        let mut table = Table { concepts: Vec::new(), by_head: HashMap::new() };
        for (_, stems) in CONCEPTS {
            let groups = stems.split(' ').filter(|s| !s.is_empty()).map(|group| {
                let stems = group.split('+').filter(|s| s.len() > 1);
                let numbered = stems.map(|stem| {
                    let next = numbers.len();
                    *numbers.entry(stem).or_insert_with(|| {
                        let head = [stem.as_bytes()[0], stem.as_bytes()[1]];
                        table.by_head.entry(head).or_default().push((stem, next));
                        next
                    })
                });
                numbered.collect::<Vec<usize>>()
            });
            let groups: Vec<Vec<usize>> = groups.filter(|g| !g.is_empty()).collect();
            table.concepts.push(groups);
        }
        table
    })
}

/// The concepts and their stems, as docs/identity.md shows them.
pub fn concepts() -> impl Iterator<Item = (&'static str, &'static str)> {
    CONCEPTS.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_place_say_nothing_of_two_findings_that_stand_there() {
        let place = "src/queue_reader.rs let depot = parser.open(carrier);";
        let a = read("`depot` is odd", "In queue_reader.rs carrier and depot meet", place);
        let b = read("`carrier` looks wrong", "In queue_reader.rs depot is handed to carrier", place);
        let rarity = Rarity::of_all([&a, &b]);
        assert_eq!(alike(&a, &b, &rarity, true).1, 0.0);
        assert!(alike(&a, &b, &rarity, false).1 > 0.3);
    }
}
