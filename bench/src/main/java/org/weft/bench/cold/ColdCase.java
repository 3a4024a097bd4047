package org.weft.bench.cold;

import java.util.List;
import java.util.Map;

/**
 * A command of Hadoop's shell that is measured, and those around it that are not. {@code @ROOT} is
 * the system's directory, {@code @LOCAL} a directory on this machine.
 *
 * @param before makes what the command needs, once for each system
 * @param after undoes what the command did, each time
 * @param same a local file that the command prints, or copies to the file beside it; "": neither
 */
record ColdCase(
    String name, List<String> before, List<String> command, List<String> after, Same same) {
  /** What has to be alike byte for byte: two local files, or one and what was printed. */
  record Same(String expected, String got) {
    static final Same NOTHING = new Same("", "");
    static final String PRINTED = "";
  }

  private static final List<String> NONE = List.of();

  static List<ColdCase> all() {
    return List.of(
        new ColdCase(
            "put 1 file",
            NONE,
            words("-put @LOCAL/large @ROOT/put"),
            words("-rm -skipTrash @ROOT/put"),
            Same.NOTHING),
        new ColdCase(
            "cat 1 file",
            words("-put -f @LOCAL/large @ROOT/large"),
            words("-cat @ROOT/large"),
            NONE,
            new Same("large", Same.PRINTED)),
        new ColdCase(
            "get 1 file",
            words("-put -f @LOCAL/large @ROOT/large"),
            words("-get -f @ROOT/large @LOCAL/got"),
            NONE,
            new Same("large", "got")),
        new ColdCase(
            "cat small",
            words("-put -f @LOCAL/small @ROOT/small"),
            words("-cat @ROOT/small"),
            NONE,
            new Same("small", Same.PRINTED)),
        new ColdCase(
            "put many",
            NONE,
            words("-put @LOCAL/many @ROOT/put-many"),
            words("-rm -r -skipTrash @ROOT/put-many"),
            Same.NOTHING),
        new ColdCase(
            "get many",
            words("-put -f @LOCAL/many @ROOT/many"),
            words("-get -f @ROOT/many @LOCAL/got-many"),
            NONE,
            Same.NOTHING),
        new ColdCase(
            "ls many",
            words("-put -f @LOCAL/names @ROOT/names"),
            words("-ls @ROOT/names"),
            NONE,
            Same.NOTHING));
  }

  private static List<String> words(String line) {
    return List.of(line.split(" "));
  }

  static List<String> on(List<String> words, Map<String, String> places) {
    return words.stream()
        .map(
            word -> {
              String placed = word;
              for (Map.Entry<String, String> each : places.entrySet()) {
                placed = placed.replace(each.getKey(), each.getValue());
              }
              return placed;
            })
        .toList();
  }
}
