package main

import (
	"errors"
	"io"

	"vitess.io/vitess/go/mysql"
)

// The names of the library's algorithms of checksums.
var algorithms = map[byte]string{
	mysql.BinlogChecksumAlgOff: "none", mysql.BinlogChecksumAlgCRC32: "crc32", mysql.BinlogChecksumAlgUndef: "none",
}

// reader reads the events of a stream in the order in which the library's replication client does.
type reader struct {
	format mysql.BinlogFormat
	tables map[uint64]*mysql.TableMap
}

// A kind of event: whether an event is of it, and what the library reports of that.
type kind struct {
	is   func(mysql.BinlogEvent) bool
	read func(*reader, mysql.BinlogEvent, object) error
}

// kinds are filled at the start, as the events of a payload are of the same kinds. Some versions have further ones.
var kinds []kind

func init() {
	kinds = append(kinds, []kind{
		{mysql.BinlogEvent.IsGTID, (*reader).gtid},
		{mysql.BinlogEvent.IsXID, nothing},
		{mysql.BinlogEvent.IsQuery, (*reader).query},
		{mysql.BinlogEvent.IsPreviousGTIDs, (*reader).previousGtids},
		{mysql.BinlogEvent.IsIntVar, (*reader).intvar},
		{mysql.BinlogEvent.IsRand, (*reader).rand},
		{mysql.BinlogEvent.IsTableMap, (*reader).tableMap},
		{mysql.BinlogEvent.IsWriteRows, (*reader).rows},
		{mysql.BinlogEvent.IsUpdateRows, (*reader).rows},
		{mysql.BinlogEvent.IsDeleteRows, (*reader).rows},
		{mysql.BinlogEvent.IsTransactionPayload, (*reader).payload},
		{mysql.BinlogEvent.IsHeartbeat, nothing},
		{mysql.BinlogEvent.IsStop, nothing},
	}...)
}

func nothing(*reader, mysql.BinlogEvent, object) error { return nil }

// read returns what the library reports of an event.
func (r *reader) read(event mysql.BinlogEvent) (object, error) {
	if !event.IsValid() {
		return nil, errors.New("the event is not valid")
	}
	reported := object{
		"timestamp": event.Timestamp(), "server_id": event.ServerID(), "log_pos": event.NextPosition(), "handled": "known",
	}
	if event.IsFormatDescription() {
		format, err := event.Format()
		if err != nil {
			return nil, err
		}
		r.format = format
		reported["binlog_version"] = format.FormatVersion
		reported["server_version"] = format.ServerVersion
		if name, ok := algorithms[format.ChecksumAlgorithm]; ok {
			reported["checksum_algorithm"] = name
		}
		return reported, nil
	}
	if r.format.IsZero() {
		return nil, errors.New("an event before any format description")
	}
	stripped, _, err := event.StripChecksum(r.format)
	if err != nil {
		return nil, err
	}
	if event.IsRotate() {
		return reported, r.rotate(event, reported) // It cuts the checksum off itself.
	}
	for _, each := range kinds {
		if each.is(stripped) {
			return reported, each.read(r, stripped, reported)
		}
	}
	reported["handled"] = "ignored"
	return reported, nil
}

func (r *reader) previousGtids(event mysql.BinlogEvent, reported object) error {
	position, err := event.PreviousGTIDs(r.format)
	if err != nil {
		return err
	}
	reported["previous_gtids"] = ""
	if position.GTIDSet != nil {
		reported["previous_gtids"] = position.GTIDSet.String()
	}
	return nil
}

func (r *reader) query(event mysql.BinlogEvent, reported object) error {
	query, err := event.Query(r.format)
	reported["database"], reported["query"] = query.Database, query.SQL
	if charset := query.Charset; charset != nil {
		reported["character_set_client"], reported["collation_connection"] = charset.Client, charset.Conn
		reported["collation_server"] = charset.Server
	}
	return err
}

func (r *reader) rotate(event mysql.BinlogEvent, reported object) error {
	file, position, err := event.NextLogFile(r.format)
	reported["next_file"], reported["next_position"] = file, position
	return err
}

func (r *reader) intvar(event mysql.BinlogEvent, reported object) error {
	code, value, err := event.IntVar(r.format)
	reported["intvar_type"], reported["intvar_value"] = code, value
	return err
}

func (r *reader) rand(event mysql.BinlogEvent, reported object) error {
	first, second, err := event.Rand(r.format)
	reported["seed1"], reported["seed2"] = first, second
	return err
}

func (r *reader) tableMap(event mysql.BinlogEvent, reported object) error {
	id := event.TableID(r.format)
	table, err := event.TableMap(r.format)
	if err != nil {
		return err
	}
	r.tables[id] = table
	reported["table_id"], reported["database"], reported["table"] = id, table.Database, table.Name
	reported["column_count"] = len(table.Types)
	return nil
}

// rows reads rows as far as the library does by itself: it cuts them, and leaves their values to its user.
func (r *reader) rows(event mysql.BinlogEvent, reported object) error {
	id := event.TableID(r.format)
	reported["table_id"] = id
	table, known := r.tables[id]
	if !known {
		return errors.New("no table map for the rows")
	}
	rows, err := event.Rows(r.format, table)
	reported["rows_flags"] = rows.Flags
	return err
}

// payload reads the events inside of a payload, which are not reported.
func (r *reader) payload(event mysql.BinlogEvent, _ object) error {
	payload, err := event.TransactionPayload(r.format)
	if err != nil {
		return err
	}
	defer payload.Close()
	format := r.format
	defer func() { r.format = format }()
	r.format.ChecksumAlgorithm = mysql.BinlogChecksumAlgOff // Events inside have no checksums of their own.
	for {
		inner, err := payload.GetNextEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := r.read(inner); err != nil {
			return err
		}
	}
}
