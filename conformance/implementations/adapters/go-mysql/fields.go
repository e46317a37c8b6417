package main

import (
	"strings"

	"github.com/go-mysql-org/go-mysql/replication"
)

// fieldsOf returns what the library reports of an event's body, by the protocol's names.
func fieldsOf(header *replication.EventHeader, event replication.Event) object {
	switch e := event.(type) {
	case *replication.FormatDescriptionEvent:
		algorithm := "none"
		if e.ChecksumAlgorithm == replication.BINLOG_CHECKSUM_ALG_CRC32 {
			algorithm = "crc32"
		}
		return object{
			"binlog_version": e.Version, "server_version": e.ServerVersion, "created": e.CreateTimestamp,
			"event_types": len(e.EventTypeHeaderLengths), "checksum_algorithm": algorithm,
		}
	case *replication.QueryEvent:
		return object{
			"thread_id": e.SlaveProxyID, "exec_time": e.ExecutionTime, "error_code": e.ErrorCode,
			"database": string(e.Schema), "query": string(e.Query),
		}
	case *replication.RotateEvent:
		return object{"next_position": e.Position, "next_file": string(e.NextLogName)}
	case *replication.XIDEvent:
		return object{"xid": e.XID}
	case *replication.IntVarEvent:
		return object{"intvar_type": e.Type, "intvar_value": e.Value}
	case *replication.ExecuteLoadQueryEvent:
		return object{
			"thread_id": e.SlaveProxyID, "exec_time": e.ExecutionTime, "error_code": e.ErrorCode,
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
		return gtidFields(header.EventType, e)
	case *replication.PreviousGTIDsEvent:
		return object{"previous_gtids": e.GTIDSets}
	case *replication.TransactionPayloadEvent:
		return object{
			"compression_type": e.CompressionType, "uncompressed_size": e.UncompressedSize, "payload_size": e.Size,
		}
	case *replication.MariadbAnnotateRowsEvent:
		return object{"rows_query": string(e.Query)}
	case *replication.MariadbBinlogCheckPointEvent:
		return object{"log_name": string(e.Info)}
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
	return newerFields(header.EventType, event)
}

// gtidFields leaves out fields that older servers do not write, and an original server version like the immediate one.
// The library has an original commit timestamp for every event with an immediate one, even if the event has none.
func gtidFields(code replication.EventType, e *replication.GTIDEvent) object {
	fields := object{
		"gtid_flags": e.CommitFlag, "last_committed": e.LastCommitted, "sequence_number": e.SequenceNumber,
	}
	if code == replication.ANONYMOUS_GTID_EVENT {
		fields["gtid"] = "ANONYMOUS"
	} else if gtid, err := e.GTIDNext(); err == nil {
		fields["gtid"] = gtid.String()
	} else {
		fields["gtid"] = err.Error()
	}
	if e.ImmediateCommitTimestamp != 0 {
		fields["immediate_commit_timestamp"] = e.ImmediateCommitTimestamp
		fields["original_commit_timestamp"] = e.OriginalCommitTimestamp
	}
	if e.TransactionLength != 0 {
		fields["transaction_length"] = e.TransactionLength
	}
	if e.ImmediateServerVersion != 0 && e.ImmediateServerVersion != replication.UndefinedServerVer {
		fields["immediate_server_version"] = e.ImmediateServerVersion
	}
	if e.OriginalServerVersion != e.ImmediateServerVersion {
		fields["original_server_version"] = e.OriginalServerVersion
	}
	return fields
}
