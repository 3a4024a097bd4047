package org.weft.cli.fs;

import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.Lines;
import org.weft.cli.output.PrintableText;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists files and directories. */
@Command(
    name = "ls",
    description = {
      "Lists directories, and files that are named.",
      "Shown are mode (a + behind it: with an access control list), code (data + parity units), owner, group, size in bytes, time of the last change,"
          + " path, target of a symbolic link. Sorted by name; a directory of more than 10,000 entries is"
          + " listed as the entries arrive."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs ls /                what the root holds",
      "  weft fs ls -R -h /tmp       with all below it, sizes for people",
      "  weft fs ls -t '/logs/*.gz'  what matches, newest first",
      "  weft fs ls -C /tmp          paths only, for scripts"
    })
@JsonFields(
    shape = "one array with an object for each entry",
    value = {
      "path: absolute",
      "type: file, directory or symlink",
      "size: bytes; 0 for a directory",
      "mode: four octal digits",
      "acl: true if entries stand beside the mode, or a default list",
      "owner: user",
      "group: group",
      "modified: last change of the contents, ISO 8601, UTC",
      "links: names that lead to it",
      "code: of a file: data+parity units, xG with G groups",
      "target: of a symbolic link: where it leads"
    })
final class LsCommand extends PathsOperation {
  static final int SORTED_ENTRIES = 10_000;

  @Option(
      names = {"-R", "--recursive"},
      description = "List what is below directories too.")
  private boolean recursive;

  @Option(
      names = {"-d", "--directory"},
      description = "List directories themselves, not what they hold.")
  private boolean directoryItself;

  @Option(
      names = {"-h", "--human-readable"},
      description = "Sizes as 1.5 GiB.")
  private boolean human;

  @Option(names = "-t", description = "Sort by time, newest first.")
  private boolean byTime;

  @Option(names = "-S", description = "Sort by size, largest first.")
  private boolean bySize;

  @Option(
      names = {"-r", "--reverse"},
      description = "Sort the other way round.")
  private boolean reverse;

  @Option(
      names = {"-C", "--paths-only"},
      description = "Paths only, one on each line.")
  private boolean pathsOnly;

  @Option(
      names = {"-p", "--slash"},
      description = "End the paths of directories with a slash.")
  private boolean slash;

  @SuppressWarnings("UnusedVariable") // For habit's sake.
  @Option(names = "-l", hidden = true, description = "Long lines: always so.")
  private boolean longLines;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      defaultValue = "/",
      description = "What to list (default: ${DEFAULT-VALUE}).")
  private List<String> arguments;

  /** Where lines go. */
  private interface Printer {
    void print(List<FileStatus> statuses) throws IOException;
  }

  @Override
  protected void check() {
    checkPaths(arguments);
    if (byTime && bySize) {
      throw wrong("-t and -S: sort by one of them");
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    RemoteFiles files = session.files();
    if (json()) {
      try (Json.ArrayWriter array = new Json.ArrayWriter(console().text())) {
        listAll(files, failures, statuses -> printJson(array, statuses));
      }
      return;
    }
    LsFormat format = new LsFormat(human, ZoneId.systemDefault());
    Lines lines = new Lines(console().text());
    listAll(files, failures, statuses -> printLines(lines, format, statuses));
    lines.check();
  }

  private static void printJson(Json.ArrayWriter array, List<FileStatus> statuses)
      throws IOException {
    for (FileStatus status : statuses) {
      array.add(FileStatusJson.brief(status));
    }
  }

  private void printLines(Lines lines, LsFormat format, List<FileStatus> statuses)
      throws IOException {
    format.fit(statuses);
    for (FileStatus status : statuses) {
      String line = pathsOnly ? PrintableText.of(status.path().toString()) : format.line(status);
      lines.println(slash && status.isDirectory() && !line.endsWith("/") ? line + "/" : line);
    }
  }

  private void listAll(RemoteFiles files, Failures failures, Printer printer) throws IOException {
    for (String argument : arguments) {
      // What a pattern matches is sorted together.
      List<FileStatus> plain = new ArrayList<>();
      List<WeftPath> directories = new ArrayList<>();
      forEach(
          files,
          List.of(argument),
          failures,
          path -> {
            FileStatus status = statusOf(files, path);
            if (directoryItself || !status.isDirectory()) {
              plain.add(status);
            } else {
              directories.add(path);
            }
          });
      plain.sort(order());
      printer.print(plain);
      for (WeftPath directory : directories) {
        listDirectory(files, directory, failures, printer);
      }
    }
  }

  /** A link to a directory that is to be listed is followed, any other is shown itself. */
  private FileStatus statusOf(RemoteFiles files, WeftPath path) throws IOException {
    FileStatus itself = requireLink(files, path);
    return itself.isSymlink() && !directoryItself
        ? files.find(path).filter(FileStatus::isDirectory).orElse(itself)
        : itself;
  }

  private Comparator<FileStatus> order() {
    Comparator<FileStatus> order = Comparator.comparing(FileStatus::path);
    if (byTime) {
      order = Comparator.comparingLong(FileStatus::mtimeMillis).reversed().thenComparing(order);
    } else if (bySize) {
      order = Comparator.comparingLong(FileStatus::sizeBytes).reversed().thenComparing(order);
    }
    return reverse ? order.reversed() : order;
  }

  private void listDirectory(
      RemoteFiles files, WeftPath directory, Failures failures, Printer printer)
      throws IOException {
    try {
      RemoteFiles.Entries entries = files.list(directory);
      List<FileStatus> batch = new ArrayList<>();
      boolean sorted = true;
      for (FileStatus next = entries.next(); next != null; next = entries.next()) {
        batch.add(next);
        if (batch.size() >= SORTED_ENTRIES) {
          sorted = false;
          print(files, batch, failures, printer);
          batch.clear();
        }
      }
      if (sorted) {
        batch.sort(order());
      }
      print(files, batch, failures, printer);
    } catch (WeftException e) {
      failures.add(e);
    }
  }

  private void print(RemoteFiles files, List<FileStatus> batch, Failures failures, Printer printer)
      throws IOException {
    if (!recursive) {
      printer.print(batch);
      return;
    }
    for (FileStatus status : batch) {
      printer.print(List.of(status));
      if (status.isDirectory()) {
        listDirectory(files, status.path(), failures, printer);
      }
    }
  }
}
