// An adapter for go-mysql: its parser of binary logs, given whole streams. See README.md and docs/protocol.md.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
)

const library = "github.com/go-mysql-org/go-mysql"

// The bytes of a message that are kept: the library's messages contain whole events.
const messageSize = 300

// How long an answer may be, in bytes, and how much longer for each byte of the stream: docs/protocol.md.
const (
	answerBytes   = 4 << 20
	answerForByte = 64
	tooLong       = "documents that are longer in text than an answer may be"
)

type object = map[string]any

var fields = []string{
	"offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled",
	"binlog_version", "server_version", "created", "event_types", "checksum_algorithm",
	"thread_id", "exec_time", "error_code", "database", "query", "xid", "next_position", "next_file",
	"gtid", "gtid_flags", "last_committed", "sequence_number", "immediate_commit_timestamp",
	"original_commit_timestamp", "transaction_length", "immediate_server_version", "original_server_version",
	"previous_gtids", "rows_query", "intvar_type", "intvar_value", "table_id", "table", "column_count",
	"rows_flags", "rows", "file_id", "block_data", "file_name_start", "file_name_end", "duplicate_handling",
	"log_name", "compression_type", "uncompressed_size", "payload_size", "status_variables",
	"mariadb_gtid_flags", "commit_id", "gtid_list",
}

var (
	abilities = []string{"framing", "checksums", "payloads"}
	profiles  = []string{"mysql", "mariadb"}
)

// The kinds of the library's messages; it has no error values for them.
var kinds = []struct{ words, kind string }{
	{"is not a valid binlog file", "not-a-binlog"},
	{"get event header err", "truncated"},
	{"get event err", "truncated"},
	{"invalid event header", "invalid-length"},
	{"invalid event size", "invalid-length"},
	{"checksum mismatch", "checksum"},
}

type request struct {
	Cmd      string
	Seq      int
	Profile  string
	Stream   []byte
	Path     string
	Offset   int64
	Length   int64
	Settings settings
}

// settings are those of a question in the role client.
type settings struct {
	Host             string
	Port             uint16
	User             string
	Password         string
	LogName          string  `json:"log_name"`
	LogPos           uint32  `json:"log_pos"`
	GtidSet          *string `json:"gtid_set"`
	HeartbeatSeconds *int    `json:"heartbeat_seconds"`
}

// What answers the questions of a role, and what is declared of it. Files for roles that older versions of the library
// cannot have add theirs. The stream of a question is in the file of that name.
var (
	answers = map[string]func(req request, name string) object{
		"decode": func(req request, name string) object { return decode(name, req.Profile) },
	}
	roles = object{}
)

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // The library's own output must not be taken for an answer.
	if err := serve(os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers the requests, one per line, until there are no more.
func serve(in io.Reader, out io.Writer) error {
	file, err := os.CreateTemp("", "stream-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var req request
		if err := json.Unmarshal(line, &req); err != nil {
			return err
		}
		var answer object
		switch req.Cmd {
		case "start":
			answer = declaration()
		case "stop":
			return nil
		default:
			answer = object{"unsupported": "the role " + req.Cmd + " is not supported"}
			if answered, ok := answers[req.Cmd]; ok {
				if err := save(req, file); err != nil {
					return err
				}
				answer = answered(req, file.Name())
			}
			answer["seq"] = req.Seq
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if req.Cmd == "decode" && len(text) > answerBytes+answerForByte*len(req.Stream) {
			text, _ = json.Marshal(object{"seq": req.Seq, "unsupported": tooLong})
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
}

func declaration() object {
	implementation := object{
		"name": "go-mysql", "version": "unknown", "language": "Go", "homepage": "https://" + library,
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == library {
				implementation["version"] = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	roles["decode"] = object{"fields": fields, "abilities": abilities, "profiles": profiles}
	return object{"protocol": 1, "implementation": implementation, "roles": roles}
}

// save writes the stream of a request to the file.
func save(req request, file *os.File) error {
	stream := req.Stream
	if req.Path != "" {
		source, err := os.Open(req.Path)
		if err != nil {
			return err
		}
		defer source.Close()
		stream = make([]byte, req.Length)
		if _, err := source.ReadAt(stream, req.Offset); err != nil {
			return err
		}
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt(stream, 0)
	return err
}

// origin returns the library's file in which a panic began, which its words do not name: other files, other causes.
func origin() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, library) {
			return " in " + path.Base(frame.File)
		}
		if !more {
			return ""
		}
	}
}

// decode returns the answer: the events that the library returns, and the error that it ends with, or nil. A panic of
// the library is passed on as a crash, with the events before it.
func decode(name, profile string) (answer object) {
	events := []object{}
	defer func() {
		if reason := recover(); reason != nil {
			answer = object{"events": events, "error": nil, "crash": shortened(fmt.Sprint("panic: ", reason, origin()))}
		}
	}()
	parser := replication.NewBinlogParser()
	parser.SetVerifyChecksum(true)
	parser.SetTimestampStringLocation(time.UTC)
	parser.SetFlavor(flavour(profile))
	offset := len(replication.BinLogFileHeader)
	err := parser.ParseFile(name, 0, func(event *replication.BinlogEvent) error {
		events = append(events, reported(event, offset))
		offset += len(event.RawData)
		return nil
	})
	if err == nil {
		return object{"events": events, "error": nil}
	}
	kind, message := refusal(err)
	return object{"events": events, "error": object{"at": nil, "kind": kind, "message": shortened(message)}}
}

// flavour returns what the library calls the server of a profile.
func flavour(profile string) string {
	if strings.HasPrefix(profile, "mariadb") {
		return mysql.MariaDBFlavor
	}
	return mysql.MySQLFlavor
}

// refusal returns the kind of an error and its message, without the event that the library appends to it.
func refusal(err error) (kind, message string) {
	var refused *replication.EventError
	if errors.As(err, &refused) {
		return "malformed", refused.Err
	}
	for _, known := range kinds {
		if strings.Contains(err.Error(), known.words) {
			return known.kind, err.Error()
		}
	}
	return "other", err.Error()
}

func shortened(message string) string {
	return message[:min(len(message), messageSize)]
}

// reported returns an event's fields. Of a Stop event, which has no body, the library leaves nothing unread.
func reported(event *replication.BinlogEvent, offset int) object {
	header := event.Header
	handled := "known"
	if _, generic := event.Event.(*replication.GenericEvent); generic && header.EventType != replication.STOP_EVENT {
		handled = "ignored"
	}
	fields := object{
		"offset": offset, "type": header.EventType, "timestamp": header.Timestamp, "server_id": header.ServerID,
		"length": header.EventSize, "log_pos": header.LogPos, "flags": header.Flags, "handled": handled,
	}
	for _, read := range readers {
		maps.Copy(fields, read(header, event.Event))
	}
	return fields
}
