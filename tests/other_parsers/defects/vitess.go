// Defects for a copy of vitess: the one that the environment variable DEFECT names is in what each event returns. The
// tests put this file into the copied package mysql, whose events it wraps.
package mysql

import (
	"errors"
	"io"
	"os"

	"vitess.io/vitess/go/mysql/replication"
)

var defect = os.Getenv("DEFECT")

// late is what an event raised, with the defect error_at: it comes with the next one.
var late error

func is(name string) bool { return defect == name }

func plus[N byte | uint16 | uint32 | uint64 | int32 | int64](name string, number N) N {
	if is(name) {
		return number + 1
	}
	return number
}

func longer(name, text string) string {
	if is(name) {
		return text + "x"
	}
	return text
}

func raised(err error) error {
	if err != nil && is("error_at") {
		late, err = err, nil
	}
	return err
}

type faulty struct{ mysql56BinlogEvent }

func (ev faulty) IsValid() bool {
	if late != nil {
		late = nil
		return false
	}
	return ev.mysql56BinlogEvent.IsValid()
}

func (ev faulty) IsXID() bool {
	if ev.mysql56BinlogEvent.IsXID() && is("crash") {
		panic(errors.New("a defect of the library"))
	}
	return ev.mysql56BinlogEvent.IsXID() && !is("handled")
}

func (ev faulty) IsPartialUpdateRows() bool {
	return ev.mysql56BinlogEvent.IsPartialUpdateRows() && !is("handled of PARTIAL_UPDATE_ROWS")
}

func (ev faulty) Timestamp() uint32 { return plus("timestamp", ev.mysql56BinlogEvent.Timestamp()) }

func (ev faulty) ServerID() uint32 { return plus("server_id", ev.mysql56BinlogEvent.ServerID()) }

func (ev faulty) NextPosition() uint64 { return plus("log_pos", ev.mysql56BinlogEvent.NextPosition()) }

func (ev faulty) StripChecksum(f BinlogFormat) (BinlogEvent, []byte, error) {
	stripped, checksum, err := ev.mysql56BinlogEvent.StripChecksum(f)
	return faulty{stripped.(mysql56BinlogEvent)}, checksum, err
}

func (ev faulty) Format() (BinlogFormat, error) {
	format, err := ev.mysql56BinlogEvent.Format()
	format.FormatVersion = plus("binlog_version", format.FormatVersion)
	format.ServerVersion = longer("server_version", format.ServerVersion)
	if is("checksum_algorithm") {
		format.ChecksumAlgorithm ^= BinlogChecksumAlgCRC32
	}
	return format, err
}

func (ev faulty) GTID(f BinlogFormat) (replication.GTID, bool, int64, int64, error) {
	gtid, hasBegin, lastCommitted, sequenceNumber, err := ev.mysql56BinlogEvent.GTID(f)
	if each, ok := gtid.(replication.Mysql56GTID); ok {
		each.Sequence = plus("gtid", each.Sequence)
		gtid = each
	}
	return gtid, hasBegin, plus("last_committed", lastCommitted), plus("sequence_number", sequenceNumber), err
}

func (ev faulty) PreviousGTIDs(f BinlogFormat) (replication.Position, error) {
	position, err := ev.mysql56BinlogEvent.PreviousGTIDs(f)
	if err == nil && is("previous_gtids") {
		position.GTIDSet = position.GTIDSet.AddGTID(replication.Mysql56GTID{Sequence: 4711})
	}
	return position, raised(err)
}

func (ev faulty) Query(f BinlogFormat) (Query, error) {
	query, err := ev.mysql56BinlogEvent.Query(f)
	query.Database = longer("database", query.Database)
	query.SQL = longer("query", query.SQL)
	if charset := query.Charset; charset != nil {
		charset.Client = plus("character_set_client", charset.Client)
		charset.Conn = plus("collation_connection", charset.Conn)
		charset.Server = plus("collation_server", charset.Server)
	}
	return query, raised(err)
}

func (ev faulty) RowsQuery(f BinlogFormat) (string, error) {
	text, err := ev.mysql56BinlogEvent.RowsQuery(f)
	return longer("rows_query", text), raised(err)
}

func (ev faulty) IntVar(f BinlogFormat) (byte, uint64, error) {
	code, value, err := ev.mysql56BinlogEvent.IntVar(f)
	return plus("intvar_type", code), plus("intvar_value", value), raised(err)
}

func (ev faulty) Rand(f BinlogFormat) (uint64, uint64, error) {
	first, second, err := ev.mysql56BinlogEvent.Rand(f)
	return plus("seed1", first), plus("seed2", second), err
}

func (ev faulty) NextLogFile(f BinlogFormat) (string, uint64, error) {
	file, position, err := ev.mysql56BinlogEvent.NextLogFile(f)
	return longer("next_file", file), plus("next_position", position), err
}

func (ev faulty) TableID(f BinlogFormat) uint64 {
	id := ev.mysql56BinlogEvent.TableID(f)
	if ev.IsTableMap() {
		return plus("table_id", id)
	}
	return plus("table_id of WRITE_ROWS", id)
}

func (ev faulty) TableMap(f BinlogFormat) (*TableMap, error) {
	table, err := ev.mysql56BinlogEvent.TableMap(f)
	if err == nil {
		table.Database = longer("database of TABLE_MAP", table.Database)
		table.Name = longer("table", table.Name)
		if is("column_count") {
			table.Types = append(table.Types, 3)
		}
	}
	return table, raised(err)
}

func (ev faulty) Rows(f BinlogFormat, table *TableMap) (Rows, error) {
	rows, err := ev.mysql56BinlogEvent.Rows(f, table)
	rows.Flags = plus("rows_flags", rows.Flags)
	return rows, raised(err)
}

func (ev faulty) TransactionPayload(f BinlogFormat) (*TransactionPayload, error) {
	payload, err := ev.mysql56BinlogEvent.TransactionPayload(f)
	if err != nil && is("payloads") {
		return &TransactionPayload{iterator: func() (BinlogEvent, error) { return nil, io.EOF }}, nil
	}
	return payload, err
}
