package org.weft.bench.driven;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * One line to a driven process. It answers each with one line of JSON: an object, with {@code
 * error} in it if the order failed.
 *
 * @param does what is to be done
 * @param load for OPEN
 * @param seconds for WARM_UP
 * @param number of the repetition, for REPEAT
 * @param file of the local file system: for CLOSE, where to write what must be there now; for
 *     VERIFY, where that stands
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Order(Verb does, LoadOrder load, Integer seconds, Integer number, String file) {
  /** What may be ordered. */
  public enum Verb {
    /** Connects and makes what a load needs. */
    OPEN,
    /** Repetitions that do not count, for so many seconds. */
    WARM_UP,
    /** One repetition; answers what was measured. */
    REPEAT,
    /** Says what must be there now; the files stay. */
    CLOSE,
    /** Compares what is there with what must be, byte for byte, as a client of its own. */
    VERIFY,
    /** Removes what the load made. */
    REMOVE
  }

  public static Order of(Verb verb) {
    return new Order(verb, null, null, null, null);
  }

  public static Order open(LoadOrder load) {
    return new Order(Verb.OPEN, load, null, null, null);
  }

  public static Order warmUp(int seconds) {
    return new Order(Verb.WARM_UP, null, seconds, null, null);
  }

  public static Order repeat(int number) {
    return new Order(Verb.REPEAT, null, null, number, null);
  }

  public static Order close(String file) {
    return new Order(Verb.CLOSE, null, null, null, file);
  }

  public static Order verify(String file) {
    return new Order(Verb.VERIFY, null, null, null, file);
  }
}
