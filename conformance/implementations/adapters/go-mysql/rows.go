package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
)

// The types whose rows have one image; the rows of other types have both, one after the other.
var (
	writes = map[replication.EventType]bool{
		replication.WRITE_ROWS_EVENTv0: true, replication.WRITE_ROWS_EVENTv1: true,
		replication.WRITE_ROWS_EVENTv2: true, replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1: true,
	}
	deletes = map[replication.EventType]bool{
		replication.DELETE_ROWS_EVENTv0: true, replication.DELETE_ROWS_EVENTv1: true,
		replication.DELETE_ROWS_EVENTv2: true, replication.MARIADB_DELETE_ROWS_COMPRESSED_EVENT_V1: true,
	}
)

// The code of VECTOR, for which older versions of the library have no name.
const vector = 242

// The names of the library's operations of a partial update.
var operations = map[replication.JsonDiffOperation]string{
	replication.JsonDiffOperationReplace: "replace",
	replication.JsonDiffOperationInsert:  "insert",
	replication.JsonDiffOperationRemove:  "remove",
}

func rowsOf(code replication.EventType, e *replication.RowsEvent) []object {
	rows := []object{}
	for i := 0; i < len(e.Rows); i++ {
		row := object{"before": nil, "after": nil}
		if !writes[code] {
			row["before"] = imageOf(e, i)
		}
		if !writes[code] && !deletes[code] {
			i++
		}
		if !deletes[code] {
			row["after"] = imageOf(e, i)
		}
		rows = append(rows, row)
	}
	return rows
}

// imageOf returns the values of an image by column number, without the columns that it does not have.
func imageOf(e *replication.RowsEvent, index int) any {
	if index >= len(e.Rows) {
		return nil
	}
	image := object{}
	for column, value := range e.Rows[index] {
		image[strconv.Itoa(column)] = cellOf(e.Table.ColumnType[column], value)
	}
	for _, column := range e.SkippedColumns[index] {
		delete(image, strconv.Itoa(column))
	}
	return image
}

// cellOf returns a value in the protocol's notation, by its Go type and the column's type.
func cellOf(column byte, value any) any {
	switch v := value.(type) {
	case *replication.JsonDiff:
		change := object{"operation": operations[v.Op], "path": v.Path}
		if v.Op != replication.JsonDiffOperationRemove {
			change["value"] = documentOf(v.Value)
		}
		return object{"json_changes": []object{change}}
	case string:
		switch column {
		case mysql.MYSQL_TYPE_JSON:
			return object{"json": documentOf(v)}
		case mysql.MYSQL_TYPE_TIMESTAMP, mysql.MYSQL_TYPE_TIMESTAMP2:
			return secondsOf(v)
		}
		return bytesOf([]byte(v))
	case []byte:
		if column == vector {
			return vectorOf(v)
		}
		return bytesOf(v)
	case float32:
		return numberOf(float64(v), 32)
	case float64:
		return numberOf(v, 64)
	}
	return value
}

// bytesOf returns bytes as text if they are UTF-8; encoding/json writes others as base64.
func bytesOf(value []byte) any {
	if utf8.Valid(value) {
		return string(value)
	}
	return object{"base64": value}
}

// documentOf returns the library's text of a JSON document as the document, or unchanged if it is not valid JSON.
func documentOf(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// secondsOf returns the library's text of a TIMESTAMP, a date in UTC, as seconds since 1970. Zero is not a date, and a
// text that is not a date is returned unchanged.
func secondsOf(text string) string {
	if fraction, zero := strings.CutPrefix(text, "0000-00-00 00:00:00"); zero {
		return "0" + fraction
	}
	moment, err := time.Parse(time.DateTime, text) // It accepts a fraction too.
	if err != nil {
		return text
	}
	return fmt.Sprintf("%d.%06d", moment.Unix(), moment.Nanosecond()/1000)
}

// vectorOf returns the numbers of a VECTOR, which the library returns as bytes.
func vectorOf(value []byte) any {
	if len(value)%4 != 0 {
		return bytesOf(value)
	}
	numbers := make([]any, len(value)/4)
	for i := range numbers {
		numbers[i] = numberOf(float64(math.Float32frombits(binary.LittleEndian.Uint32(value[4*i:]))), 32)
	}
	return numbers
}

// numberOf returns a floating-point number of so many bits; JSON has no infinity and no NaN, which become text.
func numberOf(value float64, bits int) any {
	text := strconv.FormatFloat(value, 'g', -1, bits)
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return text
	}
	return json.RawMessage(text)
}
