package org.weft.testkit.state;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds where two objects differ that have no {@code equals} of their own: all their fields are
 * compared, and what those refer to. For state machines that must have come to the same state in
 * two ways. Used by one thread.
 *
 * <p>Values of the JDK and of other libraries are compared by their {@code equals}, collections
 * element by element, in their order if they have one. Lambdas are passed over.
 */
public final class StateComparison {
  private static final String OURS = "org.weft.";

  private final IdentityHashMap<Object, IdentityHashMap<Object, Object>> compared =
      new IdentityHashMap<>();

  private StateComparison() {}

  /** Where they differ first, as a path of fields with both values; empty if they do not. */
  public static Optional<String> difference(Object one, Object other) {
    return Optional.ofNullable(new StateComparison().compare("", one, other));
  }

  private String compare(String path, Object one, Object other) {
    if (one == other) {
      return null;
    }
    if (one == null || other == null) {
      return differ(path, one, other);
    }
    Class<?> type = one.getClass();
    if (type.isHidden() && other.getClass().isHidden()) {
      return null;
    }
    if (one instanceof Map<?, ?> map && other instanceof Map<?, ?> maps) {
      return compareMaps(path, map, maps);
    }
    if (one instanceof HashSet && !(one instanceof LinkedHashSet)) {
      return one.equals(other) ? null : differ(path, one, other);
    }
    if (one instanceof Iterable<?> many && other instanceof Iterable<?> others && isJdk(type)) {
      return compareInOrder(path, many, others);
    }
    if (type != other.getClass()) {
      return differ(path, type, other.getClass());
    }
    if (type.isArray()) {
      return compareArrays(path, one, other);
    }
    if (one instanceof Optional<?> value && other instanceof Optional<?> values) {
      return compare(path, value.orElse(null), values.orElse(null));
    }
    if (one instanceof Number && isJdk(type)) {
      // Those that may change have no equals.
      return one.toString().equals(other.toString()) ? null : differ(path, one, other);
    }
    if (!type.getName().startsWith(OURS) || one instanceof Enum) {
      return one.equals(other) ? null : differ(path, one, other);
    }
    boolean isNew =
        compared.computeIfAbsent(one, key -> new IdentityHashMap<>()).put(other, one) == null;
    return isNew ? compareFields(path, one, other) : null;
  }

  private static boolean isJdk(Class<?> type) {
    return type.getName().startsWith("java.");
  }

  private static String differ(String path, Object one, Object other) {
    return path + " is " + one + " and " + other;
  }

  private String compareFields(String path, Object one, Object other) {
    for (Class<?> type = one.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          String found = compareField(path + "." + field.getName(), field, one, other);
          if (found != null) {
            return found;
          }
        }
      }
    }
    return null;
  }

  private String compareField(String path, Field field, Object one, Object other) {
    try {
      field.setAccessible(true);
      return compare(path, field.get(one), field.get(other));
    } catch (IllegalAccessException e) {
      throw new AssertionError(path + " cannot be read", e);
    }
  }

  private String compareArrays(String path, Object one, Object other) {
    int length = Array.getLength(one);
    if (length != Array.getLength(other)) {
      return differ(path + ".length", length, Array.getLength(other));
    }
    for (int index = 0; index < length; index++) {
      String found =
          compare(path + "[" + index + "]", Array.get(one, index), Array.get(other, index));
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private String compareInOrder(String path, Iterable<?> one, Iterable<?> other) {
    Iterator<?> others = other.iterator();
    int index = 0;
    for (Object each : one) {
      if (!others.hasNext()) {
        return differ(path + "[" + index + "]", each, "missing");
      }
      String found = compare(path + "[" + index + "]", each, others.next());
      if (found != null) {
        return found;
      }
      index++;
    }
    return others.hasNext() ? differ(path + "[" + index + "]", "missing", others.next()) : null;
  }

  private String compareMaps(String path, Map<?, ?> one, Map<?, ?> other) {
    if (one.size() != other.size()) {
      return differ(path + ".keys", one.keySet(), other.keySet());
    }
    if (one instanceof HashMap && !(one instanceof LinkedHashMap)) {
      for (Map.Entry<?, ?> entry : one.entrySet()) {
        String found =
            compare(path + "[" + entry.getKey() + "]", entry.getValue(), other.get(entry.getKey()));
        if (found != null) {
          return found;
        }
      }
      return null;
    }
    List<Object> keys = new ArrayList<>(one.keySet());
    String found = compareInOrder(path + ".keys", keys, other.keySet());
    return found != null ? found : compareInOrder(path + ".values", one.values(), other.values());
  }
}
