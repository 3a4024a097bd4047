package org.weft.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The one jar: what is in it, and Hadoop's shell on it and a stock client. */
class ClientJarIT {
  private static final Pattern OURS =
      Pattern.compile(
          "org/weft/.*|weft-default\\.xml|META-INF/(MANIFEST\\.MF|LICENSE|NOTICE)"
              + "|META-INF/services/(org\\.apache\\.(hadoop|flink)|org\\.weft)\\..*");
  private static final Pattern NATIVE = Pattern.compile(".*\\.(so|dll|jnilib|dylib)");
  private static final Pattern FOREIGN =
      Pattern.compile("(?<![\\w/.])(io/netty|com/google/protobuf)/");

  /** What release archives, images and job uploads are sized for. */
  private static final long MAX_BYTES = 10L << 20;

  @TempDir Path work;

  @Test
  void staysSmall() throws IOException {
    long bytes = Files.size(StockClient.jar());
    assertTrue(bytes <= MAX_BYTES, bytes + " bytes; see the filters in the pom");
  }

  @Test
  void holdsNothingThatCouldMeetAnotherRelease() throws IOException {
    List<String> strangers = new ArrayList<>();
    try (ZipFile zip = new ZipFile(StockClient.jar().toFile())) {
      for (ZipEntry entry : zip.stream().filter(each -> !each.isDirectory()).toList()) {
        String name = entry.getName();
        if (!OURS.matcher(name).matches() || NATIVE.matcher(name).matches()) {
          strangers.add(name);
        } else if (name.endsWith(".class")) {
          try (InputStream in = zip.getInputStream(entry)) {
            String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            if (FOREIGN.matcher(bytes).find()) {
              strangers.add(name + " uses a class that is not here");
            }
          }
        }
      }
      assertEquals(List.of(), strangers);
      assertEquals(
          "org.weft.hadoop.WeftHadoopFileSystem",
          text(zip, "META-INF/services/org.apache.hadoop.fs.FileSystem").trim());
      assertEquals(
          "org.weft.flink.WeftFileSystemFactory",
          text(zip, "META-INF/services/org.apache.flink.core.fs.FileSystemFactory").trim());
    }
  }

  private static String text(ZipFile zip, String name) throws IOException {
    try (InputStream in = zip.getInputStream(zip.getEntry(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @MethodSource("org.weft.hadoop.shell.StockClient#releases")
  void hadoopsShellWorksOnAStockClientAndThisJar(String release) throws Exception {
    String dir = "/tmp/shell-" + release;
    Path local = Files.writeString(work.resolve("words"), "one\ntwo\n");
    Path more = Files.writeString(work.resolve("more"), "three\n");
    Path back = work.resolve("back");
    List<List<String>> commands =
        List.of(
            List.of("-mkdir", "-p", dir + "/a"),
            List.of("-put", local.toString(), dir + "/a/words"),
            List.of("-ls", dir + "/a"),
            List.of("-cat", dir + "/a/words"),
            List.of("-appendToFile", more.toString(), dir + "/a/words"),
            List.of("-tail", dir + "/a/words"),
            List.of("-get", dir + "/a/words", back.toString()),
            List.of("-touchz", dir + "/a/empty"),
            List.of("-test", "-z", dir + "/a/empty"),
            List.of("-test", "-e", dir + "/a/none"),
            List.of("-mv", dir + "/a/words", dir + "/a/text"),
            List.of("-chmod", "640", dir + "/a/text"),
            List.of("-chown", "ann:people", dir + "/a/text"),
            List.of("-stat", "%a %u:%g %b", dir + "/a/text"),
            List.of("-setfattr", "-n", "user.origin", "-v", "here", dir + "/a/text"),
            List.of("-getfattr", "-d", dir + "/a/text"),
            List.of("-du", dir + "/a"),
            List.of("-count", dir),
            List.of("-df", "/"),
            List.of("-rm", "-r", "-skipTrash", dir),
            List.of("-ls", dir));
    List<StockClient.Outcome> outcomes = new StockClient(release, work).run(commands);
    assertEquals(commands.size(), outcomes.size());
    List<Integer> exits = outcomes.stream().map(StockClient.Outcome::exit).toList();
    List<Integer> wanted = new ArrayList<>(java.util.Collections.nCopies(commands.size(), 0));
    wanted.set(9, 1);
    wanted.set(20, 1);
    assertEquals(wanted, exits, outcomes::toString);
    assertContains(outcomes.get(2), "-rw-r--r--", dir + "/a/words", " 8 ");
    assertEquals("one\ntwo\n", outcomes.get(3).printed());
    assertEquals("one\ntwo\nthree\n", outcomes.get(5).printed());
    assertEquals("one\ntwo\nthree\n", Files.readString(back));
    assertContains(outcomes.get(13), "640 ann:people 14");
    assertContains(outcomes.get(15), "user.origin=\"here\"");
    assertContains(outcomes.get(16), "14", dir + "/a/text");
    assertContains(outcomes.get(17), "2            2", " 14 ");
    assertContains(outcomes.get(18), "weft://");
    assertContains(outcomes.get(20), "No such file or directory");
  }

  private static void assertContains(StockClient.Outcome outcome, String... parts) {
    for (String part : parts) {
      assertTrue(outcome.printed().contains(part), () -> "no '" + part + "' in " + outcome);
    }
  }
}
