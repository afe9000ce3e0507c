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
    &[("TypeError when user is not logged in", "`{}` is accessed on a possibly undefined object; use optional chaining."), ("Potential NPE", "`get()` may return null according to its contract and we call a method on it right away."), ("Option is unwrapped without a check", "If the row does not exist this will blow up."), ("Missing existence check", "What happens when there is no match? We read a property of it anyway."), ("Segfault if allocation fails", "malloc can return NULL, and `{}` is written to unconditionally."), ("`{}` might not be initialised", "The object is only set in the happy path but is used below in all cases.")],
    &[("err is shadowed and never looked at", "We carry on even though the write may have gone wrong."), ("Result discarded with `let _ =`", "A failed save would look like a successful one to the caller."), ("Missing error handling", "The promise/call can reject or return an error code, which we do not test."), ("The return code of `{}` matters", "On failure we still report ok."), ("Failure of `{}` is not surfaced", "Please return the error up the stack."), ("Write errors get lost", "Short writes and full disks are not detected here.")],
    &[("Check-then-act on `{}`", "Another request may modify it between the check and the write."), ("Not safe under concurrent requests", "Two callers can both see the old balance and both subtract."), ("Map is written from several goroutines", "Use sync.Map or guard it."), ("TOCTOU window", "The file can be replaced after the stat and before the open."), ("Counter update is not atomic", "Increments from parallel jobs can be dropped."), ("Shared `{}` mutated outside the lock", "The critical section ends one line too early.")],
    &[("Locks taken in different order", "transfer(a,b) and transfer(b,a) running together will wait for each other."), ("Self-deadlock", "The method acquires a non-reentrant mutex which the caller already owns."), ("Holding the lock during a callback", "If the listener calls back into us, nothing ever moves again."), ("Blocked forever on own channel", "The send has no receiver because this goroutine is the one that would read."), ("Nested acquisition of `{}`", "A second thread doing this the other way round freezes both."), ("ABBA pattern", "Take both mutexes in a fixed order.")],
    &[("File is not closed if parsing throws", "Use a context manager."), ("Connection is never given back to the pool", "After enough requests the pool is empty."), ("Response body must be closed", "Otherwise sockets pile up."), ("Missing `defer f.Close()`", "`{}` leaks on the early return."), ("Handles leak", "Nobody disposes the reader."), ("try-with-resources please", "An exception between open and close leaks the stream.")],
    &[("Listeners are added and never removed", "Each navigation adds another one; memory goes up until the tab dies."), ("Cache has no eviction", "Every distinct key stays in memory for good."), ("Memory leak in `{}`", "The map keeps references to finished sessions."), ("Unbounded queue", "If consumers are slow it grows until OOM."), ("History array only ever gets longer", "Cap it or drop old items."), ("Entries are retained after disconnect", "Delete the client from `{}` when the socket closes.")],
    &[("Multiplication may overflow i32", "width * height of a large image does not fit."), ("usize subtraction can underflow", "If `{}` is 0 this wraps to a huge number."), ("Casting to u8 loses data", "Values over 255 are cut off."), ("Use checked arithmetic", "An attacker can choose a length which makes the sum wrap."), ("Signed overflow is undefined behaviour", "Adding one to INT_MAX here."), ("Timestamp does not fit in 32 bits", "After 2038 it becomes negative.")],
    &[("Divide by zero on empty input", "len(items) is 0 for a new account."), ("Average of an empty list", "Returns NaN and breaks the chart."), ("Guard against total == 0", "The percentage computation raises ZeroDivisionError."), ("`{}` can be zero", "It is used as a divisor below."), ("Modulo by zero", "When no shards are configured this panics."), ("Ratio with zero denominator", "Infinity ends up in the JSON.")],
    &[("requests.get inside an async handler", "All other connections wait while it runs."), ("fs.readFileSync on the hot path", "This stalls the event loop for every user."), ("Sync DB driver in async function", "Run it in a thread pool."), ("std::thread::sleep in a tokio task", "It parks the whole worker."), ("CPU-heavy work on the UI thread", "The interface freezes while `{}` is computed."), ("Long computation blocks the reactor", "Use spawn_blocking.")],
    &[("fetch has no timeout", "A hung upstream keeps the request open for ever."), ("HTTP client without deadline", "Set a context with timeout."), ("Waits for the child without any limit", "If it never exits, neither do we."), ("Socket read can block for ever", "setSoTimeout is missing."), ("No upper bound on waiting for `{}`", "Users see a spinner until they give up."), ("Add an abort signal", "The call to the third party never gets cancelled.")],
    &[("Retries immediately", "No sleep between the tries; the backend is hit hundreds of times a second while it is down."), ("Add exponential backoff", "All clients retry at the same moment."), ("Retry storm", "Failing calls are repeated in a tight loop."), ("Unlimited retries", "It should give up after a few attempts."), ("Reconnect loop spins", "As soon as the connect fails it connects again."), ("Jitter missing", "Clients reconnect in lockstep after an outage.")],
    &[("Condition looks inverted", "Should be `!isValid`, otherwise valid input is refused."), ("`>` instead of `>=`", "A request at exactly the limit is let through."), ("Wrong boolean operator", "`||` makes this always true."), ("The check is backwards", "We bail out for admins and let everyone else in."), ("if/else branches are swapped", "On success it logs the failure."), ("Negation missing", "It runs when the flag is off.")],
    &[("Cache is not invalidated on update", "Users keep seeing the old profile."), ("Stale read after write", "`{}` is served from the memo."), ("TTL missing", "Permissions revoked today remain valid until the process restarts."), ("Cached value outlives the config reload", "Clear it in the reload hook."), ("Wrong cache key", "The language is not part of the key, so the second visitor gets the first one's translation."), ("Old price shown after a change", "The lookup result is remembered for ever.")],
    &[("Missing encoding argument in open()", "On Windows this reads cp1252."), ("Slicing a UTF-8 string by bytes", "Panics inside a multibyte character."), ("String length counts UTF-16 units", "Emoji are counted twice."), ("Non-ASCII names are garbled", "The header is decoded as latin-1."), ("Bytes are decoded piecewise", "A character split over two chunks turns into replacement characters."), ("Assumes ASCII", "Accented letters are dropped by `{}`.")],
    &[("Password is logged", "Please do not print the credentials object."), ("Authorization header ends up in the access log", "Strip it before logging."), ("Leaks PII to the logs", "E-mail addresses are written at info level."), ("Token visible in debug output", "Redact it."), ("Full request body is dumped on error", "It holds card numbers."), ("Do not print secrets", "CI output would show `{}`.")],
    &[("Hardcoded API key", "Move it to an env var and rotate it."), ("Password in the source", "Anybody with read access to the repo has it."), ("Credentials committed", "Use the secret manager."), ("Default admin password", "It is the same in every installation."), ("Private key checked in", "Remove from history and revoke."), ("Token literal in code", "Load `{}` from configuration.")],
    &[("Unused function", "Nothing calls `{}`."), ("Unreachable after return", "These lines never execute."), ("Leftover from the refactoring", "Can be deleted."), ("This branch cannot be taken", "The enum has no such value any more."), ("Variable assigned but never read", "Drop it."), ("Old implementation is still here", "No references remain.")],
    &[("Same code as in the other handler", "Extract a helper."), ("Copy/paste", "This block is repeated three times with small changes."), ("We already have a util for that", "Use it instead of rolling our own."), ("Duplicated validation logic", "They will diverge."), ("Code duplication", "Share it with the create path."), ("Reimplements lodash's groupBy", "No need for another version.")],
    &[("No tests for the new endpoint", "Please add at least one."), ("Error path is not covered", "Only the happy path is exercised."), ("Missing regression test", "The bug could come back unnoticed."), ("Test asserts nothing", "It passes even when `{}` is broken."), ("Coverage dropped", "New branches have no spec."), ("Needs a unit test", "Edge cases like empty input are not checked.")],
    &[("Comment is out of date", "It still mentions the old parameter."), ("README not updated", "The flag was renamed."), ("Docstring lies", "It says returns None, but raises."), ("Misleading comment", "The code does the contrary."), ("Doc example does not compile any more", "The signature has changed."), ("Javadoc describes a different default", "Documented 30 s, actual 10 s.")],
    &[("Magic number 86400", "Use a named constant."), ("What is 7 here?", "Give it a name or a comment."), ("Hard-coded threshold", "Should come from config."), ("Unexplained literal", "Why 0.85?"), ("Buffer size 4096 appears in three places", "Define it once as a constant."), ("Inline number", "Readers cannot know where `{}` comes from.")],
    &[("panic! on bad user input", "Return a 400 instead."), ("unwrap() on parse", "A malformed header kills the server."), ("assert used for input validation", "A client can crash us with it."), ("Process exits on invalid config line", "Report it and go on."), ("Uncaught exception for broken JSON", "One bad message takes the worker down."), ("expect() on external data", "Handle the error properly.")],
    &[("O(n²) lookup", "`includes` in a loop; use a Set."), ("Nested loops over all users", "With 50k rows that takes minutes."), ("list.index inside for", "Turns this into quadratic time."), ("String concatenation in a loop", "Copies everything each time."), ("Slow for large inputs", "Each iteration scans the array from the start."), ("Sorting inside the loop", "Sort once outside.")],
    &[("Empty catch block", "Errors vanish."), ("except Exception: pass", "Hides real bugs."), ("Catches too much", "KeyboardInterrupt is eaten as well."), ("Error is caught and dropped", "Log it or rethrow."), ("Original exception is lost", "Chain it with `from`."), ("Blanket rescue", "Only handle what you expect.")],
    &[("SQL injection", "User input is formatted into the query."), ("Use bind variables", "The id goes straight into the statement text."), ("f-string in execute()", "An attacker can drop tables."), ("Unsanitised ORDER BY", "Whitelist the column name."), ("String-built WHERE clause", "Quotes in the name break out of the literal."), ("Parameterise `{}`", "Never concatenate SQL.")],
    &[("Reflected XSS", "The query parameter is echoed into the page unescaped."), ("innerHTML with user content", "Use textContent."), ("dangerouslySetInnerHTML", "Comments can contain script tags."), ("Template marks `{}` as safe", "Escaping is switched off."), ("HTML is not sanitised", "A profile name may hold markup that runs in the visitor's browser."), ("Unescaped output", "Encode before rendering.")],
    &[("No permission check", "Any logged-in user can delete other people's projects."), ("Endpoint is public", "Authentication middleware is missing."), ("IDOR", "The id from the URL is not compared with the session's user."), ("Admin action without role check", "Everyone may call it."), ("Missing authorisation", "Ownership of `{}` is not verified."), ("Tenant isolation broken", "Records of other customers are returned.")],
    &[("Path traversal", "filename from the request is joined to the upload dir."), ("Zip slip", "Archive entries with ../ are written outside the target."), ("Arbitrary file read", "The user controls the path."), ("Restrict `{}` to the base directory", "Symlinks and .. lead out of it."), ("Unsanitised filename", "Strip directory components."), ("Attacker can overwrite any file", "No check that the resolved location stays in the root.")],
    &[("Command injection", "shell=True with user input."), ("os.system with a formatted string", "A branch name such as `; rm -rf ~` is executed."), ("Use execFile with an args array", "Otherwise the shell interprets `{}`."), ("Unquoted variable in the script", "Spaces and globs are expanded."), ("User input reaches sh", "Attackers can run what they like."), ("Popen gets a string", "Pass a list.")],
    &[("List is modified while iterated", "Elements get skipped."), ("ConcurrentModificationException", "Removing from the collection inside the for-each."), ("Deleting map keys in the loop", "Iterate over a copy."), ("splice inside forEach", "The next item is missed."), ("Mutation during traversal", "The iterator is invalid after erase."), ("Set changed size during iteration", "RuntimeError at run time.")],
    &[("Missing await", "The function returns before the save is done."), ("Floating promise", "Rejections go unhandled."), ("Coroutine never awaited", "`{}` is not executed at all."), ("forEach with async callback", "Nobody waits for the results."), ("Promise.all result ignored", "Errors are lost and order is not guaranteed."), ("Forgot to await", "The test passes before the assertion runs.")],
    &[("Naive datetime", "Compare aware values only."), ("Uses local time", "Reports differ between servers; use UTC."), ("DST bug", "Adding 24 hours is not the next day."), ("new Date() parses as local midnight", "Off by one day for users in the west."), ("Timezone is dropped", "The offset gets lost on formatting."), ("Server clock's zone is assumed", "Store UTC.")],
    &[("Query text is assembled from user data", "`{}` is pasted between quotes, so an attacker can change the meaning of the statement."), ("SQL injection via `{}`", "Bind the value instead of concatenating it."), ("Unescaped value in WHERE clause", "A name with an apostrophe breaks the query, a crafted one deletes rows."), ("Use a prepared statement", "The driver supports placeholders; building the string by hand is dangerous."), ("Database command built with string formatting", "Whoever controls `{}` controls the command."), ("Filter expression is injectable", "The text from the form ends up verbatim in the select.")],
    &[("Unescaped output in the page", "`{}` is written into the markup as it came from the visitor."), ("Cross-site scripting", "A comment containing a script tag runs in the reader's browser."), ("HTML is built by concatenation", "Escape the user's text before it is inserted."), ("innerHTML receives untrusted text", "Use textContent or a sanitiser for `{}`."), ("Template prints raw value", "Autoescaping is off for this expression."), ("Stored markup is rendered unfiltered", "Another user's profile can execute code here.")],
    &[("No permission check before `{}`", "Every signed-in account may perform this operation."), ("Endpoint lacks authorisation", "The handler never asks who is calling."), ("Anyone can read foreign records", "The owner of the object is not compared with the current user."), ("Access control missing", "An ordinary member reaches an administrator function through `{}`."), ("Privilege is not verified", "Add a role test before the change is made."), ("Unprotected route", "Requests without a session are served as well.")],
    &[("MD5 is broken", "Do not use it for `{}`; take SHA-256 or better."), ("Weak hash for passwords", "A fast digest lets an attacker try billions of candidates."), ("Insecure cipher mode", "ECB reveals patterns of the plain text."), ("Constant initialisation vector", "Encrypting twice with the same IV leaks information about `{}`."), ("Outdated algorithm", "This cipher has been deprecated for years; choose a modern one."), ("Salt is missing", "Equal secrets give equal digests, so precomputed tables work.")],
    &[("Predictable token", "`{}` comes from an ordinary generator and can be guessed."), ("Use a cryptographic random source", "The seed is the current time."), ("Session id is guessable", "A pseudo random number is not good enough for a secret."), ("Math.random for security purposes", "Attackers can reconstruct the state of the generator."), ("Low entropy in `{}`", "Only a few thousand different values are possible."), ("Random numbers are not secure here", "Take them from the operating system.")],
    &[("Untrusted data is unpickled", "Loading `{}` can execute arbitrary code."), ("Unsafe YAML load", "Use the safe loader, tags may construct any object."), ("Deserialisation of foreign bytes", "The sender decides which classes are created."), ("Object graph from the network is restored", "A crafted payload runs code while it is being read."), ("eval on received text", "`{}` should be parsed as plain data."), ("Do not unmarshal input into arbitrary types", "Restrict the allowed classes or use JSON.")],
    &[("Exact comparison of floating point numbers", "Rounding makes `{}` differ in the last bit."), ("Floats compared with ==", "Use a tolerance."), ("Equality test on a computed fraction", "0.1 plus 0.2 is not 0.3."), ("Comparing doubles exactly is fragile", "Take the absolute difference and an epsilon for `{}`."), ("Binary fractions cannot represent this value", "The condition will practically never hold."), ("Imprecise arithmetic decides the branch", "Allow a small deviation.")],
    &[("Naive timestamp", "`{}` has no zone and is read as local time elsewhere."), ("Local time is stored", "Servers in two regions disagree by hours; store UTC."), ("Daylight saving is ignored", "A day is not always 24 hours long."), ("UTC and local clock are mixed", "Subtracting `{}` gives an offset of the zone."), ("Date shifts for users in other zones", "Midnight here is the previous day there."), ("Time zone information is dropped", "Keep the offset when parsing `{}`.")],
    &[("Seconds passed where milliseconds are expected", "The wait is a thousand times too short."), ("Units are mixed", "`{}` is in bytes, the limit in kilobytes."), ("Factor 1000 missing", "Convert `{}` before the comparison."), ("Wrong scale", "The parameter takes minutes but gets seconds."), ("Duration has the wrong unit", "`{}` is interpreted as nanoseconds by the callee."), ("Degrees given to a function that wants radians", "Convert the angle first.")],
    &[("Arguments are swapped", "`{}` expects the target first."), ("Wrong parameter order", "Source and destination change places in this call."), ("Positional arguments mixed up", "Width is handed over as height."), ("Callee receives values in the wrong slots", "Compare with the signature of `{}`."), ("Parameters transposed", "Name them to avoid this kind of slip."), ("First and second argument reversed", "The replacement is passed as the pattern.")],
    &[("Mutable default argument", "The list is shared between all calls of `{}`."), ("Default object is created once", "State from an earlier call shows up in the next one."), ("Shared default value", "Use None and create the container inside."), ("Items accumulate across invocations", "Because `{}` defaults to the same list every time."), ("Default dictionary is reused", "Callers modify one common instance."), ("Parameter default is evaluated at definition time", "Later calls see leftovers.")],
    &[("Collection changes during iteration", "Removing from `{}` inside the loop skips elements."), ("Modified while being traversed", "This raises at run time for some inputs."), ("Deletes entries of the map it walks over", "Iterate over a copy of the keys."), ("Iterator is invalidated", "Erasing `{}` makes the next step undefined."), ("List is shortened in its own loop", "Every second match survives."), ("Do not add to `{}` while looping over it", "Collect the changes and apply them afterwards.")],
    &[("Missing break", "Control falls through into the next case."), ("Unintended fall-through", "After handling `{}` the following branch runs as well."), ("Case has no terminator", "Two actions happen for one value."), ("Switch arm continues into its neighbour", "Add a return or break."), ("Break forgotten", "`{}` is overwritten by the default branch."), ("Next label executes too", "Say explicitly when falling through is meant.")],
    &[("No transaction around the two updates", "A failure between them leaves the data inconsistent."), ("Partial write on error", "`{}` is saved although the second step fails."), ("Changes are not atomic", "Either both rows must change or none."), ("Half of the operation can survive a crash", "Roll back `{}` when the later insert is rejected."), ("Multi-step update without rollback", "The stock is reduced but the order is never created."), ("Interrupted save corrupts the file", "Write to a temporary file and rename it.")],
    &[("Handler is not idempotent", "A redelivered message books the amount twice."), ("Duplicate requests are processed again", "Remember the key of `{}` and ignore repeats."), ("Replay causes a double charge", "The client resends after a lost reply."), ("Running it twice gives another result", "`{}` is appended on each attempt."), ("No protection against repeated delivery", "Queues promise at least once, not exactly once."), ("Retry creates a second record", "Use an idempotency key.")],
    &[("Result order depends on hashing", "`{}` differs from run to run."), ("Iteration over a map is not ordered", "Sort the keys before printing."), ("Nondeterministic output", "Two equal inputs give files that differ."), ("Numbers sorted as text", "10 comes before 9 in `{}`."), ("Order is not guaranteed", "The query has no ORDER BY, yet the first row is taken."), ("Unstable sort", "Entries with equal keys change places.")],
    &[("N+1 queries", "For each element of `{}` another statement is sent."), ("Query inside the loop", "Fetch all rows with one join."), ("Too many round trips", "A hundred items mean a hundred requests to the database."), ("Lazy loading per row", "Prefetch the relation of `{}`."), ("One lookup per record", "Batch the ids into a single call."), ("Chatty access pattern", "The page issues a select for every line.")],
    &[("Unnecessary copy", "`{}` is cloned although a reference would do."), ("Whole buffer is duplicated", "Pass a slice."), ("Allocation in a hot loop", "Reuse one buffer instead of creating `{}` each time."), ("String is rebuilt on every iteration", "Use a builder."), ("Needless clone", "The value is not used afterwards and can be moved."), ("Reads the complete file into memory twice", "Stream it.")],
    &[("Input is not validated", "`{}` may be negative or absurdly large."), ("No check of the length field", "A hostile sender chooses it freely."), ("Trusts the client", "The quantity from the form goes straight into the order."), ("Accepts any value", "Reject `{}` when it is outside of the allowed range."), ("Sanity check missing", "An empty or malformed address is stored."), ("Unverified parameter", "Whatever the caller sends is used as it is.")],
    &[("Loop may never end", "`{}` is not advanced when the entry is skipped."), ("Endless loop", "The exit condition can never become true."), ("No termination for zero step", "With a step of 0 the counter stays where it is."), ("Spins for ever", "If the reader returns nothing the while goes on."), ("Missing progress in `{}`", "Each round starts from the same position."), ("Loop does not stop at end of input", "Check for the end and leave.")],
    &[("Debug output left in", "Remove the print of `{}`."), ("Leftover console.log", "It floods the console in production."), ("Stray print statement", "Was this only for testing?"), ("Temporary trace message", "`{}` is dumped on each call."), ("Debugging code committed", "Take it out or use the logger at debug level."), ("Prints to stdout", "The output of the tool is parsed by scripts and this line breaks them.")],
    &[("Misleading name", "`{}` suggests a list but holds a count."), ("Unclear identifier", "A reader cannot guess what the abbreviation means."), ("Rename `{}`", "Its name says get, yet it deletes."), ("Typo in the name", "The word is misspelt."), ("Name does not match the purpose", "Choose one that tells what the function returns."), ("Too generic", "data and tmp say nothing about the contents.")],
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
    let world = World::of(before, after, edited, moved);
    let mut rounds = Rounds { world, case: Case { old: Vec::new(), new: Vec::new(), truth: Truth::default(), revisions: (first, second) }, used: [Vec::new(), Vec::new()], hard };
    for _ in 0..26 {
        let defect = random.below(DEFECTS.len());
        match random.below(10) {
            0..=2 => drop(rounds.pair(random, defect, None, &[])),
            3 => rounds.twice(random, defect),
            4 => rounds.neighbours(random, defect),
            5 => rounds.one_line(random, defect),
            6 | 7 => rounds.silent(random, defect),
            _ => rounds.fresh(random, defect),
        }
    }
    rounds.case
}

/// A place: file and line.
type Place = (String, usize);

/// Both revisions, and where their lines stand.
struct World {
    after: BTreeMap<String, Vec<Line>>,
    old_place: BTreeMap<usize, Place>,
    new_place: BTreeMap<usize, Place>,
    /// Lines on which a finding may stand.
    old: Vec<Line>,
    new: Vec<Line>,
    edited: BTreeMap<usize, usize>,
    moved: BTreeSet<usize>,
}

impl World {
    fn of(before: BTreeMap<String, Vec<Line>>, after: BTreeMap<String, Vec<Line>>, edited: BTreeMap<usize, usize>, moved: BTreeSet<usize>) -> World {
        let place = |files: &BTreeMap<String, Vec<Line>>| -> BTreeMap<usize, Place> {
            files.iter().flat_map(|(p, lines)| lines.iter().enumerate().map(move |(i, l)| (l.id, (p.clone(), i + 1)))).collect()
        };
        let lines = |files: &BTreeMap<String, Vec<Line>>| files.values().flatten().filter(|l| telling(l)).cloned().collect();
        World { old_place: place(&before), new_place: place(&after), old: lines(&before), new: lines(&after), after, edited, moved }
    }

    /// Where an old line stands now, in its own words or in others.
    fn now(&self, line: &Line) -> Option<Place> {
        self.new_place.get(self.edited.get(&line.id).unwrap_or(&line.id)).cloned()
    }

    fn line_at(&self, place: &Place) -> &Line {
        &self.after[&place.0][place.1 - 1]
    }
}

/// Two rounds that are being written.
struct Rounds {
    world: World,
    case: Case,
    /// Places that are taken, of either round.
    used: [Vec<Place>; 2],
    hard: bool,
}

impl Rounds {
    fn is_free(&self, round: usize, at: &Place) -> bool {
        self.used[round].iter().all(|(p, l)| *p != at.0 || l.abs_diff(at.1) > 9)
    }

    /// An old line that nothing stands on or near, in either round.
    fn old_line(&self, random: &mut Random) -> Option<Line> {
        let line = self.world.old[random.below(self.world.old.len())].clone();
        let free = self.is_free(0, &self.world.old_place[&line.id]) && self.world.now(&line).is_none_or(|t| self.is_free(1, &t));
        free.then_some(line)
    }

    /// A finding of the first round that the second one does not report.
    fn resolve(&mut self, random: &mut Random, defect: usize, line: &Line) {
        let at = self.world.old_place[&line.id].clone();
        let id = report(&mut self.case.old, "P", random, defect, 0, line, &at, 0);
        self.case.truth.resolved.insert(id, if self.world.new_place.contains_key(&line.id) { "same" } else { "fixed" });
    }

    /// A finding of the second round that the first one did not report.
    fn add(&mut self, random: &mut Random, defect: usize, at: &Place) {
        let shown = self.world.line_at(at).clone();
        let id = report(&mut self.case.new, "N", random, defect, 0, &shown, at, 0);
        self.case.truth.added.insert(id, !self.world.old_place.contains_key(&shown.id));
    }

    fn silent(&mut self, random: &mut Random, defect: usize) {
        let Some(line) = self.old_line(random) else { return };
        self.used[0].push(self.world.old_place[&line.id].clone());
        self.used[1].extend(self.world.now(&line));
        self.resolve(random, defect, &line);
    }

    /// New in the second round: on old code, or on what was written in between.
    fn fresh(&mut self, random: &mut Random, defect: usize) {
        let at = self.world.new_place[&self.world.new[random.below(self.world.new.len())].id].clone();
        if self.is_free(1, &at) {
            self.used[1].push(at.clone());
            self.add(random, defect, &at);
        }
    }

    /// A finding that both rounds report, in a file where one is named; gives its line and where that stands now.
    fn pair(&mut self, random: &mut Random, defect: usize, file: Option<&str>, of: &[&'static str]) -> Option<(Line, Place)> {
        let line = self.old_line(random)?;
        let (at, there) = (self.world.old_place[&line.id].clone(), self.world.now(&line)?);
        if file.is_some_and(|f| f != at.0) {
            return None;
        }
        self.used[0].push(at.clone());
        self.used[1].push(there.clone());
        let wordings = DEFECTS[defect].len();
        let wording = random.below(wordings);
        let slip = if self.hard && random.chance(25) { 2 } else { 0 };
        let id = report(&mut self.case.old, "P", random, defect, wording, &line, &at, slip);
        let mut classes = vec![match there.1.abs_diff(at.1) {
            _ if there.0 != at.0 => "rename",
            0 => "no shift",
            1..=6 => "shift 1-6",
            7..=50 => "shift 7-50",
            _ => "shift >50",
        }];
        classes.extend(of);
        classes.extend(self.world.moved.contains(&line.id).then_some("moved block"));
        classes.extend(self.world.edited.contains_key(&line.id).then_some("edited line"));
        let other = if self.hard || random.chance(85) { (wording + 1 + random.below(wordings - 1)) % wordings } else { wording };
        classes.push(if other == wording { "verbatim" } else { "reworded" });
        let jitter = if random.chance(30) { 1 + random.below(3) } else { 0 };
        classes.extend((jitter > 0).then_some("inexact line"));
        let shown = self.world.line_at(&there).clone();
        let back = report(&mut self.case.new, "N", random, defect, other, &shown, &there, jitter);
        if self.case.old.last().unwrap().level != self.case.new.last().unwrap().level {
            classes.push("severity change");
        }
        self.case.truth.pairs.insert((id, back), classes);
        Some((line, there))
    }

    /// One defect at two places of a file, reported by both rounds.
    fn twice(&mut self, random: &mut Random, defect: usize) {
        let Some((line, _)) = self.pair(random, defect, None, &["one type twice"]) else { return };
        let file = self.world.old_place[&line.id].0.clone();
        let _ = (0..20).find_map(|_| self.pair(random, defect, Some(&file), &["one type twice"]));
    }

    /// Another defect a few lines away, new in the second round.
    fn neighbours(&mut self, random: &mut Random, defect: usize) {
        let Some((_, there)) = self.pair(random, defect, None, &["close neighbours"]) else { return };
        let beside = (there.0.clone(), there.1 + 1 + random.below(3));
        if self.world.after[&beside.0].get(beside.1 - 1).is_some_and(telling) {
            let second = another(random, defect);
            self.add(random, second, &beside);
        }
    }

    /// Another defect on the same line, in one of the rounds only.
    fn one_line(&mut self, random: &mut Random, defect: usize) {
        let Some((line, there)) = self.pair(random, defect, None, &["same line"]) else { return };
        let second = another(random, defect);
        if random.chance(50) { self.resolve(random, second, &line) } else { self.add(random, second, &there) }
    }
}

fn another(random: &mut Random, defect: usize) -> usize {
    (defect + 1 + random.below(DEFECTS.len() - 1)) % DEFECTS.len()
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
