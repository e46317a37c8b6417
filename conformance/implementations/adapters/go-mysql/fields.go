package main

import (
	"strings"

	"github.com/go-mysql-org/go-mysql/replication"
)

// readers return what the library reports of an event's body, by the protocol's names, or nil for other types. Files
// for types that older versions of the library do not have add theirs.
var readers = []func(*replication.EventHeader, replication.Event) object{fieldsOf, mariadbFields}

func fieldsOf(header *replication.EventHeader, event replication.Event) object {
	switch e := event.(type) {
	case *replication.FormatDescriptionEvent:
		algorithm := any(e.ChecksumAlgorithm) // The kit shows a number that is none of these.
		switch e.ChecksumAlgorithm {
		case replication.BINLOG_CHECKSUM_ALG_OFF, replication.BINLOG_CHECKSUM_ALG_UNDEF: // Undefined before 5.6.
			algorithm = "none"
		case replication.BINLOG_CHECKSUM_ALG_CRC32:
			algorithm = "crc32"
		}
		return object{
			"binlog_version": e.Version, "server_version": e.ServerVersion, "created": e.CreateTimestamp,
			"event_types": len(e.EventTypeHeaderLengths), "checksum_algorithm": algorithm,
		}
	case *replication.QueryEvent:
		return object{
			"thread_id": e.SlaveProxyID, "exec_time": e.ExecutionTime, "error_code": e.ErrorCode,
			"database": string(e.Schema), "query": string(e.Query), "status_variables": bytesOf(e.StatusVars),
		}
	case *replication.RotateEvent:
		return object{"next_position": e.Position, "next_file": string(e.NextLogName)}
	case *replication.XIDEvent:
		return object{"xid": e.XID}
	case *replication.IntVarEvent:
		return object{"intvar_type": e.Type, "intvar_value": e.Value}
	case *replication.BeginLoadQueryEvent:
		return object{"file_id": e.FileID, "block_data": bytesOf(e.BlockData)}
	case *replication.ExecuteLoadQueryEvent:
		return object{
			"thread_id": e.SlaveProxyID, "exec_time": e.ExecutionTime, "error_code": e.ErrorCode, "file_id": e.FileID,
			"file_name_start": e.StartPos, "file_name_end": e.EndPos, "duplicate_handling": e.DupHandlingFlags,
		}
	case *replication.RowsQueryEvent:
		return object{"rows_query": string(e.Query)}
	case *replication.TableMapEvent:
		return object{
			"table_id": e.TableID, "database": string(e.Schema), "table": string(e.Table),
			"column_count": e.ColumnCount,
		}
	case *replication.RowsEvent:
		return object{"table_id": e.TableID, "rows_flags": e.Flags, "rows": rowsOf(header.EventType, e)}
	case *replication.GTIDEvent:
		return gtidFields(e)
	case *replication.PreviousGTIDsEvent:
		return object{"previous_gtids": e.GTIDSets}
	case *replication.TransactionPayloadEvent:
		return object{
			"compression_type": e.CompressionType, "uncompressed_size": e.UncompressedSize, "payload_size": e.Size,
		}
	}
	return nil
}

func mariadbFields(_ *replication.EventHeader, event replication.Event) object {
	switch e := event.(type) {
	case *replication.MariadbAnnotateRowsEvent:
		return object{"rows_query": string(e.Query)}
	case *replication.MariadbGTIDEvent:
		fields := object{"mariadb_gtid_flags": e.Flags, "gtid": e.GTID.String()}
		if e.IsGroupCommit() {
			fields["commit_id"] = e.CommitID
		}
		return fields
	case *replication.MariadbGTIDListEvent:
		gtids := make([]string, len(e.GTIDs))
		for i := range e.GTIDs {
			gtids[i] = e.GTIDs[i].String()
		}
		return object{"gtid_list": strings.Join(gtids, ",")}
	}
	return nil
}

// gtidFields returns all fields, also those that the event does not have: the library does not report which these are.
func gtidFields(e *replication.GTIDEvent) object {
	fields := object{
		"gtid_flags": e.CommitFlag, "last_committed": e.LastCommitted, "sequence_number": e.SequenceNumber,
		"immediate_commit_timestamp": e.ImmediateCommitTimestamp, "original_commit_timestamp": e.OriginalCommitTimestamp,
		"transaction_length": e.TransactionLength, "immediate_server_version": e.ImmediateServerVersion,
		"original_server_version": e.OriginalServerVersion,
	}
	if gtid, err := e.GTIDNext(); err == nil {
		fields["gtid"] = gtid.String()
	} else {
		fields["gtid"] = err.Error()
	}
	return fields
}
