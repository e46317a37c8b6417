import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import com.github.shyiko.mysql.binlog.event.deserialization.json.JsonBinary;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.Serializable;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.BitSet;
import java.util.GregorianCalendar;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The library's values of the rows of one table, in the notation of the protocol. */
final class RowValues {
  private static final long MICROS = 1_000_000;
  private static final Pattern MANY_DIGITS = Pattern.compile("(?<=[1-9])\\d{18,}");
  private final ColumnType[] types;

  RowValues(TableMapEventData table) {
    byte[] codes = table.getColumnTypes();
    types = new ColumnType[codes.length];
    for (int column = 0; column < codes.length; column++) {
      types[column] = ColumnType.byCode(codes[column] & 0xff);
    }
  }

  /** Returns an image's values by column number; the library has only those that are present. */
  Map<String, Object> image(Serializable[] values, BitSet included) {
    Map<String, Object> image = new TreeMap<>();
    int next = 0;
    for (int column = 0; column < types.length; column++) {
      if (included.get(column)) {
        Serializable value = values[next++];
        image.put(String.valueOf(column), value == null ? null : noted(value, types[column]));
      }
    }
    return image;
  }

  private static Object noted(Serializable value, ColumnType type) {
    if (value instanceof BitSet bits) {
      return bits.isEmpty() ? 0 : Long.toUnsignedString(bits.toLongArray()[0]);
    }
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof Float || value instanceof Double) {
      return Double.isFinite(((Number) value).doubleValue()) ? value : value.toString(); // JSON has no infinity.
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
      default -> value;
    };
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

  /** Returns a document, or the library's text if that is not JSON. */
  private static Object json(byte[] document) {
    String text;
    try {
      text = JsonBinary.parseAsString(document);
    } catch (IOException | RuntimeException refusal) {
      throw new UncheckedIOException(new IOException(refusal));
    }
    return isJson(text) ? Map.of("json", new Document(text)) : text;
  }

  /** Gson takes some numbers of many digits for texts without quotes: it is asked about the same text with fewer. */
  private static boolean isJson(String text) {
    JsonReader reader = new JsonReader(new StringReader(MANY_DIGITS.matcher(text).replaceAll("1111")));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonParser.parseReader(reader);
      return reader.peek() == JsonToken.END_DOCUMENT;
    } catch (JsonParseException | IOException invalid) {
      return false;
    }
  }

  /** A document as the library writes it. */
  record Document(String text) {
    static final TypeAdapter<Document> AS_IT_IS = new TypeAdapter<>() {
      @Override public void write(JsonWriter writer, Document document) throws IOException {
        writer.jsonValue(document.text());
      }

      @Override public Document read(JsonReader reader) {
        throw new UnsupportedOperationException();
      }
    };
  }

  static Object bytes(byte[] bytes) {
    return Map.of("base64", Base64.getEncoder().encodeToString(bytes));
  }
}
