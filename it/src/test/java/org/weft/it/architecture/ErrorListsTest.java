package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;

/**
 * A list of error codes stands in {@link ErrorCode}, as a question with a name. So the effects of a
 * new code are seen in one place. Elsewhere a class asks those questions, or for one code.
 */
class ErrorListsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Fewer would mean that not all modules were looked at. */
  private static final int MIN_SOURCES = 400;

  /** Lists that mean something in one place alone, and why. A comment there says the same. */
  private static final Map<String, String> OWN_LISTS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("BlockRepairs.failed", "a writer of the file is in the way of a repair"),
              Map.entry("FailureText.endsAll", "what every further file of a command meets"),
              Map.entry("FileReading.open", "Hadoop has an exception for handles"),
              Map.entry("KnownXorOrder.isAbortable", "after what an XOR write can be undone"),
              Map.entry("LockTurns.cancelling", "what the simulator takes for a refused lock"),
              Map.entry("Membership.joinAgain", "what ends a manager that serves"),
              Map.entry("OsdDial.unreachable", "what another process at the address cannot say"),
              Map.entry("ShareCall.failed", "what is so for every manager that copies"),
              Map.entry("ShareCall.started", "what a worker refuses that has begun nothing"),
              Map.entry("UnsentCopies.isAnswer", "of attributes BAD_MEDIA means the tables"),
              Map.entry("VolumeSalvage.isFinal", "this manager has lost the volume"),
              Map.entry("VolumeService.settle", "what recalls make way for"),
              Map.entry("Xattrs.named", "what may be said of an attribute and not of its file")));

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    private Source(String path, String text) {
      super(URI.create("string:///" + path), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<JavaFileObject> sources() throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String path = ROOT.relativize(file).toString();
        if (path.matches("[\\w-]+/src/main/java/.*\\.java") && !path.endsWith("/ErrorCode.java")) {
          String text = text(file);
          if (text.contains("WeftException") || text.contains("ErrorCode")) {
            sources.add(new Source(path, text));
          }
        }
      }
    }
    return sources;
  }

  private static Set<String> listsIn(String body) throws IOException {
    return ErrorLists.in(
        List.of(new Source("A.java", "class A { boolean is(ErrorCode code) {" + body + "} }")));
  }

  private static void assertList(String body) throws IOException {
    assertEquals(Set.of("A.is"), listsIn(body), body);
  }

  private static void assertNoList(String body) throws IOException {
    assertEquals(Set.of(), listsIn(body), body);
  }

  @Test
  void listsOfErrorCodesStandWithTheErrorCodes() throws IOException {
    List<JavaFileObject> sources = sources();
    assertTrue(sources.size() >= MIN_SOURCES, "sources: " + sources.size());
    assertEquals(OWN_LISTS.keySet(), ErrorLists.in(sources));
  }

  @Test
  void aListIsSeenInEachForm() throws IOException {
    assertList("return code == ErrorCode.BUSY || code == ErrorCode.FENCED;");
    assertList("return x && (code != ErrorCode.BUSY && y) && !(ErrorCode.FENCED == code);");
    assertList("return n == ErrorCode.BUSY.number() || n == ErrorCode.FENCED.number();");
    assertList(
        "Runnable run = () -> { if (code == ErrorCode.BUSY || code == ErrorCode.LOOP) {} };");
    assertList("return switch (code) { case BUSY, FENCED -> true; default -> false; };");
    assertList("return switch (code) { case BUSY -> false; case LOOP -> false; default -> x; };");
    assertList("return switch (code) { case BUSY, LOOP -> may(); default -> false; };");
    assertList("switch (code) { case BUSY, LOOP -> again(); default -> end(); }");
    assertList("return Set.of(ErrorCode.BUSY, ErrorCode.FENCED).contains(code);");
  }

  @Test
  void singleCodesAndMappingsAreNoList() throws IOException {
    assertNoList("return code == ErrorCode.BUSY || code.mayPass();");
    assertNoList("return code == ErrorCode.BUSY && cause.code() == ErrorCode.FENCED;");
    assertNoList("return switch (code) { case BUSY -> true; case LOOP -> x; default -> false; };");
    assertNoList("return switch (code) { case BUSY, FENCED -> 503; default -> 500; };");
    assertNoList("switch (code) { case BUSY -> again(); case LOOP -> go(); default -> end(); }");
    assertNoList("return switch (x) { case BUSY, IDLE -> true; default -> false; };");
  }
}
