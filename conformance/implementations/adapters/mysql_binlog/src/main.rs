//! An adapter for mysql_binlog: its reader of files, given whole streams. See README.md and docs/protocol.md.
mod fields;
mod values;

use base64::{engine::general_purpose::STANDARD, Engine};
use mysql_binlog::binlog_file::BinlogFile;
use mysql_binlog::event::EventData;
use mysql_binlog::table_map::TableMap;
use serde_json::{json, Value};
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Cursor, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

/// The versions of all packages of this build.
const LOCK: &str = include_str!("../Cargo.lock");
/// How long an answer may be, in bytes, and how much longer for each byte of the stream: docs/protocol.md.
const ANSWER_BYTES: usize = 4 << 20;
const ANSWER_FOR_BYTE: usize = 64;
/// Where the first event of a log begins: the library's own iterator begins at the second one.
const FIRST: u64 = 4;
/// What the library said as it panicked, and its file, which its words do not name: other files, other causes.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

fn library_version() -> &'static str {
    let package = LOCK.split("name = \"mysql_binlog\"\nversion = \"").nth(1).unwrap_or("unknown\"");
    package.split('"').next().unwrap_or("unknown")
}

fn failure(kind: &str, message: String) -> Value {
    json!({"at": null, "kind": kind, "message": message})
}

/// Adds the events of a stream one by one, so that those before an error or a panic are kept.
fn read(stream: Vec<u8>, events: &mut Vec<Value>) -> Result<(), Value> {
    let file = BinlogFile::try_from_reader(Cursor::new(stream)).map_err(|error| failure("other", format!("{error:?}")))?;
    let mut tables = TableMap::new();
    let mut columns = HashMap::new();
    let mut offsets = HashSet::new();
    for each in file.events(Some(FIRST)) {
        let event = each.map_err(|error| failure("malformed", format!("{error:?}")))?;
        let is_again = !offsets.insert(event.offset());
        match event.inner(Some(&tables)) {
            Ok(inner) => {
                events.push(fields::reported(&event, inner.as_ref(), &columns));
                if let Some(EventData::TableMapEvent { table_id, schema_name, table_name, columns: types, .. }) = inner {
                    // As the library's iterator over rows does it.
                    columns.insert(table_id, types.clone());
                    tables.handle(table_id, schema_name, table_name, types);
                }
            }
            // Its iterator over rows returns the error, and goes on if it is asked to.
            Err(error) => events.push(fields::refused(&event, &format!("{error:?}"))),
        }
        if is_again {
            // From here on it returns the same events, without end.
            break;
        }
    }
    Ok(())
}

fn decode(question: &Value) -> Value {
    let Some(text) = question["stream"].as_str() else {
        return json!({"seq": question["seq"], "unsupported": "streams in files"});
    };
    let stream = STANDARD.decode(text).unwrap_or_default();
    let limit = ANSWER_BYTES + ANSWER_FOR_BYTE * stream.len();
    let mut events = Vec::new();
    let end = panic::catch_unwind(AssertUnwindSafe(|| read(stream, &mut events)));
    let mut answer = json!({"seq": question["seq"], "events": events, "error": null});
    match end {
        Ok(Ok(())) => {}
        Ok(Err(error)) => answer["error"] = error,
        Err(_) => answer["crash"] = json!(format!("panic: {}", LAST_WORDS.lock().unwrap())),
    }
    if answer.to_string().len() > limit {
        return json!({"seq": question["seq"], "unsupported": "rows that are longer in text than an answer may be"});
    }
    answer
}

fn declaration() -> Value {
    json!({
        "protocol": 1,
        "implementation": {
            "name": "mysql_binlog", "version": library_version(), "language": "Rust",
            "homepage": "https://github.com/EasyPost/rust-mysql-binlog",
        },
        // The servers that its page names.
        "roles": {"decode": {"fields": fields::NAMES, "abilities": ["framing"], "profiles": ["mysql-5.6", "mysql-5.7"]}},
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
            Some("decode") => decode(&question),
            Some("stop") => break,
            _ => json!({"seq": question["seq"], "unsupported": "another role"}),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
