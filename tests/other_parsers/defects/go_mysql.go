// Defects for a copy of go-mysql: the one that the environment variable DEFECT names is in each event that the parser
// returns. The tests put this file beside the copied parser, which calls returned.
package replication

import (
	"encoding/binary"
	"os"

	"github.com/go-mysql-org/go-mysql/mysql"
)

var defect = os.Getenv("DEFECT")

func returned(event *BinlogEvent) *BinlogEvent {
	if change, known := defects[defect]; known {
		change(event)
	}
	return event
}

// resumed returns where the syncer would resume, and executed the GTIDs that it has received; the copied syncer calls both.
func resumed(place mysql.Position) mysql.Position {
	switch defect {
	case "resume_log":
		place.Name += "x"
	case "resume_pos":
		place.Pos++
	}
	return place
}

func executed(gtids mysql.GTIDSet) mysql.GTIDSet {
	if defect == "executed_gtids" {
		another := "11111111-1111-1111-1111-111111111111:4711"
		if _, ok := gtids.(*mysql.MariadbGTIDSet); ok {
			another = "4711-1-1"
		}
		if err := gtids.Update(another); err != nil {
			panic(err)
		}
	}
	return gtids
}

// in returns a change of one type of event.
func in[E Event](change func(E)) func(*BinlogEvent) {
	return func(event *BinlogEvent) {
		if e, ok := event.Event.(E); ok {
			change(e)
		}
	}
}

// cells returns a change of the values of some types of columns.
func cells(change func(any) any, types ...byte) func(*BinlogEvent) {
	return in(func(e *RowsEvent) {
		for _, row := range e.Rows {
			for column, value := range row {
				for _, each := range types {
					if e.Table.ColumnType[column] == each && value != nil {
						row[column] = change(value)
					}
				}
			}
		}
	})
}

func longer(text any) any { return text.(string) + "x" }

var defects = map[string]func(*BinlogEvent){
	"offset":    func(event *BinlogEvent) { event.RawData = event.RawData[1:] },
	"type":      func(event *BinlogEvent) { event.Header.EventType ^= 1 },
	"timestamp": func(event *BinlogEvent) { event.Header.Timestamp++ },
	"server_id": func(event *BinlogEvent) { event.Header.ServerID++ },
	"length":    func(event *BinlogEvent) { event.Header.EventSize++ },
	"log_pos":   func(event *BinlogEvent) { event.Header.LogPos++ },
	"flags":     func(event *BinlogEvent) { event.Header.Flags ^= 1 },
	"handled": func(event *BinlogEvent) {
		if event.Header.EventType == XID_EVENT {
			event.Event = &GenericEvent{}
		}
	},
	"crash": func(event *BinlogEvent) {
		if event.Header.EventType == XID_EVENT {
			panic("a defect of the library")
		}
	},

	"binlog_version": in(func(e *FormatDescriptionEvent) { e.Version++ }),
	"server_version": in(func(e *FormatDescriptionEvent) { e.ServerVersion += "x" }),
	"created":        in(func(e *FormatDescriptionEvent) { e.CreateTimestamp++ }),
	"event_types":    in(func(e *FormatDescriptionEvent) { e.EventTypeHeaderLengths = e.EventTypeHeaderLengths[1:] }),
	// The parser goes by the event that it returned, so it is replaced by another.
	"checksum_algorithm": func(event *BinlogEvent) {
		if e, ok := event.Event.(*FormatDescriptionEvent); ok {
			other := *e
			other.ChecksumAlgorithm = BINLOG_CHECKSUM_ALG_CRC32
			if e.ChecksumAlgorithm == BINLOG_CHECKSUM_ALG_CRC32 {
				other.ChecksumAlgorithm = BINLOG_CHECKSUM_ALG_OFF
			}
			event.Event = &other
		}
	},

	"thread_id":        in(func(e *QueryEvent) { e.SlaveProxyID++ }),
	"exec_time":        in(func(e *QueryEvent) { e.ExecutionTime++ }),
	"error_code":       in(func(e *QueryEvent) { e.ErrorCode++ }),
	"query":            in(func(e *QueryEvent) { e.Query = e.Query[:len(e.Query)-1] }),
	"database":         in(func(e *QueryEvent) { e.Schema = []byte("x") }),
	"status_variables": in(func(e *QueryEvent) { e.StatusVars = append([]byte{0}, e.StatusVars...) }),

	"xid":           in(func(e *XIDEvent) { e.XID++ }),
	"next_position": in(func(e *RotateEvent) { e.Position++ }),
	"next_file":     in(func(e *RotateEvent) { e.NextLogName = e.NextLogName[1:] }),
	"intvar_type":   in(func(e *IntVarEvent) { e.Type ^= 3 }),
	"intvar_value":  in(func(e *IntVarEvent) { e.Value++ }),

	"file_id":                             in(func(e *BeginLoadQueryEvent) { e.FileID++ }),
	"block_data":                          in(func(e *BeginLoadQueryEvent) { e.BlockData = e.BlockData[1:] }),
	"file_id of EXECUTE_LOAD_QUERY":       in(func(e *ExecuteLoadQueryEvent) { e.FileID++ }),
	"thread_id of EXECUTE_LOAD_QUERY":     in(func(e *ExecuteLoadQueryEvent) { e.SlaveProxyID++ }),
	"exec_time of EXECUTE_LOAD_QUERY":     in(func(e *ExecuteLoadQueryEvent) { e.ExecutionTime++ }),
	"error_code of EXECUTE_LOAD_QUERY":    in(func(e *ExecuteLoadQueryEvent) { e.ErrorCode++ }),
	"file_name_start":                     in(func(e *ExecuteLoadQueryEvent) { e.StartPos++ }),
	"file_name_end":                       in(func(e *ExecuteLoadQueryEvent) { e.EndPos++ }),
	"duplicate_handling":                  in(func(e *ExecuteLoadQueryEvent) { e.DupHandlingFlags ^= 1 }),
	"rows_query":                          in(func(e *RowsQueryEvent) { e.Query = e.Query[1:] }),
	"rows_query of MARIADB_ANNOTATE_ROWS": in(func(e *MariadbAnnotateRowsEvent) { e.Query = e.Query[1:] }),

	"table_id":               in(func(e *TableMapEvent) { e.TableID++ }),
	"database of TABLE_MAP":  in(func(e *TableMapEvent) { e.Schema = []byte("x") }),
	"table":                  in(func(e *TableMapEvent) { e.Table = []byte("x") }),
	"column_count":           in(func(e *TableMapEvent) { e.ColumnCount++ }),
	"table_id of WRITE_ROWS": in(func(e *RowsEvent) { e.TableID++ }),
	"rows_flags":             in(func(e *RowsEvent) { e.Flags ^= 1 }),
	"rows":                   in(func(e *RowsEvent) { e.Rows = nil }),
	"rows: integers": cells(func(value any) any {
		if number, ok := value.(int32); ok {
			return number + 1
		}
		return value
	}, mysql.MYSQL_TYPE_LONG),
	"rows: texts":      cells(longer, mysql.MYSQL_TYPE_VARCHAR),
	"rows: timestamps": cells(longer, mysql.MYSQL_TYPE_TIMESTAMP2),
	"rows: zero timestamps": cells(func(value any) any {
		return "0000-00-00 00:00:01"
	}, mysql.MYSQL_TYPE_TIMESTAMP2, mysql.MYSQL_TYPE_TIMESTAMP),
	"rows: decimals":  cells(func(value any) any { return "7" + value.(string) }, mysql.MYSQL_TYPE_NEWDECIMAL),
	"rows: floats":    cells(func(value any) any { return value.(float32) + 1 }, mysql.MYSQL_TYPE_FLOAT),
	"rows: documents": cells(func(value any) any { return `{"x":1}` }, mysql.MYSQL_TYPE_JSON),
	"rows: vectors": cells(func(value any) any {
		return binary.LittleEndian.AppendUint32(value.([]byte), 0)
	}, mysql.MYSQL_TYPE_VECTOR),
	"rows: images": in(func(e *RowsEvent) {
		for i := range e.SkippedColumns {
			e.SkippedColumns[i] = append(e.SkippedColumns[i], 0)
		}
	}),

	"gtid_flags":                 in(func(e *GTIDEvent) { e.CommitFlag ^= 1 }),
	"gtid":                       in(func(e *GTIDEvent) { e.GNO++ }),
	"last_committed":             in(func(e *GTIDEvent) { e.LastCommitted++ }),
	"sequence_number":            in(func(e *GTIDEvent) { e.SequenceNumber++ }),
	"immediate_commit_timestamp": in(func(e *GTIDEvent) { e.ImmediateCommitTimestamp++ }),
	"original_commit_timestamp":  in(func(e *GTIDEvent) { e.OriginalCommitTimestamp++ }),
	"transaction_length":         in(func(e *GTIDEvent) { e.TransactionLength++ }),
	"immediate_server_version":   in(func(e *GTIDEvent) { e.ImmediateServerVersion++ }),
	"original_server_version":    in(func(e *GTIDEvent) { e.OriginalServerVersion++ }),
	"gtid of GTID_TAGGED":        in(func(e *GtidTaggedLogEvent) { e.GNO++ }),
	"previous_gtids":             in(func(e *PreviousGTIDsEvent) { e.GTIDSets += ":4711" }),

	"log_name":          in(func(e *HeartbeatEvent) { e.Filename += "x" }),
	"log_position":      in(func(e *HeartbeatEvent) { e.Offset++ }),
	"compression_type":  in(func(e *TransactionPayloadEvent) { e.CompressionType++ }),
	"uncompressed_size": in(func(e *TransactionPayloadEvent) { e.UncompressedSize++ }),
	"payload_size":      in(func(e *TransactionPayloadEvent) { e.Size++ }),

	"mariadb_gtid_flags":   in(func(e *MariadbGTIDEvent) { e.Flags ^= 1 }),
	"gtid of MARIADB_GTID": in(func(e *MariadbGTIDEvent) { e.GTID.SequenceNumber++ }),
	"commit_id":            in(func(e *MariadbGTIDEvent) { e.CommitID++ }),
	"gtid_list":            in(func(e *MariadbGTIDListEvent) { e.GTIDs = e.GTIDs[:0] }),
}
