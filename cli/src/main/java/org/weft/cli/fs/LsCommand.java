package org.weft.cli.fs;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists files and directories. */
@Command(
    name = "ls",
    description =
        "Lists directories, and files that are named: mode, code (data + parity units), owner, group,"
            + " size in bytes, time of the last change, path. Sorted by name; a directory of more than"
            + " 10,000 entries is listed as the entries arrive.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs ls /              what the root holds",
      "  weft fs ls -R -h /tmp     with all below it, sizes for people",
      "  weft fs ls -C /tmp        paths only, for scripts"
    })
final class LsCommand extends FsOperation {
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

  @Option(
      names = {"-C", "--paths-only"},
      description = "Paths only, one on each line.")
  private boolean pathsOnly;

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
  void check() {
    arguments.forEach(this::path);
  }

  @Override
  void run(FsConnector.Session session, Failures failures) throws IOException {
    PrintWriter out = console().text();
    if (json()) {
      try (Json.ArrayWriter array = new Json.ArrayWriter(out)) {
        listAll(
            session.files(),
            failures,
            statuses -> statuses.forEach(status -> array.add(StatusJson.brief(status))));
      }
      return;
    }
    LsFormat format = new LsFormat(human, ZoneId.systemDefault());
    listAll(session.files(), failures, statuses -> printLines(out, format, statuses));
  }

  private void printLines(PrintWriter out, LsFormat format, List<FileStatus> statuses)
      throws IOException {
    format.fit(statuses);
    for (FileStatus status : statuses) {
      out.println(pathsOnly ? LsFormat.printable(status.path().toString()) : format.line(status));
    }
    if (out.checkError()) {
      throw new IOException("Broken pipe");
    }
  }

  private void listAll(RemoteFiles files, Failures failures, Printer printer) throws IOException {
    for (String argument : arguments) {
      try {
        list(files, path(argument), failures, printer);
      } catch (RpcException e) {
        failures.add(e);
      }
    }
  }

  private void list(RemoteFiles files, WeftPath path, Failures failures, Printer printer)
      throws IOException {
    FileStatus status =
        files
            .find(path)
            .orElseThrow(
                () -> new RpcException(ErrorCode.NOT_FOUND, path + ": no such file or directory"));
    if (directoryItself || !status.isDirectory()) {
      printer.print(List.of(status));
    } else {
      listDirectory(files, path, failures, printer);
    }
  }

  private void listDirectory(
      RemoteFiles files, WeftPath directory, Failures failures, Printer printer)
      throws IOException {
    RemoteFiles.Entries entries = files.list(directory);
    List<FileStatus> batch = new ArrayList<>();
    boolean sorted = true;
    for (FileStatus next = entries.next(); next != null; next = entries.next()) {
      batch.add(next);
      if (batch.size() >= SORTED_ENTRIES) {
        sorted = false;
        print(files, batch, false, failures, printer);
        batch.clear();
      }
    }
    print(files, batch, sorted, failures, printer);
  }

  private void print(
      RemoteFiles files, List<FileStatus> batch, boolean sorted, Failures failures, Printer printer)
      throws IOException {
    if (sorted) {
      batch.sort(Comparator.comparing(FileStatus::path));
    }
    if (!recursive) {
      printer.print(batch);
      return;
    }
    for (FileStatus status : batch) {
      printer.print(List.of(status));
      if (status.isDirectory()) {
        try {
          listDirectory(files, status.path(), failures, printer);
        } catch (RpcException e) {
          failures.add(e);
        }
      }
    }
  }
}
