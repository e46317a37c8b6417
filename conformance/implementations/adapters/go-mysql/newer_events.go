//go:build !go_mysql_1_10

package main

import "github.com/go-mysql-org/go-mysql/replication"

// newerFields is for the events that go-mysql has types for since 1.12; for older versions build with the tag.
func newerFields(code replication.EventType, event replication.Event) object {
	switch e := event.(type) {
	case *replication.GtidTaggedLogEvent:
		return gtidFields(code, &e.GTIDEvent)
	case *replication.HeartbeatEvent:
		said := object{"log_name": e.Filename}
		if e.Version == 2 {
			said["log_position"] = e.Offset
		}
		return said
	}
	return nil
}
