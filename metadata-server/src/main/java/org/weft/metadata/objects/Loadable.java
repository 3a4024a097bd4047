package org.weft.metadata.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The cache's answer: the value, or what must be loaded first. An operation that gets a {@link
 * Need} is executed again from scratch once that is loaded (P 6.1).
 */
public sealed interface Loadable<T> {
  /** The value is here. */
  record Ready<T>(T value) implements Loadable<T> {}

  /** These are not in the cache. Never empty. */
  record Need<T>(List<Missing> missing) implements Loadable<T> {
    public Need {
      missing = List.copyOf(missing);
      if (missing.isEmpty()) {
        throw new IllegalArgumentException("a need names what is missing");
      }
    }
  }

  static <T> Loadable<T> ready(T value) {
    return new Ready<>(value);
  }

  static <T> Loadable<T> need(List<Missing> missing) {
    return new Need<>(missing);
  }

  /** All values in order, or everything that any of the answers misses: one load for many. */
  static <T> Loadable<List<T>> all(List<Loadable<T>> answers) {
    List<T> values = new ArrayList<>(answers.size());
    List<Missing> missing = new ArrayList<>();
    for (Loadable<T> answer : answers) {
      if (answer.isReady()) {
        values.add(answer.value());
      } else {
        missing.addAll(answer.missing());
      }
    }
    return missing.isEmpty() ? ready(values) : need(missing);
  }

  default boolean isReady() {
    return this instanceof Ready<T>;
  }

  /** The value; an {@link IllegalStateException} if it is not here. */
  default T value() {
    if (this instanceof Ready<T> ready) {
      return ready.value();
    }
    throw new IllegalStateException("asked for a value that must be loaded first: " + this);
  }

  /** What must be loaded; empty if the value is here. */
  default List<Missing> missing() {
    return this instanceof Need<T> need ? need.missing() : List.of();
  }

  /** Goes on with the value, or passes the need on. */
  default <U> Loadable<U> then(Function<? super T, Loadable<U>> next) {
    return isReady() ? next.apply(value()) : need(missing());
  }

  /** Like {@link #then} for a step that needs nothing more. */
  default <U> Loadable<U> map(Function<? super T, ? extends U> step) {
    return isReady() ? ready(step.apply(value())) : need(missing());
  }
}
