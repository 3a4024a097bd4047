package org.weft.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Patterns as a shell has them. */
class PathPatternsTest {
  private final MemoryFiles files = new MemoryFiles();

  PathPatternsTest() {
    for (String directory : List.of("/data", "/data/a", "/data/b", "/data/.hidden", "/logs")) {
      files.directory(directory);
    }
    for (String file :
        List.of("/data/a/x.csv", "/data/a/y.csv", "/data/b/x.csv", "/data/one.csv", "/logs/[1]")) {
      files.file(file, new byte[0]);
    }
    files.file("/logs/a1", new byte[0]);
    files.file("/logs/a*", new byte[0]);
    files.symbolicLink("/data/link", "a");
  }

  private String expand(String pattern) throws IOException {
    return String.join(
        " ", PathPatterns.expand(files, pattern).stream().map(WeftPath::toString).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "/data/*.csv, /data/one.csv",
    "/data/?/x.csv, /data/a/x.csv /data/b/x.csv",
    "/data/*/y.csv, /data/a/y.csv /data/link/y.csv",
    "'/{logs,data}/a*', /logs/a* /logs/a1 /data/a",
    "'/data/{b,a}/x.csv', /data/b/x.csv /data/a/x.csv",
    "'/data/{a,no}', /data/a /data/no",
    "/logs/a[0-9], /logs/a1",
    "/logs/a[!0-9], /logs/a*",
    "/logs/a\\*, /logs/a*",
    "/logs/[1], /logs/[1]",
    "/data/.h*, /data/.hidden",
    "/*/../logs/a1, /logs/a1 /logs/a1",
    "/d*/, /data",
    "/plain/path, /plain/path",
    "/, /"
  })
  void patternsStandForWhatMatches(String pattern, String paths) throws IOException {
    assertEquals(paths, expand(pattern));
  }

  @Test
  void aLeadingDotWantsToBeSpeltOut() throws IOException {
    assertEquals("/data/a /data/b /data/link /data/one.csv", expand("/data/*"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/data/*.txt", "/nowhere/*", "/data/one.csv/*", "/data/*/nothing"})
  void whatMatchesNothingIsNotFound(String pattern) {
    WeftException failure =
        assertThrows(WeftException.class, () -> PathPatterns.expand(files, pattern));
    assertEquals(ErrorCode.NOT_FOUND, failure.code());
    assertTrue(failure.getMessage().startsWith(pattern + ": nothing matches"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"*/a", "/a[z-a]", "/a*\\"})
  void invalidPatternIsRefused(String pattern) {
    assertThrows(IllegalArgumentException.class, () -> PathPatterns.expand(files, pattern));
  }

  @Test
  void unreadableDirectoryAmongSeveralIsSkipped() throws IOException {
    files.breakAt("/data/a", ErrorCode.PERMISSION_DENIED);
    assertEquals("/data/b/x.csv", expand("/data/[ab]/*"));
    assertThrows(WeftException.class, () -> expand("/data/a/*"));
  }

  @ParameterizedTest
  @CsvSource({
    "*.csv, a.csv, true",
    "*.csv, .csv, true",
    "a.c, abc, false",
    "[a-], -, true",
    "[]a], ], true",
    "[^a], a, false",
    "[, [, true",
    "a(b|c), ab, false",
    "*, '', true",
    "ü?, üü, true"
  })
  void globsMatchWholeNames(String glob, String name, boolean matches) {
    assertEquals(matches, Glob.of(glob, false).test(name));
  }

  @Test
  void caseCountsUnlessItDoesNot() {
    assertTrue(Glob.of("*.CSV", true).test("a.csv"));
    assertTrue(!Glob.of("*.CSV", false).test("a.csv"));
  }
}
