package defects;

import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What a library's member or value has with a defect: another value of the same type. */
public final class OtherValue {
  private OtherValue() {}

  /** Gives a member of an object, or one that it inherits, another value: that of its type, if one is given here. */
  public static void change(Object owner, String member, Map<Class<?>, Function<Object, Object>> ofItsOwn) {
    try {
      Field field = field(owner.getClass(), member);
      field.setAccessible(true);
      Object value = field.get(owner);
      if (value != null) {
        field.set(owner, ofItsOwn.getOrDefault(value.getClass(), OtherValue::of).apply(value));
      }
    } catch (ReflectiveOperationException failure) {
      throw new Error(failure);
    }
  }

  private static Field field(Class<?> type, String name) throws NoSuchFieldException {
    try {
      return type.getDeclaredField(name);
    } catch (NoSuchFieldException inherited) {
      if (type.getSuperclass() == null) {
        throw inherited;
      }
      return field(type.getSuperclass(), name);
    }
  }

  public static Object of(Object value) {
    if (value instanceof Long number) {
      return number + 1000; // Milliseconds in a header.
    } else if (value instanceof Integer number) {
      return number + 1;
    } else if (value instanceof Byte number) {
      return (byte) (number ^ 1);
    } else if (value instanceof Float number) {
      return number + 1;
    } else if (value instanceof Double number) {
      return number + 1;
    } else if (value instanceof BigDecimal number) {
      return number.add(BigDecimal.ONE);
    } else if (value instanceof Boolean bit) {
      return !bit;
    } else if (value instanceof String text) {
      return text + "x";
    } else if (value instanceof byte[] bytes) {
      return Arrays.copyOf(bytes, bytes.length + 1);
    } else if (value instanceof BitSet bits) {
      BitSet other = (BitSet) bits.clone();
      other.flip(0);
      return other;
    } else if (value instanceof Enum<?> constant) {
      Object[] constants = constant.getDeclaringClass().getEnumConstants();
      return constants[constant.ordinal() == 0 ? 1 : constant.ordinal() - 1];
    } else if (value instanceof List<?>) {
      return List.of();
    }
    throw new Error("no other value of " + value);
  }
}
