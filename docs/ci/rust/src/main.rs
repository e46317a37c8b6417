//! An adapter: one JSON question a line on standard input, one JSON answer a line on standard output.
use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::{json, Value};
use std::io::{self, BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

const FIELDS: [&str; 7] = ["offset", "timestamp", "type", "server_id", "length", "log_pos", "flags"];

/// Adds the events of a stream one by one, so that those before an error or a panic are kept.
fn read(stream: &[u8], events: &mut Vec<Value>) -> Result<(), String> {
    let number = |at: usize, size: usize| -> u64 {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&stream[at..at + size]);
        u64::from_le_bytes(bytes)
    };
    let mut at = 4;
    while at < stream.len() {
        // Your parser goes here.
        if at + 19 > stream.len() {
            return Err("the stream ends inside a header".into());
        }
        let length = number(at + 9, 4) as usize;
        if length < 19 || at + length > stream.len() {
            return Err(format!("an event of {length} bytes at {at}"));
        }
        events.push(json!({
            "offset": at, "timestamp": number(at, 4), "type": stream[at + 4], "server_id": number(at + 5, 4),
            "length": length, "log_pos": number(at + 13, 4), "flags": number(at + 17, 2),
        }));
        at += length;
    }
    Ok(())
}

fn decode(question: &Value) -> Value {
    let stream = STANDARD.decode(question["stream"].as_str().unwrap_or("")).unwrap_or_default();
    let mut events = Vec::new();
    let end = catch_unwind(AssertUnwindSafe(|| read(&stream, &mut events)));
    let mut answer = json!({"seq": question["seq"], "events": events, "error": null});
    match end {
        Ok(Ok(())) => {}
        Ok(Err(message)) => answer["error"] = json!({"at": null, "kind": "other", "message": message}),
        Err(_) => answer["crash"] = json!("a panic: its message is on standard error"),
    }
    answer
}

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let answer = match question["cmd"].as_str() {
            Some("start") => json!({
                "protocol": 1,
                "implementation": {"name": "my-parser", "version": "0.1.0", "language": "Rust"},
                "roles": {"decode": {"fields": FIELDS, "abilities": [], "profiles": ["mysql-8.0"]}},
            }),
            Some("decode") => decode(&question),
            _ => break,
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
