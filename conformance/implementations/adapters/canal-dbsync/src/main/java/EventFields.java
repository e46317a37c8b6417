import com.taobao.tddl.dbsync.binlog.LogEvent;
import com.taobao.tddl.dbsync.binlog.event.IgnorableLogEvent;
import com.taobao.tddl.dbsync.binlog.event.LogHeader;
import com.taobao.tddl.dbsync.binlog.event.RowsLogEvent;
import com.taobao.tddl.dbsync.binlog.event.UnknownLogEvent;
import com.taobao.tddl.dbsync.binlog.event.XaPrepareLogEvent;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** The fields of the protocol that the library reports for an event. */
final class EventFields {
  /** The library's class, a field of the protocol, and the getter of its value. Older versions lack some of them. */
  private static final String GETTERS =
      """
      FormatDescription binlog_version getBinlogVersion
      FormatDescription server_version getServerVersion
      FormatDescription checksum_algorithm getHeader
      Query thread_id getSessionId
      Query exec_time getExecTime
      Query error_code getErrorCode
      Query database getDbName
      Query query getQuery
      Query sql_mode getSqlMode
      Query auto_increment_increment getAutoIncrementIncrement
      Query auto_increment_offset getAutoIncrementOffset
      Query character_set_client getClientCharset
      Query collation_connection getClientCollation
      Query collation_server getServerCollation
      Query time_zone getTimezone
      Rotate next_position getPosition
      Rotate next_file getFilename
      Intvar intvar_type getType
      Intvar intvar_value getValue
      Xid xid getXid
      XaPrepare one_phase isOnePhase
      XaPrepare xa_format_id getFormatId
      TableMap table_id getTableId
      TableMap database getDbName
      TableMap table getTableName
      TableMap column_count getColumnCnt
      Rows table_id getTableId
      RowsQuery rows_query getRowsQuery
      Gtid gtid getGtidStr
      Gtid last_committed getLastCommitted
      Gtid sequence_number getSequenceNumber
      Incident incident getIncident
      Incident message getMessage
      AppendBlock file_id getFileId
      AppendBlock block_data getData
      DeleteFile file_id getFileId
      ExecuteLoadQuery file_id getFileId
      ExecuteLoadQuery file_name_start getFilenamePosStart
      ExecuteLoadQuery file_name_end getFilenamePosEnd
      Heartbeat log_name getLogIdent
      mariadb.MariaGtid gtid getGtidStr
      mariadb.MariaGtidList gtid_list getGtidStr
      mariadb.BinlogCheckPoint log_name getFilename
      mariadb.AnnotateRows rows_query getRowsQuery
      """;

  /** The algorithms of checksums; the third is what servers without checksums have. */
  private static final Map<Integer, String> ALGORITHMS = Map.of(0, "none", 1, "crc32", 255, "none");

  /** Fields that many events lack: the library has no text then, or a number that they cannot be. */
  private static final Set<String> OPTIONAL =
      Set.of(
          "auto_increment_increment",
          "auto_increment_offset",
          "character_set_client",
          "collation_connection",
          "collation_server",
          "time_zone");

  private static final long ABSENT = -1;

  /** Fields for which the library has no getter of its own. */
  private static final List<String> FURTHER = List.of("rows_flags", "xa_gtrid", "xa_bqual");

  private static final int EVERY_FLAG = 0xffff;
  private static final byte[] NOTHING = {};

  /** Fields without a sign, which Java's long or int has as its bits. */
  private static final Set<String> UNSIGNED = Set.of("xid", "intvar_value", "next_position", "xa_format_id");

  /** Class -> field -> getter. */
  private static final Map<Class<?>, Map<String, Method>> METHODS = methods();

  private EventFields() {}

  private static Map<Class<?>, Map<String, Method>> methods() {
    Map<Class<?>, Map<String, Method>> methods = new LinkedHashMap<>();
    for (String line : GETTERS.lines().toList()) {
      String[] words = line.split(" ");
      for (String suffix : new String[] {"LogEvent", "Event"}) {
        try {
          Class<?> type = Class.forName(UnknownLogEvent.class.getPackageName() + "." + words[0] + suffix);
          methods.computeIfAbsent(type, any -> new TreeMap<>()).put(words[1], type.getMethod(words[2]));
        } catch (ClassNotFoundException | NoSuchMethodException absent) {
          continue; // This version of the library does not have it.
        }
      }
    }
    return methods;
  }

  /** Returns the fields that this version of the library reports, besides those of the header. */
  static Collection<String> names() {
    Set<String> names = new LinkedHashSet<>();
    METHODS.values().forEach(each -> names.addAll(each.keySet()));
    names.addAll(FURTHER);
    return names;
  }

  static Map<String, Object> of(LogEvent event, int offset) {
    LogHeader header = event.getHeader();
    boolean isIgnored = event instanceof UnknownLogEvent || event.getClass() == IgnorableLogEvent.class;
    Map<String, Object> fields = new TreeMap<>();
    fields.put("offset", offset);
    fields.put("type", header.getType());
    fields.put("timestamp", header.getWhen());
    fields.put("server_id", header.getServerId());
    fields.put("length", header.getEventLen());
    fields.put("log_pos", header.getLogPos());
    fields.put("flags", header.getFlags());
    fields.put("handled", isIgnored ? "ignored" : "known");
    if (isIgnored) {
      return fields;
    }
    METHODS.forEach(
        (type, getters) -> {
          if (type.isInstance(event)) {
            getters.forEach((name, getter) -> put(fields, name, got(getter, event)));
          }
        });
    if (event instanceof RowsLogEvent rows) {
      fields.put("rows_flags", rows.getFlags(EVERY_FLAG));
    }
    if (event instanceof XaPrepareLogEvent xa) {
      byte[] name = Objects.requireNonNullElse(xa.getData(), NOTHING); // Its parts are empty where it is refused.
      int end = xa.getGtridLength() + xa.getBqualLength();
      fields.put("xa_gtrid", bytes(Arrays.copyOf(name, xa.getGtridLength())));
      fields.put("xa_bqual", bytes(Arrays.copyOfRange(name, xa.getGtridLength(), end)));
    }
    return fields;
  }

  private static void put(Map<String, Object> fields, String name, Object value) {
    if (name.equals("message")) {
      fields.put(name, Objects.requireNonNullElse(value, "")); // An incident that the library does not know has none.
      return;
    }
    boolean isAbsent = value == null || value instanceof Number number && number.longValue() == ABSENT;
    if (!(isAbsent && OPTIONAL.contains(name))) {
      fields.put(name, valueOf(name, value));
    }
  }

  private static Map<String, String> bytes(byte[] raw) {
    return Map.of("base64", Base64.getEncoder().encodeToString(raw));
  }

  private static Object got(Method getter, LogEvent event) {
    try {
      return getter.invoke(event);
    } catch (IllegalAccessException | InvocationTargetException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static Object valueOf(String name, Object value) {
    if (value instanceof LogHeader header) {
      return ALGORITHMS.getOrDefault(header.getChecksumAlg(), String.valueOf(header.getChecksumAlg()));
    }
    if (value instanceof byte[] raw) {
      return bytes(raw);
    }
    if (value instanceof Boolean flag) {
      return flag ? 1 : 0;
    }
    if (name.equals("rows_query") && value instanceof String text) {
      return new String(text.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8); // As canal does with it.
    }
    if (!UNSIGNED.contains(name)) {
      return value;
    }
    return value instanceof Long number
        ? new BigInteger(Long.toUnsignedString(number))
        : Integer.toUnsignedLong((Integer) value);
  }
}
