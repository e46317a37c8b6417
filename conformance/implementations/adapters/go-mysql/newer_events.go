//go:build !go_mysql_1_10

package main

import "github.com/go-mysql-org/go-mysql/replication"

// newerFields returns the fields of events that go-mysql has types for since 1.12; build older versions with the tag.
func newerFields(code replication.EventType, event replication.Event) object {
	switch e := event.(type) {
	case *replication.GtidTaggedLogEvent:
		return gtidFields(code, &e.GTIDEvent)
	case *replication.HeartbeatEvent:
		fields := object{"log_name": e.Filename}
		if e.Version == 2 {
			fields["log_position"] = e.Offset
		}
		return fields
	}
	return nil
}
