import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.XAPrepareEventData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The fields of the protocol that the library reports for the events of one stream. */
final class EventFields {
  /** The codes of the library's last names; the names before them are in the order of their codes. */
  private static final Map<String, Integer> MARIADB_CODES =
      Map.of("ANNOTATE_ROWS", 160, "BINLOG_CHECKPOINT", 161, "MARIADB_GTID", 162, "MARIADB_GTID_LIST", 163);

  /** The library's class, a field of the protocol, and the getter of its value. Older versions lack some of them. */
  private static final String GETTERS =
      """
      FormatDescription binlog_version getBinlogVersion
      FormatDescription server_version getServerVersion
      FormatDescription checksum_algorithm getChecksumType
      Query thread_id getThreadId
      Query exec_time getExecutionTime
      Query error_code getErrorCode
      Query database getDatabase
      Query query getSql
      Rotate next_position getBinlogPosition
      Rotate next_file getBinlogFilename
      IntVar intvar_type getType
      IntVar intvar_value getValue
      Xid xid getXid
      XAPrepare one_phase isOnePhase
      XAPrepare xa_format_id getFormatID
      XAPrepare xa_gtrid getData
      XAPrepare xa_bqual getData
      TableMap table_id getTableId
      TableMap database getDatabase
      TableMap table getTable
      TableMap column_count getColumnTypes
      WriteRows table_id getTableId
      WriteRows rows getRows
      UpdateRows table_id getTableId
      UpdateRows rows getRows
      DeleteRows table_id getTableId
      DeleteRows rows getRows
      RowsQuery rows_query getQuery
      Gtid gtid getGtid
      Gtid gtid_flags getFlags
      Gtid last_committed getLastCommitted
      Gtid sequence_number getSequenceNumber
      Gtid immediate_commit_timestamp getImmediateCommitTimestamp
      Gtid original_commit_timestamp getOriginalCommitTimestamp
      Gtid transaction_length getTransactionLength
      Gtid immediate_server_version getImmediateServerVersion
      Gtid original_server_version getOriginalServerVersion
      PreviousGtidSet previous_gtids getGtidSet
      TransactionPayload compression_type getCompressionType
      TransactionPayload uncompressed_size getUncompressedSize
      TransactionPayload payload_size getPayloadSize
      AnnotateRows rows_query getRowsQuery
      BinlogCheckpoint log_name getLogFileName
      MariadbGtid gtid toString
      MariadbGtid mariadb_gtid_flags getFlags
      MariadbGtidList gtid_list getMariaGTIDSet
      """;

  /** Fields of 64 bits without a sign, which Java's long has as its bits. */
  private static final Set<String> UNSIGNED = Set.of("xid", "intvar_value", "next_position");

  private static final Map<Class<?>, Map<String, Method>> METHODS = methods();

  private final Map<Long, RowValues> tables = new HashMap<>();

  private static Map<Class<?>, Map<String, Method>> methods() {
    Map<Class<?>, Map<String, Method>> methods = new HashMap<>();
    for (String line : GETTERS.lines().toList()) {
      String[] words = line.split(" ");
      try {
        Class<?> type = Class.forName(EventData.class.getPackageName() + "." + words[0] + "EventData");
        methods.computeIfAbsent(type, any -> new TreeMap<>()).put(words[1], type.getMethod(words[2]));
      } catch (ClassNotFoundException | NoSuchMethodException absent) {
        continue; // This version of the library does not have it.
      }
    }
    return methods;
  }

  /** Returns the fields that this version of the library reports, besides those of the header. */
  static Collection<String> names() {
    Set<String> names = new LinkedHashSet<>();
    METHODS.values().forEach(each -> names.addAll(each.keySet()));
    return names;
  }

  /** Returns the code of a type; null for one that the library does not know, as its code is lost. */
  static Integer code(EventType type) {
    return type == EventType.UNKNOWN ? null : MARIADB_CODES.getOrDefault(type.name(), type.ordinal());
  }

  Map<String, Object> of(Event event, int offset) {
    EventHeaderV4 header = event.getHeader();
    EventType type = header.getEventType();
    EventData data = event.getData();
    Map<String, Object> fields = new TreeMap<>();
    fields.put("offset", offset);
    fields.put("type", code(type));
    fields.put("timestamp", header.getTimestamp() / 1000);
    fields.put("server_id", header.getServerId());
    fields.put("length", header.getEventLength());
    fields.put("log_pos", header.getNextPosition());
    fields.put("flags", header.getFlags());
    // The library skips a body that it has no class for. A Stop event has none.
    fields.put("handled", data == null && type != EventType.STOP ? "ignored" : "known");
    if (data instanceof TableMapEventData table) {
      tables.put(table.getTableId(), new RowValues(table));
    }
    if (data != null) {
      setServerId(data, header.getServerId());
      try {
        fields.putAll(ofBody(data));
      } catch (UncheckedIOException refusal) { // Of a JSON document, for example, which the library decodes when asked.
        fields.put("handled", "refused");
        fields.put("refused", refusal.getCause().toString());
      }
    }
    return fields;
  }

  private Map<String, Object> ofBody(EventData data) {
    Map<String, Object> fields = new TreeMap<>();
    METHODS.getOrDefault(data.getClass(), Map.of())
        .forEach((field, getter) -> fields.put(field, converted(field, valueOf(getter, data), data)));
    return fields;
  }

  private static Object valueOf(Method getter, EventData data) {
    try {
      return getter.invoke(data);
    } catch (ReflectiveOperationException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /** Gives a MariaDB GTID its server id, which is in the header, as the library's client does. */
  private static void setServerId(EventData data, long serverId) {
    if (data.getClass().getSimpleName().equals("MariadbGtidEventData")) { // Absent from older versions of the library.
      try {
        data.getClass().getMethod("setServerId", long.class).invoke(data, serverId);
      } catch (ReflectiveOperationException absent) {
        return; // Then it is what the library makes of it.
      }
    }
  }

  /** Returns a getter's value in the notation of the protocol. */
  private Object converted(String field, Object value, EventData data) {
    return switch (field) {
      case "checksum_algorithm" -> value.toString().toLowerCase();
      case "column_count" -> ((byte[]) value).length;
      case "xa_format_id" -> Integer.toUnsignedLong((Integer) value);
      case "one_phase" -> (Boolean) value ? 1 : 0;
      case "gtid_flags" -> (Byte) value & 0xff;
      case "gtid_list" -> seen(value);
      case "xa_gtrid" -> RowValues.bytes(Arrays.copyOf((byte[]) value, ((XAPrepareEventData) data).getGtridLength()));
      case "xa_bqual" -> {
        byte[] name = (byte[]) value;
        yield RowValues.bytes(Arrays.copyOfRange(name, ((XAPrepareEventData) data).getGtridLength(), name.length));
      }
      case "rows" -> rows(data);
      default -> UNSIGNED.contains(field) ? Long.toUnsignedString((Long) value) : value;
    };
  }

  /** Returns all of a list of MariaDB's GTIDs; its toString() has the last one of each domain only. */
  private static Object seen(Object list) {
    try {
      return list.getClass().getMethod("toSeenString").invoke(list);
    } catch (ReflectiveOperationException absent) {
      return list.toString();
    }
  }

  private List<Map<String, Object>> rows(EventData data) {
    if (data instanceof WriteRowsEventData write) {
      return write.getRows().stream()
          .map(row -> change(null, values(write.getTableId()).image(row, write.getIncludedColumns())))
          .toList();
    }
    if (data instanceof DeleteRowsEventData delete) {
      return delete.getRows().stream()
          .map(row -> change(values(delete.getTableId()).image(row, delete.getIncludedColumns()), null))
          .toList();
    }
    UpdateRowsEventData update = (UpdateRowsEventData) data;
    return update.getRows().stream()
        .map(row -> change(
            values(update.getTableId()).image(row.getKey(), update.getIncludedColumnsBeforeUpdate()),
            values(update.getTableId()).image(row.getValue(), update.getIncludedColumns())))
        .toList();
  }

  /** The library returns rows with the table's id only. */
  private RowValues values(long tableId) {
    RowValues values = tables.get(tableId);
    if (values == null) {
      throw new UncheckedIOException(new IOException("rows of table " + tableId + ", of which there was no map"));
    }
    return values;
  }

  private static Map<String, Object> change(Map<String, Object> before, Map<String, Object> after) {
    Map<String, Object> change = new HashMap<>();
    change.put("before", before);
    change.put("after", after);
    return change;
  }
}
