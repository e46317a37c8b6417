//! An adapter for mysql-binlog-connector-rust: its parser, given whole streams. See README.md and docs/protocol.md.
mod fields;
mod values;

use base64::{engine::general_purpose::STANDARD, Engine};
use mysql_binlog_connector_rust::binlog_error::BinlogError;
use mysql_binlog_connector_rust::binlog_parser::BinlogParser;
use serde_json::{json, Value};
use std::collections::HashMap;
use std::io::{self, BufRead, Cursor, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

/// The versions of all packages of this build.
const LOCK: &str = include_str!("../Cargo.lock");
/// How long an answer may be, in bytes, and how much longer for each byte of the stream: docs/protocol.md.
const ANSWER_BYTES: usize = 4 << 20;
const ANSWER_FOR_BYTE: usize = 64;
/// What the library said as it panicked, and its file, which its words do not name: other files, other causes.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

fn library_version() -> &'static str {
    let package = LOCK.split("name = \"mysql-binlog-connector-rust\"\nversion = \"").nth(1).unwrap_or("unknown\"");
    package.split('"').next().unwrap_or("unknown")
}

fn refusal(error: &BinlogError) -> Value {
    let kind = match error {
        BinlogError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => "truncated",
        _ => "malformed",
    };
    json!({"at": null, "kind": kind, "message": error.to_string()})
}

/// Adds the events of a stream one by one, so that those before an error or a panic are kept.
fn read(stream: &[u8], events: &mut Vec<Value>) -> Result<(), Value> {
    // The format description says whether the events after it have checksums; its own is not read.
    let mut parser = BinlogParser { checksum_length: 0, table_map_event_by_table_id: HashMap::new() };
    let mut bytes = Cursor::new(stream);
    if let Err(error) = parser.check_magic(&mut bytes) {
        return Err(json!({"at": 0, "kind": "not-a-binlog", "message": error.to_string()}));
    }
    while bytes.position() < stream.len() as u64 {
        let offset = bytes.position();
        let (header, data) = parser.next(&mut bytes).map_err(|error| refusal(&error))?;
        events.push(fields::reported(&header, &data, offset));
    }
    Ok(())
}

fn decode(question: &Value) -> Value {
    let Some(text) = question["stream"].as_str() else {
        return json!({"seq": question["seq"], "unsupported": "streams in files"});
    };
    let stream = STANDARD.decode(text).unwrap_or_default();
    let mut events = Vec::new();
    let end = panic::catch_unwind(AssertUnwindSafe(|| read(&stream, &mut events)));
    let mut answer = json!({"seq": question["seq"], "events": events, "error": null});
    match end {
        Ok(Ok(())) => {}
        Ok(Err(error)) => answer["error"] = error,
        Err(_) => answer["crash"] = json!(format!("panic: {}", LAST_WORDS.lock().unwrap())),
    }
    if answer.to_string().len() > ANSWER_BYTES + ANSWER_FOR_BYTE * stream.len() {
        return json!({"seq": question["seq"], "unsupported": "documents that are longer in text than an answer may be"});
    }
    answer
}

fn declaration() -> Value {
    json!({
        "protocol": 1,
        "implementation": {
            "name": "mysql-binlog-connector-rust", "version": library_version(), "language": "Rust",
            "homepage": "https://github.com/apecloud/mysql-binlog-connector-rust",
        },
        "roles": {"decode": {
            "fields": fields::NAMES, "abilities": ["framing", "payloads"], "profiles": ["mysql >= 5.6"],
        }},
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
