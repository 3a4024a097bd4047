package org.weft.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hadoop's distcp with the stock clients of the oldest and the newest release. */
class DistCpIT {
  private static final String DISTCP = "org.apache.hadoop.tools.DistCp";

  @TempDir Path work;

  /** Commands that have to succeed, and those of them whose output counts. */
  private final List<List<String>> commands = new ArrayList<>();

  private int then(String... words) {
    commands.add(List.of(words));
    return commands.size() - 1;
  }

  private List<StockClient.Outcome> run(String release) throws Exception {
    List<StockClient.Outcome> outcomes = new StockClient(release, work).run(commands);
    assertEquals(commands.size(), outcomes.size());
    assertTrue(outcomes.stream().allMatch(each -> each.exit() == 0), outcomes::toString);
    return outcomes;
  }

  @ParameterizedTest
  @MethodSource("org.weft.hadoop.shell.StockClient#releases")
  void updateCopiesWhatHasTheSameSizeAndOtherContents(String release) throws Exception {
    String dir = "/tmp/distcp-update-" + release;
    Path one = Files.writeString(work.resolve("one"), "one\ntwo\n");
    Path other = Files.writeString(work.resolve("other"), "six\nten\n");
    Path local = Files.createDirectories(work.resolve("local"));
    then("-mkdir", "-p", dir + "/from", dir + "/to");
    then("-put", one.toString(), dir + "/from/words");
    then("-touchz", dir + "/from/empty");
    then("-put", other.toString(), dir + "/to/words");
    then(DISTCP, "-update", dir + "/from", dir + "/to");
    int copied = then("-cat", dir + "/to/words");
    int sums = then("-checksum", dir + "/from/words", dir + "/to/words");
    then(DISTCP, "-update", dir + "/to", local.toUri().toString());
    then(DISTCP, "-update", local.toUri().toString(), dir + "/back");
    int back = then("-cat", dir + "/back/words");
    then("-rm", "-skipTrash", dir + "/to/words");
    then("-put", other.toString(), dir + "/to/words");
    then(DISTCP, "-update", "-skipcrccheck", dir + "/from", dir + "/to");
    int skipped = then("-cat", dir + "/to/words");
    then("-rm", "-r", "-skipTrash", dir);
    List<StockClient.Outcome> outcomes = run(release);
    assertEquals("one\ntwo\n", outcomes.get(copied).printed());
    assertEquals("one\ntwo\n", Files.readString(local.resolve("words")));
    assertEquals("one\ntwo\n", outcomes.get(back).printed());
    assertEquals("six\nten\n", outcomes.get(skipped).printed());
    String[] lines = outcomes.get(sums).printed().split("\n");
    assertTrue(lines[0].contains("COMPOSITE-CRC32C"), lines[0]);
    assertEquals(lines[0].replace("/from/", "/to/"), lines[1]);
  }

  @ParameterizedTest
  @MethodSource("org.weft.hadoop.shell.StockClient#releases")
  void attributesArePreserved(String release) throws Exception {
    String dir = "/tmp/distcp-attributes-" + release;
    Path local = Files.writeString(work.resolve("words"), "one\ntwo\n");
    then("-mkdir", "-p", dir + "/from/sub");
    then("-put", local.toString(), dir + "/from/sub/words");
    for (String name : List.of("/from/sub/words", "/from/sub")) {
      then("-chown", "ann:people", dir + name);
      then("-chmod", name.endsWith("words") ? "640" : "1750", dir + name);
      then("-setfattr", "-n", "user.origin", "-v", "here", dir + name);
    }
    then("-touch", "-m", "-t", "20200102:030405", dir + "/from/sub/words");
    then("-touch", "-m", "-t", "20210102:030405", dir + "/from/sub");
    then(DISTCP, "-pugptxa", dir + "/from", dir + "/to");
    List<Integer> said = new ArrayList<>();
    for (String tree : List.of("/from", "/to")) {
      for (String name : List.of("/sub/words", "/sub")) {
        said.add(then("-stat", "%a %u:%g %Y", dir + tree + name));
        said.add(then("-getfattr", "-d", dir + tree + name));
        said.add(then("-getfacl", dir + tree + name));
      }
    }
    then("-rm", "-r", "-skipTrash", dir);
    List<StockClient.Outcome> outcomes = run(release);
    List<String> texts =
        said.stream()
            .map(index -> outcomes.get(index).printed().replace("/from/", "/to/"))
            .toList();
    assertEquals(texts.subList(0, said.size() / 2), texts.subList(said.size() / 2, said.size()));
    assertTrue(texts.get(0).startsWith("640 ann:people 15779"), texts.get(0));
    assertTrue(texts.get(3).startsWith("1750 ann:people 16095"), texts.get(3));
    assertTrue(texts.get(4).contains("user.origin=\"here\""), texts.get(4));
    assertTrue(texts.get(5).contains("group::r-x"), texts.get(5));
  }
}
