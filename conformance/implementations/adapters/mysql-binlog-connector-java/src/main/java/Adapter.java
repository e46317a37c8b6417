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
 * Adapter for mysql-binlog-connector-java: its public {@link BinaryLogFileReader}, fed with the whole stream. What is
 * reported is what the library says; see ../../../../../protocol.md.
 *
 * <pre>
 * mvn -q package
 * binlog-conformance certify "command:java -Xmx64m -Xmn16m -XX:+UseSerialGC -jar target/adapter.jar" --memory 0
 * </pre>
 *
 * <p>Java reserves more memory than it uses. The heap is small because the library reads some rows without end: until
 * the heap is full, which is an error soon where it is small, and no answer in time where it is large.
 */
public final class Adapter {
  private static final List<String> HEADER =
      List.of("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled");
  private static final String PARSER_PROPERTIES =
      "/META-INF/maven/com.zendesk/mysql-binlog-connector-java/pom.properties";
  private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  /** A question of the kit, of which Gson fills in what is there. */
  private static final class Question {
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

  /** Counts the bytes that the library takes: before it reads an event, that is where the event starts. */
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
    System.setOut(System.err); // What the library prints is no answer.
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = questions.readLine(); line != null; line = questions.readLine()) {
      Question question = GSON.fromJson(line, Question.class);
      if (question.cmd.equals("stop")) {
        return;
      }
      answers.print(GSON.toJson(question.cmd.equals("start") ? declaration() : answer(question)) + "\n");
      answers.flush();
    }
  }

  private static Map<String, Object> declaration() throws IOException {
    List<String> fields = new ArrayList<>(HEADER);
    fields.addAll(EventFields.names());
    List<String> profiles =
        new ArrayList<>(List.of("mysql-5.1", "mysql-5.5", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-8.4"));
    if (fields.contains("mariadb_gtid_flags")) { // Since 0.26 the library says that it is for MariaDB too.
      profiles.addAll(List.of("mariadb-10.x", "mariadb-11.x"));
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

  /** The library cannot be asked for its version, but its jar has what Maven knew of it. */
  private static String parserVersion() throws IOException {
    Properties told = new Properties();
    try (InputStream file = BinaryLogFileReader.class.getResourceAsStream(PARSER_PROPERTIES)) {
      told.load(file);
    }
    return told.getProperty("version");
  }

  private static Map<String, Object> answer(Question question) throws IOException {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("seq", question.seq);
    if (question.cmd.equals("decode")) {
      List<Map<String, Object>> events = new ArrayList<>();
      answer.put("error", decode(new Stream(question.bytes()), events));
      answer.put("events", events);
    } else {
      answer.put("unsupported", "no role " + question.cmd);
    }
    return answer;
  }

  /** Adds the events that the library hands out, and returns the error that it stops with, or null. */
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
    } catch (OutOfMemoryError | StackOverflowError failure) { // A length that the library believed.
      return error(offset, "other", failure);
    }
    return null;
  }

  private static Map<String, Object> error(int at, String kind, Throwable refusal) {
    Throwable cause = refusal.getCause() == null ? refusal : refusal.getCause();
    return Map.of("at", at, "kind", kind, "message", refusal + (cause == refusal ? "" : ": " + cause));
  }

  /** The library has no kinds of its own; only in its message does 0.23 tell a type that it does not know. */
  private static String kind(Exception refusal) {
    if (refusal instanceof EOFException || refusal.getCause() instanceof EOFException) {
      return "truncated";
    }
    return String.valueOf(refusal.getMessage()).startsWith("Unknown event type") ? "unknown-event" : "malformed";
  }
}
