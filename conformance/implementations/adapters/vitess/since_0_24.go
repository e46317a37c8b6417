//go:build !before_0_24

package main

import "vitess.io/vitess/go/mysql"

func init() {
	fields = append(fields, "rows_query")
	kinds = append(kinds, kind{mysql.BinlogEvent.IsRowsQuery, (*reader).rowsQuery})
}

func (r *reader) rowsQuery(event mysql.BinlogEvent, reported object) error {
	text, err := event.RowsQuery(r.format)
	if err == nil {
		reported["rows_query"] = text
	}
	return err
}
