package org.weft.cli.fs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.TreeWalk;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.Lines;
import org.weft.cli.output.PrintableText;
import org.weft.client.FileStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sums up what trees hold. */
@Command(
    name = "du",
    description = {
      "Sums up directories with all below them.",
      "Shown are bytes of the files' contents, bytes that they take on the OSDs with parity (holes not"
          + " taken off), number of files and links, path. A file with several names in what is summed"
          + " up counts once."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs du -h /data             every directory below /data, then /data",
      "  weft fs du -s -h '/user/*'      one line for each user",
      "  weft fs du -d 1 -c /data /tmp   directories one level down, and a total"
    })
@JsonFields(
    shape = "one array with an object for each line",
    value = {
      "path: absolute; null: the total",
      "type: file, directory, symlink or total",
      "bytes: contents of the files",
      "storedBytes: what they take on the OSDs, parity included",
      "files: files and links",
      "directories: itself included"
    })
final class DuCommand extends PathsOperation {
  /** Objects with several names that are remembered; beyond, names count one by one. */
  private static final int MAX_REMEMBERED = 1 << 20;

  @Option(
      names = {"-s", "--summarize"},
      description = "One line for each argument.")
  private boolean summarize;

  @Option(
      names = {"-a", "--all"},
      description = "A line for each file too.")
  private boolean all;

  @Option(
      names = {"-d", "--max-depth"},
      paramLabel = "N",
      description = "Lines for directories down to N levels below the argument.")
  private Integer maxDepth;

  @Option(
      names = {"-c", "--total"},
      description = "A line for everything together at the end.")
  private boolean total;

  @Option(
      names = {"-h", "--human-readable"},
      description = "Sizes as 1.5 GiB.")
  private boolean human;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      defaultValue = "/",
      description = "What to sum up (default: ${DEFAULT-VALUE}).")
  private List<String> arguments;

  private final Set<Long> counted = new HashSet<>();

  /** The sums of a tree so far. */
  private static final class Sum {
    private long bytes;
    private long storedBytes;
    private long files;
    private long directories;

    private void add(Sum other) {
      bytes += other.bytes;
      storedBytes += other.storedBytes;
      files += other.files;
      directories += other.directories;
    }
  }

  /** Where lines go; the path is null for the total. */
  private interface Printer {
    void print(String path, String type, Sum sum) throws IOException;
  }

  @Override
  protected void check() {
    checkPaths(arguments);
    if (maxDepth != null && (maxDepth < 0 || summarize)) {
      throw wrong("--max-depth: expected 0 or more, and no -s, which is --max-depth 0");
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    if (json()) {
      try (Json.ArrayWriter array = new Json.ArrayWriter(console().text())) {
        sumUp(session, failures, (path, type, sum) -> printJson(array, path, type, sum));
      }
      return;
    }
    Lines lines = new Lines(console().text());
    sumUp(session, failures, (path, type, sum) -> lines.println(line(path, sum)));
    lines.check();
  }

  private void sumUp(FilesSession session, Failures failures, Printer printer) throws IOException {
    Sum everything = new Sum();
    TreeWalk walk = new TreeWalk(session.files(), failures, true);
    forEach(
        session.files(),
        arguments,
        failures,
        path -> {
          SumVisitor visitor = new SumVisitor(printer);
          walk.walk(requireLink(session.files(), path), visitor);
          everything.add(visitor.open.pop());
        });
    if (total) {
      printer.print(null, "total", everything);
    }
  }

  /** Sums up from below. */
  private final class SumVisitor implements TreeWalk.Visitor {
    private final Printer printer;

    /** The directories above, the nearest first; the last is for the root itself. */
    private final Deque<Sum> open = new ArrayDeque<>(List.of(new Sum()));

    private SumVisitor(Printer printer) {
      this.printer = printer;
    }

    @Override
    public boolean enter(FileStatus directory, int depth) {
      open.push(new Sum());
      return true;
    }

    @Override
    public void file(FileStatus file, int depth) throws IOException {
      Sum one = new Sum();
      if (file.links() < 2 || counted.size() >= MAX_REMEMBERED || counted.add(file.objectId())) {
        one.files = 1;
        one.bytes = file.isFile() ? file.sizeBytes() : 0;
        one.storedBytes = StoredBytes.of(file);
      }
      open.peek().add(one);
      if (depth == 0 || all && depth <= depthShown()) {
        printer.print(file.path().toString(), file.type().name().toLowerCase(Locale.ROOT), one);
      }
    }

    @Override
    public void leave(FileStatus directory, int depth) throws IOException {
      Sum sum = open.pop();
      sum.directories++;
      open.peek().add(sum);
      if (depth <= depthShown()) {
        printer.print(directory.path().toString(), "directory", sum);
      }
    }
  }

  private int depthShown() {
    if (summarize) {
      return 0;
    }
    return maxDepth == null ? TreeWalk.UNLIMITED : maxDepth;
  }

  private String line(String path, Sum sum) {
    return String.format(
        Locale.ROOT,
        "%12s  %12s  %9s  %s",
        size(sum.bytes),
        size(sum.storedBytes),
        human ? ByteText.grouped(sum.files) : Long.toString(sum.files),
        path == null ? "total" : PrintableText.of(path));
  }

  private String size(long bytes) {
    return human ? ByteText.of(bytes) : Long.toString(bytes);
  }

  private static void printJson(Json.ArrayWriter array, String path, String type, Sum sum)
      throws IOException {
    array.add(
        JsonNodeFactory.instance
            .objectNode()
            .put("path", path)
            .put("type", type)
            .put("bytes", sum.bytes)
            .put("storedBytes", sum.storedBytes)
            .put("files", sum.files)
            .put("directories", sum.directories));
  }
}
