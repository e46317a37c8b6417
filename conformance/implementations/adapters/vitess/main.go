// An adapter for vitess: its package go/mysql, given the events of a stream one by one as its replication client gets
// them. See README.md and docs/protocol.md.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strings"

	"vitess.io/vitess/go/mysql"
)

const (
	library = "vitess.io/vitess"
	// The bytes of a message that are kept: the library's messages may contain whole events.
	messageSize = 300
	magicBytes  = 4
	headerBytes = 19
	magic       = "\xfebin"
)

type object = map[string]any

var (
	fields = []string{
		"offset", "timestamp", "server_id", "log_pos", "handled", "binlog_version", "server_version",
		"checksum_algorithm", "database", "query", "character_set_client", "collation_connection", "collation_server",
		"next_position", "next_file", "gtid", "previous_gtids", "intvar_type", "intvar_value",
		"seed1", "seed2", "table_id", "table", "column_count", "rows_flags",
	}
	abilities = []string{"error_at", "payloads"}
	profiles  = []string{"mysql >= 5.7, < 9.0"}
)

type request struct {
	Cmd    string
	Seq    int
	Stream []byte
	Path   string
	Offset int64
	Length int64
}

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
		answer := object{"unsupported": "the role " + req.Cmd + " is not supported"}
		switch req.Cmd {
		case "start":
			answer = declaration()
		case "stop":
			return nil
		case "decode":
			stream, err := streamOf(req)
			if err != nil {
				return err
			}
			answer = decode(stream)
		}
		if req.Cmd != "start" {
			answer["seq"] = req.Seq
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
}

func declaration() object {
	implementation := object{
		"name": "vitess", "version": "unknown", "language": "Go", "homepage": "https://github.com/vitessio/vitess",
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == library {
				implementation["version"] = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	role := object{"fields": fields, "abilities": abilities, "profiles": profiles}
	return object{"protocol": 1, "implementation": implementation, "roles": object{"decode": role}}
}

func streamOf(req request) ([]byte, error) {
	if req.Path == "" {
		return req.Stream, nil
	}
	source, err := os.Open(req.Path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	stream := make([]byte, req.Length)
	_, err = source.ReadAt(stream, req.Offset)
	return stream, err
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

// decode returns the answer: what the library reports of each event, and the error that it ends with, or nil. A panic of
// the library is passed on as a crash, with the events before it.
func decode(stream []byte) (answer object) {
	events := []object{}
	defer func() {
		if reason := recover(); reason != nil {
			answer = object{"events": events, "error": nil, "crash": shortened(fmt.Sprint("panic: ", reason, origin()))}
		}
	}()
	if !strings.HasPrefix(string(stream), magic) {
		return object{"events": events, "error": refusal(0, "not-a-binlog", "the stream does not begin with the magic number")}
	}
	reader := reader{tables: map[uint64]*mysql.TableMap{}}
	for at := magicBytes; at < len(stream); {
		event, err := cut(stream[at:])
		if err != nil {
			return object{"events": events, "error": refusal(at, "truncated", err.Error())}
		}
		reported, err := reader.read(mysql.NewMysql56BinlogEvent(event))
		if err != nil {
			return object{"events": events, "error": refusal(at, "malformed", err.Error())}
		}
		reported["offset"] = at
		events = append(events, reported)
		at += len(event)
	}
	return object{"events": events, "error": nil}
}

// cut returns a copy of the first event; the network cuts events for the library, so faults in lengths are not its own.
func cut(stream []byte) ([]byte, error) {
	if len(stream) < headerBytes {
		return nil, fmt.Errorf("the stream ends within the header of an event")
	}
	length := int(binary.LittleEndian.Uint32(stream[9:13]))
	if length < headerBytes || length > len(stream) {
		return nil, fmt.Errorf("the stream ends within an event of %d bytes", length)
	}
	return append([]byte(nil), stream[:length]...), nil
}

func refusal(at int, kind, message string) object {
	return object{"at": at, "kind": kind, "message": shortened(message)}
}

func shortened(message string) string {
	return message[:min(len(message), messageSize)]
}
