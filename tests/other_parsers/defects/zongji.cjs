// Defects for copies of zongji and its forks: the one that the environment variable DEFECT names is in each event that the
// library returns. The tests load this file before the adapter, and the copied library calls its two functions.
const DEFECT = process.env.DEFECT;

const other = (value) => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}7`;
  if (Buffer.isBuffer(value)) return Buffer.concat([value, Buffer.from('x')]);
  return !value;
};
// Returns a change of a member of the events of some classes, to another value unless one is given.
const of = (classes, member, change = other) => (event) => {
  if (classes.includes(event.getTypeName()) && event[member] !== undefined) event[member] = change(event[member]);
};
const ofEvery = (member) => (event) => { event[member] += 1000; }; // Milliseconds in a timestamp.
const ofXid = (change) => (event) => { if (event.getTypeName() === 'Xid') change(event); };

const defects = {
  timestamp: ofEvery('timestamp'),
  length: ofEvery('size'),
  log_pos: ofEvery('nextPosition'),
  handled: ofXid((event) => { event.getTypeName = () => 'Unknown'; }),
  crash: ofXid(() => { throw new TypeError('a defect of the library'); }),
  next_position: of(['Rotate'], 'position'),
  next_file: of(['Rotate'], 'binlogName'),
  thread_id: of(['Query'], 'slaveProxyId'),
  exec_time: of(['Query'], 'executionTime'),
  error_code: of(['Query'], 'errorCode'),
  database: of(['Query'], 'schema'),
  query: of(['Query'], 'query'),
  intvar_type: of(['IntVar'], 'type'),
  intvar_value: of(['IntVar'], 'value'),
  xid: of(['Xid'], 'xid'),
  table_id: of(['TableMap'], 'tableId'),
  'database of TABLE_MAP': of(['TableMap'], 'schemaName'),
  table: of(['TableMap'], 'tableName'),
  column_count: of(['TableMap'], 'columnCount'),
  'table_id of WRITE_ROWS': of(['WriteRows'], 'tableId'),
  rows_flags: of(['WriteRows'], 'flags'),
  gtid: (event) => {
    of(['GtidLog'], 'transactionRange')(event);
    of(['Gtid'], 'gtid')(event);
  },
  gtid_flags: of(['GtidLog', 'Gtid', 'AnonymousGtid'], 'flags'),
  previous_gtids: of(['PreviousGtids'], 'gtidSet', (text) => `${text}:4711`),
  log_name: of(['Heartbeat'], 'binlogName'),
  'log_name of HEARTBEAT_V2': of(['Heartbeat_V2'], 'binlogName'),
  log_position: of(['Heartbeat_V2'], 'position'),
  rows_query: of(['RowsQuery'], 'statement'),
  'rows_query of MARIADB_ANNOTATE_ROWS': of(['AnnotateRows'], 'statement'),
  one_phase: of(['XaPrepare'], 'onePhase', (value) => !value),
  xa_format_id: of(['XaPrepare'], 'xidFormatId'),
  xa_gtrid: of(['XaPrepare'], 'xidGtrid'),
  xa_bqual: of(['XaPrepare'], 'xidBqual'),
  'gtid of MARIADB_GTID': of(['MariadbGtid'], 'gtid'),
  mariadb_gtid_flags: of(['MariadbGtid'], 'flags2'),
  commit_id: of(['MariadbGtid'], 'commitId'),
  gtid_list: of(['MariadbGtidList'], 'gtids', () => []),
};

// Defects of the library's client: an Xid is taken for another type, and where the client is has another value.
const anotherType = ofXid((event) => { event.getTypeName = () => 'Rand'; });
globalThis.placed = (name, value) => (DEFECT === name ? other(value) : value);
globalThis.executed = (set) => (DEFECT === 'executed_gtids' ? '11111111-1111-1111-1111-111111111111:4711' : set);

// With the defect error_at, what an event raises comes with the next one.
let late = null;

globalThis.returned = (event) => {
  if (late !== null) {
    const error = late;
    late = null;
    throw error;
  }
  (DEFECT === 'type' ? anotherType : defects[DEFECT])?.(event);
  return event;
};
globalThis.refused = (error) => {
  if (DEFECT !== 'error_at') throw error;
  late = error;
  return { getTypeName: () => 'Unknown', timestamp: 0, size: 0, nextPosition: 0 };
};
