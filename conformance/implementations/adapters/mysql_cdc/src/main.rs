//! An adapter for mysql_cdc: its reader of files and its client of sources. See README.md and docs/protocol.md.
mod client;
mod decode;
mod fields;
mod values;

use serde_json::{json, Value};
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

/// The versions of all packages of this build.
const LOCK: &str = include_str!("../Cargo.lock");
/// How long an answer may be, in bytes, and how much longer for each byte of the stream: docs/protocol.md.
const ANSWER_BYTES: usize = 4 << 20;
const ANSWER_FOR_BYTE: usize = 64;
/// The logs that the library's page names.
const PROFILES: &[&str] = &["mysql >= 5.6", "mariadb"];
/// What the library said as it panicked, and its file, which its words do not name: other files, other causes.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

fn library_version() -> &'static str {
    let package = LOCK.split("name = \"mysql_cdc\"\nversion = \"").nth(1).unwrap_or("unknown\"");
    package.split('"').next().unwrap_or("unknown")
}

/// Returns the answer of a function that adds events one by one, so that those before an error or a panic are kept.
fn answered(question: &Value, room: usize, read: impl FnOnce(&mut Vec<Value>) -> Result<(), Value>) -> Value {
    let mut events = Vec::new();
    let end = panic::catch_unwind(AssertUnwindSafe(|| read(&mut events)));
    let mut answer = json!({"seq": question["seq"], "events": events, "error": null});
    match end {
        Ok(Ok(())) => {}
        Ok(Err(error)) => answer["error"] = error,
        Err(_) => answer["crash"] = json!(format!("panic: {}", LAST_WORDS.lock().unwrap())),
    }
    if answer.to_string().len() > ANSWER_BYTES + room {
        return json!({"seq": question["seq"], "unsupported": "rows that are longer in text than an answer may be"});
    }
    answer
}

fn decoded(question: &Value) -> Value {
    let Some(text) = question["stream"].as_str() else {
        return json!({"seq": question["seq"], "unsupported": "streams in files"});
    };
    let stream = decode::bytes_of(text);
    answered(question, ANSWER_FOR_BYTE * stream.len(), |events| decode::read(&stream, events))
}

fn delivered(question: &Value) -> Value {
    let is_mariadb = question["profile"].as_str().unwrap_or_default().starts_with("mariadb");
    answered(question, 0, |events| client::collect(&question["settings"], is_mariadb, events))
}

fn declaration() -> Value {
    json!({
        "protocol": 1,
        "implementation": {
            "name": "mysql_cdc", "version": library_version(), "language": "Rust",
            "homepage": "https://github.com/rusuly/mysql_cdc",
        },
        "roles": {
            "decode": {"fields": fields::NAMES, "abilities": ["framing"], "profiles": PROFILES},
            "client": {"fields": client::NAMES, "abilities": [], "profiles": PROFILES},
        },
    })
}

fn main() -> io::Result<()> {
    panic::set_hook(Box::new(|panic| {
        let said = panic.payload();
        let words = said.downcast_ref::<&str>().map(|each| each.to_string());
        let words = words.or_else(|| said.downcast_ref::<String>().cloned()).unwrap_or_default();
        let file = panic.location().and_then(|at| at.file().rsplit('/').next()).unwrap_or_default();
        *LAST_WORDS.lock().unwrap() = words.lines().next().unwrap_or_default().to_string() + " in " + file;
    }));
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let answer = match question["cmd"].as_str() {
            Some("start") => declaration(),
            Some("decode") => decoded(&question),
            Some("client") => delivered(&question),
            Some("stop") => break,
            _ => json!({"seq": question["seq"], "unsupported": "another role"}),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
