package org.weft.it.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.it.guide.PagesTest.root;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Sentences name the thread, the client or the request that they speak of, as the glossary asks.
 * None says "who" or "nobody" of such a thing. Java sources, schemas, scripts and pages are read.
 */
class PlainWordsTest {
  /** Modules whose files are read, also those below {@code src}. */
  private static final List<String> MODULES =
      List.of(
          "bench",
          "cli",
          "client-core",
          "file-recovery",
          "hadoop-fs",
          "it",
          "metadata-server",
          "nfs-gateway",
          "osd-server",
          "packaging",
          "protocol",
          "simulator",
          "soak",
          "sysmgr",
          "testkit");

  /** Folders of which the files are read, and none of the folders in them. */
  private static final List<String> FOLDERS = List.of("", "bench", "docs", "docs/engines");

  private static final Set<String> ENDINGS = Set.of("", "java", "md", "proto", "sh", "txt");

  /** They speak of earlier releases or of this rule, or are written from the sources. */
  private static final Set<String> NOT_READ =
      Set.of(
          "CHANGELOG.md",
          "LICENSE",
          "docs/cli.md",
          "docs/configuration.md",
          "it/src/test/java/org/weft/it/guide/PlainWordsTest.java");

  /** The row of the glossary that has the words which are not to be used. */
  private static final String OF_THE_GLOSSARY = "| threads and processes in sentences | ";

  /** Names of the simulator's random streams: another name would make other seeds. */
  private static final Pattern RANDOM_STREAM = Pattern.compile("\\brandom\\(\"who [^\"]*\"\\)");

  /** The only files that speak of POSIX's user and group of that name. */
  private static final Set<String> OF_POSIX_NOBODY =
      Set.of(
          "cli/src/main/java/org/weft/cli/nfs/ExportChange.java",
          "cli/src/main/java/org/weft/cli/nfs/IdListCommand.java",
          "cli/src/main/java/org/weft/cli/nfs/SquashName.java",
          "docs/nfs.md",
          "nfs-gateway/src/main/java/org/weft/nfs/daemon/PolicyCodec.java",
          "nfs-gateway/src/main/java/org/weft/nfs/exports/Gatekeeper.java",
          "nfs-gateway/src/main/java/org/weft/nfs/exports/Identities.java",
          "nfs-gateway/src/main/java/org/weft/nfs/exports/NamedFiles.java",
          "nfs-gateway/src/main/java/org/weft/nfs/exports/NumberTable.java",
          "nfs-gateway/src/test/java/org/weft/nfs/cluster/ExportRulesTest.java",
          "nfs-gateway/src/test/java/org/weft/nfs/exports/ExportsTest.java",
          "nfs-gateway/src/test/java/org/weft/nfs/exports/HostIdentitiesTest.java",
          "nfs-gateway/src/test/java/org/weft/nfs/model/ModelGateway.java",
          "sysmgr/src/main/java/org/weft/sysmgr/configuration/nfs/NfsSquash.java",
          "nfs-gateway/src/test/java/org/weft/nfs/v3/ProceduresTest.java",
          "protocol/src/main/proto/weft/sysmgr.proto",
          "simulator/src/main/java/org/weft/simulator/gateway/LockGateway.java");

  /** Each of the words has one of them. */
  private static final List<String> PARTS = List.of("who", "Who", "WHO", "body", "BODY");

  private static final Pattern WORD =
      Pattern.compile(
          "\\b(?:[Ww]ho(?:ever|m)?|[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody"
              + "|WHO(?:EVER|M)?|(?:NO|SOME|ANY|EVERY)BODY)\\b");

  /** A part of a name in a Java source. */
  private static final Pattern PART_OF_NAME =
      Pattern.compile(
          "(?:(?<=[a-z])(?:Who|Whoever|Whom|Nobody|Somebody|Anybody|Everybody)"
              + "|\\b(?:who|whoever|whom|nobody|somebody|anybody|everybody))(?=[A-Z(;,.) ])");

  /** "The user who", also where a comment goes on in the next line. */
  private static final Pattern OF_A_PERSON =
      Pattern.compile(
          "(?i)(?:user|operator|administrator|reader|person)s?,?(?:\\s|//|#|\\*)+who\\b"
              + "|\\bpeople,?(?:\\s|//|#|\\*)+who\\b");

  @Test
  void everySentenceNamesItsSubject() throws IOException {
    Set<String> wrong = new TreeSet<>();
    int read = 0;
    for (Path file : files()) {
      String name = root().relativize(file).toString();
      if (NOT_READ.contains(name) || !ENDINGS.contains(ending(name))) {
        continue;
      }
      read++;
      for (String word :
          wordsIn(Files.readString(file), name.endsWith(".java"), OF_POSIX_NOBODY.contains(name))) {
        wrong.add(name + ":" + word);
      }
    }
    assertEquals(Set.of(), wrong, "name the thread, the process, the client or the request");
    assertTrue(read > 1_000, "files that were read: " + read);
  }

  /** Each has one such word, which the check above is to see. */
  @Test
  void sentenceWithoutASubjectIsSeen() {
    for (String broken :
        List.of(
            "// Whoever comes first has it.",
            "/** A client who cancels gets nothing. */",
            "fail(\"nobody answers\");",
            "void anOsdThatWaitsHoldsNobodyUp() {",
            "void whoCancelsGetsNothing() {",
            "void itEndsForEverybody() {",
            "boolean nobody = true;",
            "/** Waits for who\n * writes. */")) {
      assertEquals(1, wordsIn(broken, true, false).size(), broken);
    }
    assertEquals(List.of("2 whom"), wordsIn("nobody\nwhom", false, true));
  }

  @Test
  void peopleAndFullSubjectsDoNotCount() {
    for (String good :
        List.of(
            "/** For a user who names none. */",
            " * As the operator\n   * who asked.",
            "# people who read logs",
            "void theWholeFileWhoseWriterDied() {",
            "request.POST(BodyPublishers.noBody())",
            "world.random(\"who may suffer\")",
            OF_THE_GLOSSARY + "who, whoever | the caller |\n")) {
      assertEquals(List.of(), wordsIn(good, true, false), good);
    }
  }

  /** The words in a text that stand for no person, each behind the number of its line. */
  private static List<String> wordsIn(String text, boolean java, boolean posix) {
    List<String> words = new ArrayList<>();
    String things = OF_A_PERSON.matcher(text).replaceAll(PlainWordsTest::lines);
    String read = RANDOM_STREAM.matcher(things).replaceAll("");
    int number = 0;
    for (String line : read.split("\n", -1)) {
      number++;
      if (!mayName(line) || line.startsWith(OF_THE_GLOSSARY)) {
        continue;
      }
      Set<String> found = new TreeSet<>();
      for (Pattern pattern : java ? List.of(WORD, PART_OF_NAME) : List.of(WORD)) {
        Matcher word = pattern.matcher(line);
        while (word.find()) {
          if (!posix || !word.group().equalsIgnoreCase("nobody")) {
            found.add(word.group());
          }
        }
      }
      for (String word : found) {
        words.add(number + " " + word);
      }
    }
    return words;
  }

  /** Few lines have such letters: the patterns are slow. */
  private static boolean mayName(String line) {
    return PARTS.stream().anyMatch(line::contains);
  }

  /** As many lines as before, so that those behind it keep their numbers. */
  private static String lines(MatchResult match) {
    return "\n".repeat((int) match.group().chars().filter(each -> each == '\n').count());
  }

  private static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String module : MODULES) {
      Files.walkFileTree(
          root().resolve(module),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              return folder.getFileName().toString().equals("target")
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              files.add(file);
              return FileVisitResult.CONTINUE;
            }
          });
    }
    for (String folder : FOLDERS) {
      try (Stream<Path> inside = Files.list(root().resolve(folder))) {
        inside.filter(Files::isRegularFile).forEach(files::add);
      }
    }
    return files;
  }

  /** Of scripts and other files without one: empty. */
  private static String ending(String name) {
    String file = name.substring(name.lastIndexOf('/') + 1);
    int dot = file.lastIndexOf('.');
    return dot < 0 ? "" : file.substring(dot + 1);
  }
}
