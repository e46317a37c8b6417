import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import com.github.shyiko.mysql.binlog.event.deserialization.json.JsonBinary;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Base64;
import java.util.BitSet;
import java.util.GregorianCalendar;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;

/** The library's values of the rows of one table, in the notation of the protocol. */
final class RowValues {
  private static final long MICROS = 1_000_000;
  /** Types of integers, and their number of bits. */
  private static final Map<ColumnType, Integer> INTEGERS =
      Map.of(
          ColumnType.TINY, 8,
          ColumnType.SHORT, 16,
          ColumnType.INT24, 24,
          ColumnType.LONG, 32,
          ColumnType.LONGLONG, 64);

  private final ColumnType[] types;
  private final boolean[] unsigned;

  RowValues(TableMapEventData table) {
    byte[] codes = table.getColumnTypes();
    BitSet signs = table.getEventMetadata() == null ? null : table.getEventMetadata().getSignedness();
    types = new ColumnType[codes.length];
    unsigned = new boolean[codes.length];
    for (int column = 0; column < codes.length; column++) {
      types[column] = ColumnType.byCode(codes[column] & 0xff);
      // The library returns all integers as signed, and marks the unsigned ones by column number.
      unsigned[column] = signs != null && INTEGERS.containsKey(types[column]) && signs.get(column);
    }
  }

  /** Returns an image's values by column number; the library has only those that are present. */
  Map<String, Object> image(Serializable[] values, BitSet included) {
    Map<String, Object> image = new TreeMap<>();
    int next = 0;
    for (int column = 0; column < types.length; column++) {
      if (included.get(column)) {
        Serializable value = values[next++];
        image.put(String.valueOf(column), value == null ? null : noted(value, types[column], unsigned[column]));
      }
    }
    return image;
  }

  private static Object noted(Serializable value, ColumnType type, boolean unsigned) {
    if (value instanceof BitSet bits) {
      return bits.isEmpty() ? 0 : Long.toUnsignedString(bits.toLongArray()[0]);
    }
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof byte[] bytes) {
      return type == ColumnType.JSON ? json(bytes) : bytes(bytes);
    }
    return switch (type) {
      case DATE -> dateTime((Long) value).substring(0, 10);
      case DATETIME, DATETIME_V2 -> dateTime((Long) value);
      case TIMESTAMP, TIMESTAMP_V2 -> BigDecimal.valueOf((Long) value, 6).toPlainString();
      case TIME, TIME_V2 -> time((Long) value);
      case SET -> Long.toUnsignedString((Long) value); // From an old server; otherwise the type is STRING.
      case STRING -> value instanceof Long set ? Long.toUnsignedString(set) : value;
      default -> unsigned ? withoutSign((Number) value, INTEGERS.get(type)) : value;
    };
  }

  private static BigInteger withoutSign(Number value, int bits) {
    return BigInteger.valueOf(value.longValue()).mod(BigInteger.ONE.shiftLeft(bits));
  }

  /** The library counts by Java's old calendar, which is Julian before 1582; java.time has no such calendar. */
  private static String dateTime(long micros) {
    GregorianCalendar calendar = new GregorianCalendar(TimeZone.getTimeZone("UTC"));
    calendar.setTimeInMillis(Math.floorDiv(micros, 1000));
    return "%tF %<tT.%06d".formatted(calendar, Math.floorMod(micros, MICROS));
  }

  private static String time(long micros) {
    long seconds = Math.abs(micros) / MICROS;
    String clock = "%02d:%02d:%02d".formatted(seconds / 3600, seconds / 60 % 60, seconds % 60);
    return "%s%s.%06d".formatted(micros < 0 ? "-" : "", clock, Math.abs(micros) % MICROS);
  }

  private static Object json(byte[] document) {
    try {
      // Parsed from text, so that Gson writes numbers as the library does.
      return Map.of("json", JsonParser.parseString(JsonBinary.parseAsString(document)));
    } catch (IOException refusal) {
      throw new UncheckedIOException(refusal);
    }
  }

  static Object bytes(byte[] bytes) {
    return Map.of("base64", Base64.getEncoder().encodeToString(bytes));
  }
}
