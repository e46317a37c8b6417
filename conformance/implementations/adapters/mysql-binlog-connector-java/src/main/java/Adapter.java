import com.github.shyiko.mysql.binlog.BinaryLogFileReader;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer.CompatibilityMode;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Adapter for mysql-binlog-connector-java: its public {@link BinaryLogFileReader}, fed the whole stream. Only what the
 * library returns is reported; see docs/protocol.md.
 *
 * <pre>
 * mvn -q package
 * binlog-conformance certify "command:java -Xmx64m -Xmn16m -XX:+UseSerialGC -jar target/adapter.jar" --memory 0
 * </pre>
 *
 * <p>Java reserves more memory than it uses. The heap is small because the library reads some rows without end: a
 * small heap is soon full, which is an error, while with a large one there is no answer in time.
 */
public final class Adapter {
  private static final List<String> HEADER =
      List.of("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled");
  private static final String PARSER_PROPERTIES =
      "/META-INF/maven/com.zendesk/mysql-binlog-connector-java/pom.properties";
  private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  /** A request of the kit; Gson sets the members that are there. */
  private static final class Request {
    String cmd;
    long seq;
    String stream;
    String path;
    long offset;
    int length;

    byte[] bytes() throws IOException {
      if (stream != null) {
        return Base64.getDecoder().decode(stream);
      }
      try (InputStream file = new FileInputStream(path)) {
        file.skipNBytes(offset);
        return file.readNBytes(length);
      }
    }
  }

  /** Counts the bytes that the library reads: before it reads an event, that is the event's offset. */
  private static final class Stream extends ByteArrayInputStream {
    Stream(byte[] bytes) {
      super(bytes);
    }

    int position() {
      return pos;
    }
  }

  private Adapter() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.setOut(System.err); // The library's own output must not be taken for an answer.
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      Request request = GSON.fromJson(line, Request.class);
      if (request.cmd.equals("stop")) {
        return;
      }
      answers.print(GSON.toJson(request.cmd.equals("start") ? declaration() : answer(request)) + "\n");
      answers.flush();
    }
  }

  private static Map<String, Object> declaration() throws IOException {
    List<String> fields = new ArrayList<>(HEADER);
    fields.addAll(EventFields.names());
    List<String> profiles = new ArrayList<>(List.of("mysql < 9.0"));
    if (fields.contains("mariadb_gtid_flags")) { // Since 0.26 the library claims to support MariaDB too.
      profiles.add("mariadb");
    }
    return Map.of(
        "protocol", 1,
        "implementation",
            Map.of(
                "name", "mysql-binlog-connector-java",
                "version", parserVersion(),
                "language", "Java",
                "homepage", "https://github.com/osheroff/mysql-binlog-connector-java"),
        "roles",
            Map.of(
                "decode",
                Map.of("fields", fields, "abilities", List.of("framing", "error_at"), "profiles", profiles)));
  }

  /** The library does not report its version, but its jar has Maven's properties. */
  private static String parserVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream file = BinaryLogFileReader.class.getResourceAsStream(PARSER_PROPERTIES)) {
      properties.load(file);
    }
    return properties.getProperty("version");
  }

  private static Map<String, Object> answer(Request request) throws IOException {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("seq", request.seq);
    if (request.cmd.equals("decode")) {
      List<Map<String, Object>> events = new ArrayList<>();
      answer.put("error", decode(new Stream(request.bytes()), events));
      answer.put("events", events);
    } else {
      answer.put("unsupported", "the role " + request.cmd + " is not supported");
    }
    return answer;
  }

  /** Adds the events that the library returns, and returns the error that it stops with, or null. */
  private static Map<String, Object> decode(Stream stream, List<Map<String, Object>> events) {
    // Without these modes bytes of strings that are not UTF-8, and microseconds, are lost.
    EventDeserializer deserializer = new EventDeserializer();
    deserializer.setCompatibilityMode(
        CompatibilityMode.CHAR_AND_BINARY_AS_BYTE_ARRAY, CompatibilityMode.DATE_AND_TIME_AS_LONG_MICRO);
    BinaryLogFileReader reader;
    try {
      reader = new BinaryLogFileReader(stream, deserializer);
    } catch (IOException refusal) {
      return error(0, "not-a-binlog", refusal);
    }
    EventFields fields = new EventFields();
    int offset = stream.position();
    try {
      for (Event event = reader.readEvent(); event != null; event = reader.readEvent()) {
        events.add(fields.of(event, offset));
        offset = stream.position();
      }
    } catch (IOException | RuntimeException refusal) {
      return error(offset, kind(refusal), refusal);
    } catch (OutOfMemoryError | StackOverflowError failure) { // The library allocated a wrong length.
      return error(offset, "other", failure);
    }
    return null;
  }

  private static Map<String, Object> error(int at, String kind, Throwable refusal) {
    Throwable cause = refusal.getCause() == null ? refusal : refusal.getCause();
    return Map.of("at", at, "kind", kind, "message", refusal + (cause == refusal ? "" : ": " + cause));
  }

  /** The library has no kinds of error; 0.23 reports an unknown type in its message only. */
  private static String kind(Exception refusal) {
    if (refusal instanceof EOFException || refusal.getCause() instanceof EOFException) {
      return "truncated";
    }
    return String.valueOf(refusal.getMessage()).startsWith("Unknown event type") ? "unknown-event" : "malformed";
  }
}
