//! The role `decode`: the library's reader, given a file of its own for each stream.
use crate::fields;
use base64::{engine::general_purpose::STANDARD, Engine};
use mysql_cdc::binlog_reader::BinlogReader;
use mysql_cdc::errors::Error;
use serde_json::{json, Value};
use std::fs::File;
use std::io::{self, Seek, Write};

pub fn bytes_of(text: &str) -> Vec<u8> {
    STANDARD.decode(text).unwrap_or_default()
}

/// Adds the events of a stream, as the library's iterator returns them.
pub fn read(stream: &[u8], events: &mut Vec<Value>) -> Result<(), Value> {
    let mut file = written(stream).map_err(|error| failure("other", &Error::from(error)))?;
    // A copy of the handle shares the position with the library's.
    let place = file.try_clone().map_err(|error| failure("other", &Error::from(error)))?;
    let mut reader = BinlogReader::new(file).map_err(|error| failure("not-a-binlog", &error))?;
    loop {
        let offset = position(&place);
        match reader.next() {
            None => return Ok(()),
            Some(Ok((header, event))) => events.push(fields::reported(&header, &event, offset)),
            Some(Err(error)) => return Err(failure("malformed", &error)),
        }
    }
}

fn written(stream: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(stream)?;
    file.rewind()?;
    Ok(file)
}

fn position(mut file: &File) -> u64 {
    file.stream_position().unwrap_or_default()
}

/// Returns an error of the library as the protocol has it.
pub fn failure(kind: &str, error: &Error) -> Value {
    json!({"at": null, "kind": kind, "message": format!("{error:?}")})
}
