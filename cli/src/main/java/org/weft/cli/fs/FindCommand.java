package org.weft.cli.fs;

import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.Glob;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.files.TreeWalk;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.Lines;
import org.weft.cli.output.PrintableText;
import org.weft.client.FileStatus;
import org.weft.client.FileType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Finds what matches in trees. */
@Command(
    name = "find",
    description = {
      "Prints the paths of all that matches, in trees.",
      "Looks at the arguments themselves and at all below them. What is asked for must hold together;"
          + " several --name or --path are alternatives. Symbolic links are not followed."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs find /data --name '*.csv' --name '*.parquet'",
      "  weft fs find / --type f --size +1G --ls      large files, as ls shows them",
      "  weft fs find /logs --older-than 30d --print0",
      "  weft fs find /data --newer-than /data/_SUCCESS"
    })
@JsonFields(
    shape = "one array with an object for each match",
    value = {"path: absolute", "...: as `weft fs ls --json`"})
final class FindCommand extends PathsOperation {
  @Option(
      names = "--name",
      paramLabel = "GLOB",
      description = "The last name matches, like '*.csv'; may be repeated.")
  private List<String> names = new ArrayList<>();

  @Option(names = "--iname", paramLabel = "GLOB", description = "The same without regard to case.")
  private List<String> anyCaseNames = new ArrayList<>();

  @Option(
      names = "--path",
      paramLabel = "GLOB",
      description = "The whole path matches; * takes slashes too.")
  private List<String> wholePaths = new ArrayList<>();

  @Option(
      names = "--type",
      paramLabel = "f|d|l",
      split = ",",
      description = "Files, directories, symbolic links.")
  private List<String> types = new ArrayList<>();

  @Option(
      names = "--size",
      paramLabel = "[+-]SIZE",
      description = "Files with more (+), fewer (-) or exactly so many bytes: +10M.")
  private String size;

  @Option(
      names = "--newer-than",
      paramLabel = "WHEN",
      description =
          "Changed after: 90s, 30m, 12h, 7d ago; 2026-11-21; 2026-11-21T10:00:00Z; /PATH of a file.")
  private String newerThan;

  @Option(names = "--older-than", paramLabel = "WHEN", description = "Changed before.")
  private String olderThan;

  @Option(names = "--owner", paramLabel = "USER", description = "Belongs to this user.")
  private String owner;

  @Option(names = "--group", paramLabel = "GROUP", description = "Belongs to this group.")
  private String group;

  @Option(names = "--empty", description = "Empty files and directories.")
  private boolean empty;

  @Option(
      names = "--max-depth",
      paramLabel = "N",
      description = "Down to N levels below the argument.")
  private int maxDepth = TreeWalk.UNLIMITED;

  @Option(
      names = "--min-depth",
      paramLabel = "N",
      description = "Nothing less than N levels below it.")
  private int minDepth;

  @Option(names = "--ls", description = "Long lines, as ls shows them.")
  private boolean longLines;

  @Option(
      names = {"-0", "--print0"},
      description = "A NUL behind each path, for xargs -0.")
  private boolean nul;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      defaultValue = "/",
      description = "Where to look (default: ${DEFAULT-VALUE}).")
  private List<String> arguments;

  private SizeTest sizeTest;

  /** Where matches go. */
  private interface Printer {
    void print(FileStatus status) throws IOException;
  }

  @Override
  protected void check() {
    checkPaths(arguments);
    if (longLines && nul) {
      throw wrong("--ls and --print0: choose one of them");
    }
    for (String type : types) {
      if (!List.of("f", "d", "l").contains(type)) {
        throw wrong("--type: expected f, d or l, got " + type);
      }
    }
    sizeTest = size == null ? null : SizeTest.parse(size);
    When.check("--newer-than", newerThan);
    When.check("--older-than", olderThan);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    Predicate<FileStatus> wanted = wanted(session.files());
    if (json()) {
      try (Json.ArrayWriter array = new Json.ArrayWriter(console().text())) {
        find(session, failures, wanted, status -> array.add(FileStatusJson.brief(status)));
      }
      return;
    }
    Lines lines = new Lines(console().text());
    LsFormat format = new LsFormat(false, ZoneId.systemDefault());
    find(session, failures, wanted, status -> lines.print(text(format, status)));
    lines.check();
  }

  private String text(LsFormat format, FileStatus status) {
    if (longLines) {
      format.fit(List.of(status));
      return format.line(status) + "\n";
    }
    return nul ? status.path() + "\0" : PrintableText.of(status.path().toString()) + "\n";
  }

  private void find(
      FilesSession session, Failures failures, Predicate<FileStatus> wanted, Printer printer)
      throws IOException {
    TreeWalk walk = new TreeWalk(session.files(), failures, true);
    TreeWalk.Visitor visitor =
        new TreeWalk.Visitor() {
          @Override
          public boolean enter(FileStatus directory, int depth) throws IOException {
            file(directory, depth);
            return depth < maxDepth;
          }

          @Override
          public void file(FileStatus status, int depth) throws IOException {
            if (depth >= minDepth && wanted.test(status)) {
              printer.print(status);
            }
          }
        };
    forEach(
        session.files(),
        arguments,
        failures,
        path -> walk.walk(requireLink(session.files(), path), visitor));
  }

  private Predicate<FileStatus> wanted(RemoteFiles files) throws IOException {
    Predicate<FileStatus> all = anyGlob();
    if (!types.isEmpty()) {
      all = all.and(status -> types.contains(letter(status.type())));
    }
    if (sizeTest != null) {
      all = all.and(status -> status.isFile() && sizeTest.test(status.sizeBytes()));
    }
    if (newerThan != null) {
      long limitMillis = When.millis(files, newerThan);
      all = all.and(status -> status.mtimeMillis() > limitMillis);
    }
    if (olderThan != null) {
      long limitMillis = When.millis(files, olderThan);
      all = all.and(status -> status.mtimeMillis() < limitMillis);
    }
    if (owner != null) {
      all = all.and(status -> status.owner().equals(owner));
    }
    if (group != null) {
      all = all.and(status -> status.group().equals(group));
    }
    return empty ? all.and(FindCommand::isEmpty) : all;
  }

  private Predicate<FileStatus> anyGlob() {
    List<Predicate<FileStatus>> any = new ArrayList<>();
    for (String glob : names) {
      Glob wanted = Glob.of(glob, false);
      any.add(status -> wanted.test(status.path().name()));
    }
    for (String glob : anyCaseNames) {
      Glob wanted = Glob.of(glob, true);
      any.add(status -> wanted.test(status.path().name()));
    }
    for (String glob : wholePaths) {
      Glob wanted = Glob.of(glob, false);
      any.add(status -> wanted.test(status.path().toString()));
    }
    return any.isEmpty()
        ? status -> true
        : status -> any.stream().anyMatch(glob -> glob.test(status));
  }

  private static boolean isEmpty(FileStatus status) {
    return switch (status.type()) {
      case FILE -> status.sizeBytes() == 0;
      case DIRECTORY -> status.entries() == 0;
      case SYMLINK, SPECIAL -> false;
    };
  }

  private static String letter(FileType type) {
    return switch (type) {
      case FILE -> "f";
      case DIRECTORY -> "d";
      case SYMLINK -> "l";
      case SPECIAL -> "s";
    };
  }
}
