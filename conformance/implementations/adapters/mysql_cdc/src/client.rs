//! The role `client`: the library's client, which is asked again where it lost its connection, as its page has it.
use crate::decode::failure;
use mysql_cdc::binlog_client::BinlogClient;
use mysql_cdc::binlog_options::BinlogOptions;
use mysql_cdc::errors::Error;
use mysql_cdc::events::binlog_event::BinlogEvent;
use mysql_cdc::events::event_header::EventHeader;
use mysql_cdc::providers::mariadb::gtid::gtid_list::GtidList;
use mysql_cdc::providers::mysql::gtid::gtid_set::GtidSet;
use mysql_cdc::replica_options::ReplicaOptions;
use serde_json::{json, Value};
use std::time::Duration;

pub const NAMES: &[&str] = &[
    "type", "log_pos", "timestamp", "server_id", "flags", "query", "resume_log", "resume_pos", "executed_gtids",
];
/// How often in a row the client is asked again that ends at the same place: what it cannot read it reports as it does a
/// lost connection.
const ATTEMPTS: usize = 3;
const REPLICA_ID: u32 = 4245;

/// Adds the events that a client delivers of the source that the settings name, and where it is at the end.
pub fn collect(settings: &Value, is_mariadb: bool, events: &mut Vec<Value>) -> Result<(), Value> {
    let mut client = BinlogClient::new(options(settings, is_mariadb).map_err(|error| failure("other", &error))?);
    let mut place = Value::Null;
    let mut attempts = 0;
    while let Err(error) = deliver(&mut client, events) {
        let end = placed(&client, json!({}));
        attempts = if end == place { attempts + 1 } else { 1 };
        place = end;
        if attempts == ATTEMPTS || !matches!(error, Error::IoError(_)) {
            return Err(failure("other", &error));
        }
    }
    events.push(placed(&client, json!({"type": null, "log_pos": 0})));
    Ok(())
}

fn options(settings: &Value, is_mariadb: bool) -> Result<ReplicaOptions, Error> {
    let text = |name: &str| settings[name].as_str().unwrap_or_default().to_string();
    let binlog = match settings["gtid_set"].as_str() {
        Some(set) if is_mariadb => BinlogOptions::from_mariadb_gtid(GtidList::parse(set)?),
        Some(set) => BinlogOptions::from_mysql_gtid(GtidSet::parse(set)?),
        None => BinlogOptions::from_position(text("log_name"), settings["log_pos"].as_u64().unwrap_or_default() as u32),
    };
    let mut options = ReplicaOptions {
        hostname: text("host"),
        port: settings["port"].as_u64().unwrap_or_default() as u16,
        username: text("user"),
        password: text("password"),
        server_id: REPLICA_ID,
        binlog,
        ..Default::default()
    };
    if let Some(seconds) = settings["heartbeat_seconds"].as_f64() {
        options.heartbeat_interval = Duration::from_secs_f64(seconds);
    }
    Ok(options)
}

/// Adds the events of one connection.
fn deliver(client: &mut BinlogClient, events: &mut Vec<Value>) -> Result<(), Error> {
    for each in client.replicate()? {
        let (header, event) = each?;
        client.commit(&header, &event);
        events.push(placed(client, reported(&header, &event)));
    }
    Ok(())
}

fn reported(header: &EventHeader, event: &BinlogEvent) -> Value {
    let mut fields = json!({
        "type": header.event_type, "log_pos": header.next_event_position, "timestamp": header.timestamp,
        "server_id": header.server_id, "flags": header.event_flags,
    });
    if let BinlogEvent::QueryEvent(query) = event {
        fields["query"] = json!(query.sql_statement);
    }
    fields
}

/// Adds where the client would resume.
fn placed(client: &BinlogClient, mut fields: Value) -> Value {
    let place = &client.options.binlog;
    fields["resume_log"] = json!(place.filename);
    fields["resume_pos"] = json!(place.position);
    if let Some(set) = &place.gtid_set {
        fields["executed_gtids"] = json!(set.to_string());
    }
    if let Some(list) = &place.gtid_list {
        fields["executed_gtids"] = json!(list.to_string());
    }
    fields
}
