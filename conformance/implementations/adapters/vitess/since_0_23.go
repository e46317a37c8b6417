//go:build !before_0_23

package main

import "vitess.io/vitess/go/mysql"

func init() {
	fields = append(fields, "last_committed", "sequence_number")
	kinds = append(kinds, kind{mysql.BinlogEvent.IsPartialUpdateRows, (*reader).rows})
}

func (r *reader) gtid(event mysql.BinlogEvent, reported object) error {
	gtid, _, lastCommitted, sequenceNumber, err := event.GTID(r.format)
	if err == nil {
		reported["gtid"] = gtid.String()
		reported["last_committed"], reported["sequence_number"] = lastCommitted, sequenceNumber
	}
	return err
}
