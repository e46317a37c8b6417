//! An adapter for mysql_common: its iterator over the events of a binary log, given whole streams. See README.md and
//! docs/protocol.md.
mod fields;
mod values;

use base64::{engine::general_purpose::STANDARD, Engine};
use mysql_common::binlog::consts::{BinlogChecksumAlg, BinlogVersion};
use mysql_common::binlog::events::{Event, EventData};
use mysql_common::binlog::BinlogFile;
use serde_json::{json, Map, Value};
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

/// The versions of all packages of this build.
const LOCK: &str = include_str!("../Cargo.lock");
/// What the library said as it panicked, and its file, which its words do not name: other files, other causes.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

/// How long an answer may be, in bytes, and how much longer for each byte of the stream: docs/protocol.md.
const ANSWER_BYTES: usize = 4 << 20;
const ANSWER_FOR_BYTE: usize = 64;

pub type Object = Map<String, Value>;

/// What ends the reading of a stream: its kind, and the library's words.
struct Refusal(&'static str, String);

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::UnexpectedEof => "truncated",
            io::ErrorKind::InvalidData => "malformed",
            _ => "other",
        };
        Refusal(kind, error.to_string())
    }
}

fn library_version() -> &'static str {
    let package = LOCK.split("name = \"mysql_common\"\nversion = \"").nth(1).unwrap_or("unknown\"");
    package.split('"').next().unwrap_or("unknown")
}

/// Compares a checksum: the library computes it, and leaves the comparison to its user.
fn verify(event: &Event) -> Result<(), Refusal> {
    let algorithm = event.footer().get_checksum_alg();
    if let (Ok(Some(BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_CRC32)), Some(stored)) = (algorithm, event.checksum()) {
        let computed = event.calc_checksum(BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_CRC32);
        if computed != u32::from_le_bytes(stored) {
            return Err(Refusal("checksum", "the checksum that the library computes is another one".into()));
        }
    }
    Ok(())
}

/// Reads the events of a payload, as users do who want its rows.
fn open_payload(file: &mut BinlogFile<&[u8]>, data: &EventData<'_>) -> Result<(), Refusal> {
    if let EventData::TransactionPayloadEvent(payload) = data {
        let mut inside = payload.decompressed()?;
        while inside.has_data_left()? {
            match file.reader_mut().read_decompressed(&mut inside)? {
                Some(event) => event.read_data().map(drop)?,
                None => break,
            }
        }
    }
    Ok(())
}

/// Adds the events of a stream one by one, so that those before an error or a panic are kept.
fn read(stream: &[u8], events: &mut Vec<Value>) -> Result<(), Refusal> {
    let mut file = match BinlogFile::new(BinlogVersion::Version4, stream) {
        Ok(file) => file,
        Err(error) => return Err(Refusal("not-a-binlog", error.to_string())),
    };
    let mut offset = 4;
    while let Some(event) = file.next() {
        let event = event?;
        verify(&event)?;
        let data = event.read_data()?;
        if let Some(data) = &data {
            open_payload(&mut file, data)?;
        }
        events.push(Value::Object(fields::reported(&event, data.as_ref(), offset, file.reader())?));
        offset += u64::from(event.header().event_size());
    }
    Ok(())
}

/// Room for some bytes: what writes more fails.
struct Room(usize);

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether an answer is longer than it may be, without writing all of it.
fn is_longer(answer: &Value, most: usize) -> bool {
    serde_json::to_writer(Room(most), answer).is_err()
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
        Ok(Err(Refusal(kind, message))) => {
            answer["error"] = json!({"at": null, "kind": kind, "message": message});
        }
        Err(_) => answer["crash"] = json!(format!("panic: {}", LAST_WORDS.lock().unwrap())),
    }
    if is_longer(&answer, ANSWER_BYTES + ANSWER_FOR_BYTE * stream.len()) {
        return json!({"seq": question["seq"], "unsupported": "documents that are longer in text than an answer may be"});
    }
    answer
}

fn declaration() -> Value {
    json!({
        "protocol": 1,
        "implementation": {
            "name": "mysql_common", "version": library_version(), "language": "Rust",
            "homepage": "https://github.com/blackbeam/rust_mysql_common",
        },
        "roles": {"decode": {
            "fields": fields::NAMES, "abilities": ["framing", "checksums", "payloads"], "profiles": ["mysql"],
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
