package org.weft.cli.fs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Progress;
import org.weft.client.FileStatus;
import org.weft.client.FileType;
import org.weft.client.WeftPath;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies files and trees of the cluster to this machine. */
@Command(
    name = "get",
    description =
        "Copies files and directory trees out of the cluster: into DEST if that is a directory, else"
            + " under that name; into the current directory if there is only one argument. A file that"
            + " stands there is replaced when the copy is complete.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs get /tmp/report.pdf            as ./report.pdf",
      "  weft fs get /tmp/report.pdf copy.pdf   under another name",
      "  weft fs get /tmp/photos .              a tree, as ./photos",
      "  weft fs get /tmp/s.tar - | tar t       to standard output"
    })
final class GetCommand extends TransferCommand {
  private static final String STANDARD_OUTPUT = "-";

  @Option(
      names = {"-n", "--no-clobber"},
      description = "Fail where a file stands at the target already.")
  private boolean noClobber;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH... DEST",
      description = "What to copy; then where to, `-` for standard output.")
  private List<String> arguments;

  @Override
  void check() {
    super.check();
    sources().forEach(this::path);
    if (json() && destination().equals(STANDARD_OUTPUT)) {
      throw wrong("--json: standard output is taken by the file");
    }
  }

  private List<String> sources() {
    return arguments.size() == 1 ? arguments : arguments.subList(0, arguments.size() - 1);
  }

  private String destination() {
    return arguments.size() == 1 ? "." : arguments.get(arguments.size() - 1);
  }

  @Override
  void run(FsConnector.Session session, Failures failures) throws IOException {
    List<String> sources = sources();
    String label = "get " + (sources.size() == 1 ? sources.get(0) : sources.size() + " sources");
    try (Progress progress = progress(session.ticker(), failures, label);
        Cleanup cleanup = new Cleanup();
        WorkPool pool = new WorkPool(session.scheduler(), threads(), failures)) {
      if (destination().equals(STANDARD_OUTPUT)) {
        toStandardOutput(session.files(), sources, progress, failures);
      } else {
        Copying copying = new Copying(session.files(), progress, cleanup, noClobber);
        toFiles(new Work(session.files(), copying, pool, failures, progress), sources);
      }
      pool.await();
      summarize(progress, failures, label);
    }
  }

  /** Where from, and who does it. */
  private record Work(
      RemoteFiles files, Copying copying, WorkPool pool, Failures failures, Progress progress) {}

  private void toStandardOutput(
      RemoteFiles files, List<String> sources, Progress progress, Failures failures)
      throws IOException {
    byte[] buffer = new byte[Copying.BUFFER_BYTES];
    for (String source : sources) {
      try (InputStream input = files.open(path(source))) {
        for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
          console().bytes().write(buffer, 0, count);
          progress.addBytes(count);
        }
        progress.addItem();
      } catch (RpcException e) {
        failures.add(e);
      }
    }
    console().bytes().flush();
  }

  private void toFiles(Work work, List<String> sources) throws IOException {
    Path destination = Path.of(destination());
    boolean into = Files.isDirectory(destination);
    if (!into && (sources.size() > 1 || destination().endsWith("/"))) {
      throw new NotDirectoryException(destination());
    }
    List<FileStatus> found = new ArrayList<>();
    long bytes = 0;
    boolean onlyFiles = true;
    for (String source : sources) {
      WeftPath path = path(source);
      try {
        FileStatus status =
            work.files
                .find(path)
                .orElseThrow(
                    () ->
                        new RpcException(
                            ErrorCode.NOT_FOUND, path + ": no such file or directory"));
        found.add(status);
        bytes += status.sizeBytes();
        onlyFiles &= !status.isDirectory();
      } catch (RpcException e) {
        work.failures.add(e);
      }
    }
    if (onlyFiles) {
      work.progress.expect(bytes, found.size());
    }
    for (FileStatus status : found) {
      Path to = into ? destination.resolve(localName(status.path())) : destination;
      get(work, status, to);
    }
  }

  /** The root has no name: what it holds goes straight into the destination. */
  private static String localName(WeftPath path) {
    return path.isRoot() ? "." : path.name();
  }

  private void get(Work work, FileStatus status, Path to) {
    if (work.failures.stop()) {
      return;
    }
    try {
      if (status.isDirectory()) {
        getTree(work, status.path(), to);
      } else if (status.type() == FileType.SYMLINK) {
        work.failures.add(status.path() + ": skipped: symbolic links are not supported yet");
      } else {
        requirePlace(to);
        work.pool.submit(() -> work.copying.out(status, to));
      }
    } catch (IOException | IllegalArgumentException e) {
      work.failures.add(e);
    }
  }

  private static void requirePlace(Path to) throws IOException {
    Path directory = to.toAbsolutePath().getParent();
    if (!Files.isDirectory(directory)) {
      throw new NoSuchFileException(directory.toString());
    }
    if (Files.isDirectory(to)) {
      throw new FileAlreadyExistsException(to.toString(), null, "a directory stands there");
    }
  }

  private void getTree(Work work, WeftPath directory, Path to) throws IOException {
    // What stands there may be a link to a directory.
    if (!Files.isDirectory(to)) {
      Files.createDirectory(to);
    }
    RemoteFiles.Entries entries = work.files.list(directory);
    for (FileStatus entry = entries.next(); entry != null; entry = entries.next()) {
      get(work, entry, to.resolve(entry.path().name()));
    }
  }
}
