// An adapter for zongji and its forks: its classes of events, given the events of a stream one by one as the network brings them.
// See README.md and docs/protocol.md.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

const NAME = process.argv[2];
const HERE = path.dirname(fileURLToPath(import.meta.url));
const LIBRARY = path.join(HERE, 'node_modules', NAME);
const ABOUT = JSON.parse(fs.readFileSync(path.join(LIBRARY, 'package.json'), 'utf8'));
// Their package exports the client only. A CommonJS module has its exports in the default one.
async function part(...place) {
  const module = await import(path.join(...place));
  return typeof module.default === 'object' ? { ...module.default, ...module } : module;
}

const { default: packetClass } = await part(LIBRARY, 'lib/packet/binlog.js');
const classes = await part(LIBRARY, 'lib/binlog_event.js');
const { default: ZongJi } = await part(LIBRARY, 'index.js');
// A fork without a parser of its own reads with that of the driver below it.
const { Parser } = await part(LIBRARY, 'lib/reader.js').then(async (reader) => (
  reader.Parser ? reader : { Parser: (await part(HERE, 'node_modules/@vlasky/mysql/lib/protocol/Parser.js')).default }
));

const HEADER = 19;
const MAGIC = 4;
const FORMAT_DESCRIPTION = 15;
// Bytes of a format description before the post-header lengths, which the first byte of this number counts.
const BEFORE_LENGTHS = 57;
const CHECKSUMS_SINCE = [5, 6, 1];
// How long an answer may be, in bytes, and how much longer for each byte of the stream: docs/protocol.md.
const ANSWER_BYTES = 4 << 20;
const ANSWER_FOR_BYTE = 64;

const uuid = (buffer) => buffer.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
const base64 = (buffer) => ({ base64: buffer.toString('base64') });

// The library's class -> a field of the protocol -> what the class has. A version lacks some of the classes.
const ROWS = { table_id: 'tableId', rows_flags: 'flags' };
const FIELDS = {
  Rotate: { next_position: 'position', next_file: 'binlogName' },
  Query: {
    thread_id: 'slaveProxyId', exec_time: 'executionTime', error_code: 'errorCode', database: 'schema', query: 'query',
  },
  IntVar: { intvar_type: 'type', intvar_value: 'value' },
  Xid: { xid: 'xid' },
  TableMap: { table_id: 'tableId', database: 'schemaName', table: 'tableName', column_count: 'columnCount' },
  WriteRows: ROWS,
  UpdateRows: ROWS,
  DeleteRows: ROWS,
  Gtid: { gtid: 'gtid', gtid_flags: 'flags' },
  GtidLog: { gtid: (event) => `${uuid(event.serverId)}:${event.transactionRange}`, gtid_flags: 'flags' },
  AnonymousGtid: { gtid: 'gtid', gtid_flags: 'flags' },
  PreviousGtids: { previous_gtids: 'gtidSet' },
  Heartbeat: { log_name: 'binlogName' },
  Heartbeat_V2: { log_name: 'binlogName', log_position: 'position' },
  RowsQuery: { rows_query: 'statement' },
  XaPrepare: {
    one_phase: (event) => Number(event.onePhase),
    xa_format_id: 'xidFormatId',
    xa_gtrid: (event) => base64(event.xidGtrid),
    xa_bqual: (event) => base64(event.xidBqual),
  },
  MariadbGtid: { gtid: 'gtid', mariadb_gtid_flags: 'flags2', commit_id: 'commitId' },
  MariadbGtidList: { gtid_list: (event) => event.gtids.map((each) => each.gtid).join(',') },
  BinlogCheckpoint: { log_name: 'binlogName' },
  AnnotateRows: { rows_query: 'statement' },
};
const HOMEPAGES = {
  '@vlasky/zongji': 'https://github.com/vlasky/zongji',
  '@powersync/mysql-zongji': 'https://github.com/powersync-ja/powersync-mysql-zongji',
};
const EVERY_EVENT = ['offset', 'timestamp', 'length', 'log_pos', 'handled'];
const isPresent = (name) => name in classes || FIELDS[name] === ROWS;
const declared = [
  ...new Set([
    ...EVERY_EVENT,
    ...Object.keys(FIELDS).filter(isPresent).flatMap((name) => Object.keys(FIELDS[name])),
  ]),
];

// What the library asks of the client that it belongs to.
class Client {
  constructor(profile) {
    this.tableMap = {};
    this.useChecksum = false;
    this.isMariaDb = profile.startsWith('mariadb');
    this.warning = null;
    this.connection = { config: { timezone: 'Z', dateStrings: false } };
  }
  emit(name, error) { this.warning = error.message; }
  _skipSchema() { return false; }
  _skipEvent() { return false; }
  _warnUnsupportedEvent(eventClass) { this.warning = eventClass.unsupportedReason; }
}

// Returns whether a format description says that events end in checksums: the library learns it from its connection.
function hasChecksums(event) {
  const version = event.toString('latin1', HEADER + 2, HEADER + 52).split('\0')[0].split('.').map((each) => parseInt(each, 10));
  const at = CHECKSUMS_SINCE.findIndex((each, index) => version[index] !== each);
  const since = at < 0 || version[at] > CHECKSUMS_SINCE[at];
  return since && event.length > HEADER + BEFORE_LENGTHS + 5 && event[event.length - 5] === 1;
}

// The library asks the server for the columns of a table unless the log has their names. Without a server the columns
// have neither character sets nor labels, so rows are read and not reported.
function keepTable(client, event) {
  const ofEvent = event.hasSelfDescribingMetadata?.();
  const columnSchemas = ofEvent
    ? event.buildColumnSchemas()
    : Array.from({ length: event.columnCount }, (_, index) => ({
      COLUMN_NAME: String(index), CHARACTER_SET_NAME: null, COLLATION_NAME: null, COLUMN_TYPE: '',
    }));
  client.tableMap[event.tableId] = { columnSchemas, parentSchema: event.schemaName, tableName: event.tableName };
  event.updateColumnInfo();
}

function reported(client, packet, event, offset, headerLength) {
  const name = event.getTypeName();
  const fields = {
    offset, timestamp: event.timestamp / 1000, length: event.size + headerLength, log_pos: event.nextPosition,
    handled: name === 'Unknown' ? 'ignored' : 'known',
  };
  if (client.warning) {
    Object.assign(fields, { handled: 'refused', refused: client.warning });
  }
  for (const [field, source] of Object.entries(FIELDS[name] ?? {})) {
    const value = typeof source === 'function' ? source(event) : event[source];
    if (value !== undefined) fields[field] = value;
  }
  return fields;
}

// Cuts a stream into events as a server sends them; faults in lengths are not the library's.
function* eventsOf(stream) {
  let at = MAGIC;
  while (at < stream.length) {
    const length = stream.length - at >= HEADER ? stream.readUInt32LE(at + 9) : 0;
    if (length < HEADER || at + length > stream.length) {
      throw Object.assign(new Error('the stream ends within an event'), { at, kind: 'truncated' });
    }
    yield [at, stream.subarray(at, at + length)];
    at += length;
  }
}

function decode(stream, profile) {
  const events = [];
  const client = new Client(profile);
  let at = MAGIC;
  try {
    for (const [offset, bytes] of eventsOf(stream)) {
      at = offset;
      if (bytes[4] === FORMAT_DESCRIPTION) client.useChecksum = hasChecksums(bytes);
      client.warning = null;
      const Packet = packetClass(client);
      const parser = new Parser();
      parser.append(Buffer.concat([Buffer.from([0]), bytes])); // A packet begins with a byte that says "no error".
      parser._packetEnd ??= bytes.length + 1;
      const packet = new Packet();
      packet.parse(parser);
      const event = packet.getEvent();
      if (event.getTypeName() === 'TableMap') keepTable(client, event);
      events.push(reported(client, packet, event, offset, Packet.Length));
    }
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) {
      return { events, error: null, crash: `${error.name}: ${error.message}` };
    }
    return { events, error: { at: error.at ?? at, kind: error.kind ?? 'malformed', message: String(error.message) } };
  }
  return { events, error: null };
}

// Returns the line of an answer about a stream. What is compressed can be longer in text than an answer may be, and than a
// string can be: texts are counted before they are written, as one of their characters may take six bytes.
function lineOf(seq, decoded, stream) {
  const limit = ANSWER_BYTES + ANSWER_FOR_BYTE * stream.length;
  const texts = decoded.events.flatMap(Object.values).filter((value) => typeof value === 'string');
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const line = characters > limit ? null : JSON.stringify({ seq, ...decoded });
  if (line !== null && Buffer.byteLength(line) <= limit) return line;
  return JSON.stringify({ seq, unsupported: 'texts that are longer than an answer may be' });
}

// The codes of the library's classes, which do not keep them. Rows have a length of extra data since version 2.
const CODES = {
  Query: 2, Stop: 3, Rotate: 4, IntVar: 5, Format: 15, Xid: 16, TableMap: 19, Heartbeat: 27, RowsQuery: 29,
  AnonymousGtid: 34, PreviousGtids: 35, XaPrepare: 38, PartialUpdateRows: 39, TransactionPayload: 40,
  Gtid: (event) => (event.tag === undefined ? 33 : 42),
  WriteRows: (event) => (event.extraDataLength === undefined ? 23 : 30),
  UpdateRows: (event) => (event.extraDataLength === undefined ? 24 : 31),
  DeleteRows: (event) => (event.extraDataLength === undefined ? 25 : 32),
};
const OF_CLIENT = ['type', 'log_pos', 'timestamp', 'query', 'resume_log', 'resume_pos', 'executed_gtids'];
const REPLICA_ID = 4246;
const LOST = 'PROTOCOL_CONNECTION_LOST';

// Returns what the library's client delivers, and where it then is. It does not connect again by itself: where the
// connection is lost, it is stopped and started where it was, as its documentation says.
function deliver(settings) {
  const byGtids = settings.gtid_set !== null;
  const { host, port, user, password } = settings;
  const client = new ZongJi({ host, port, user, password });
  client._fetchTableInfo = (event, next) => {
    keepTable(client, event); // The kit's source has no tables.
    next();
  };
  const placed = (fields) => (byGtids
    ? { ...fields, executed_gtids: client.gtidSet }
    : { ...fields, resume_log: client.options.filename, resume_pos: client.options.position });
  const events = [];
  client.on('binlog', (event) => {
    const code = CODES[event.getTypeName()] ?? null; // The code of a type that the library does not know is lost.
    const fields = {
      type: typeof code === 'function' ? code(event) : code,
      log_pos: event.nextPosition,
      timestamp: event.timestamp / 1000,
    };
    events.push(placed(event.query === undefined ? fields : { ...fields, query: event.query }));
  });
  return new Promise((resolve) => {
    let done = false;
    let stopping = false;
    const end = (answer) => {
      if (done) return;
      done = true;
      client.stop();
      resolve(answer);
    };
    client.on('ready', () => {
      const Dump = client.BinlogClass;
      client.BinlogClass = class extends Dump {
        constructor(callback) {
          super(callback);
          this.on('eof', () => end({ events: [...events, placed({ type: null, log_pos: 0 })], error: null }));
        }
      };
    });
    const start = (place) => client.start({ serverId: REPLICA_ID, nonBlock: true, ...place });
    client.on('error', (error) => {
      if (done || stopping) return;
      if (error.code === LOST) {
        const { filename, position } = client.options;
        const place = byGtids ? { gtidSet: client.gtidSet } : { filename, position };
        stopping = true;
        client.once('stopped', () => {
          stopping = false;
          start(place);
        });
        client.stop();
      } else if (error.errno) {
        end({ events, error: { at: null, kind: 'other', message: error.message, code: error.errno } });
      } else if (!client.ready) {
        end({ events, error: { at: null, kind: 'other', message: error.message } });
      }
    });
    start(byGtids ? { gtidSet: settings.gtid_set } : { filename: settings.log_name, position: settings.log_pos });
  });
}

// Returns the line that answers a question.
async function answer(question) {
  switch (question.cmd) {
    case 'start': {
      const decodes = { fields: declared, abilities: ['error_at'], profiles: ['mysql'] };
      if ('MariadbGtid' in classes) decodes.profiles.push('mariadb');
      return JSON.stringify({
        protocol: 1,
        implementation: {
          name: NAME, version: ABOUT.version, language: 'JavaScript', homepage: HOMEPAGES[NAME],
        },
        roles: ZongJi.prototype.hasOwnProperty('gtidSet')
          ? { decode: decodes, client: { fields: OF_CLIENT, abilities: ['error_code'], profiles: ['mysql'] } }
          : { decode: decodes },
      });
    }
    case 'decode': {
      if (question.stream === undefined) return JSON.stringify({ seq: question.seq, unsupported: 'streams in files' });
      const stream = Buffer.from(question.stream, 'base64');
      return lineOf(question.seq, decode(stream, question.profile), stream);
    }
    case 'client':
      return JSON.stringify({ seq: question.seq, ...await deliver(question.settings) });
    default:
      return JSON.stringify({ seq: question.seq, unsupported: `the role ${question.cmd}` });
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  if (question.cmd === 'stop') break;
  process.stdout.write(`${await answer(question)}\n`);
}
