package org.weft.bench.cold;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A command that is measured, and those around it that are not. {@code @ROOT} is the system's
 * directory, {@code @LOCAL} a directory on this machine; sizes stand for themselves as well.
 *
 * @param before makes what the command needs, once for each system
 * @param after undoes what the command did, each time
 * @param same a local file that the command prints, or copies to the file beside it; "": neither
 * @param young whether it is measured with daemons that were just started, too
 */
record ColdCase(
    String name,
    List<List<String>> before,
    List<String> command,
    List<String> after,
    Same same,
    boolean young) {
  /** First words of commands: Hadoop's shell, a load through its FileSystem, a Spark job. */
  static final String SHELL = "fs";

  static final String LOAD = "load";
  static final String SPARK = "spark";

  /** What has to be alike byte for byte: two local files, or one and what was printed. */
  record Same(String expected, String got) {
    static final Same NOTHING = new Same("", "");
    static final String PRINTED = "";
  }

  private static final String PUT_LARGE = "fs -put -f @LOCAL/large @ROOT/large";
  private static final String PUT_MANY = "fs -put -f @LOCAL/many @ROOT/";
  private static final String PUT_NAMES = "fs -put -f @LOCAL/names @ROOT/";

  /** Of one command, which needs nothing. */
  private static ColdCase of(String name, String command) {
    return new ColdCase(name, List.of(), words(command), List.of(), Same.NOTHING, false);
  }

  private ColdCase needing(String other) {
    List<List<String>> all = new ArrayList<>(before);
    all.add(words(other));
    return new ColdCase(name, all, command, after, same, young);
  }

  private ColdCase undone(String other) {
    return new ColdCase(name, before, command, words(other), same, young);
  }

  private ColdCase giving(String expected, String got) {
    return new ColdCase(name, before, command, after, new Same(expected, got), young);
  }

  private ColdCase alsoYoung() {
    return new ColdCase(name, before, command, after, same, true);
  }

  static List<ColdCase> all() {
    return List.of(
        of("put 1 file", "fs -put @LOCAL/large @ROOT/put")
            .undone("fs -rm -skipTrash @ROOT/put")
            .alsoYoung(),
        of("cat 1 file", "fs -cat @ROOT/large")
            .needing(PUT_LARGE)
            .giving("large", Same.PRINTED)
            .alsoYoung(),
        of("get 1 file", "fs -get -f @ROOT/large @LOCAL/got")
            .needing(PUT_LARGE)
            .giving("large", "got"),
        of("cat small", "fs -cat @ROOT/small")
            .needing("fs -put -f @LOCAL/small @ROOT/small")
            .giving("small", Same.PRINTED),
        of("put many", "fs -put @LOCAL/many @ROOT/put-many")
            .undone("fs -rm -r -skipTrash @ROOT/put-many"),
        of("get many", "fs -get -f @ROOT/many @LOCAL/got-many").needing(PUT_MANY),
        of("cat many", "fs -cat @ROOT/many/*").needing(PUT_MANY),
        of("ls many", "fs -ls @ROOT/names").needing(PUT_NAMES).alsoYoung(),
        of("load: hflush", "load hflush @ROOT/flushed @OPS")
            .undone("fs -rm -r -skipTrash @ROOT/flushed")
            .alsoYoung(),
        of("load: create", "load create @ROOT/created @CREATES")
            .undone("fs -rm -r -skipTrash @ROOT/created"),
        of("load: stat", "load stat @ROOT/names @OPS").needing(PUT_NAMES),
        of("load: list", "load list @ROOT/many @LISTS").needing(PUT_MANY),
        of("load: stream write", "load write @ROOT/written @MIB")
            .undone("fs -rm -r -skipTrash @ROOT/written"),
        of("load: stream read", "load read @ROOT/large @MIB").needing(PUT_LARGE),
        of("spark stage", "spark read @ROOT/parquet @MIB")
            .needing("spark write @ROOT/parquet @MIB"));
  }

  String kind() {
    return command.get(0);
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
