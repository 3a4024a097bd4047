package org.weft.cli.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.files.TreeWalk;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies files and trees of the cluster to this machine. */
@Command(
    name = "get",
    description = {
      "Copies files and directory trees out of the cluster.",
      "They go into DEST if that is a directory, else under that name; into the current directory if"
          + " there is only one argument. A file that stands there is replaced when the copy is"
          + " complete. Symbolic links that are named are followed, those in trees are copied as links."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs get /tmp/report.pdf            as ./report.pdf",
      "  weft fs get /tmp/report.pdf copy.pdf   under another name",
      "  weft fs get '/tmp/*.pdf' docs/         all that match",
      "  weft fs get -p -u /tmp/photos .        a tree, with times; what is there already stays",
      "  weft fs get /tmp/s.tar - | tar t       to standard output"
    })
@JsonFields(
    shape = "one object",
    value = {
      "files: files and links copied",
      "bytes: moved",
      "skipped: there already (-u)",
      "seconds: how long it took",
      "errors: how many failures",
      "failed: true if there were any"
    })
public final class GetCommand extends TransferCommand {
  private static final String STANDARD_OUTPUT = "-";

  @Option(names = "--sparse", description = "Leave holes where a file has blocks of zeros.")
  private boolean sparse;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH... DEST",
      hideParamSyntax = true,
      description = "What to copy; then where to, `-` for standard output.")
  private List<String> arguments;

  @Override
  protected void check() {
    super.check();
    checkPaths(sources());
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
  protected void run(FilesSession session, Failures failures) throws IOException {
    List<FileStatus> found = new ArrayList<>();
    forEach(
        session.files(), sources(), failures, path -> found.add(require(session.files(), path)));
    boolean out = destination().equals(STANDARD_OUTPUT);
    boolean into = !out && Files.isDirectory(Path.of(destination()));
    if (!out && !into && (found.size() > 1 || destination().endsWith("/"))) {
      throw new NotDirectoryException(destination());
    }
    String label = "get " + (found.size() == 1 ? found.get(0).path() : found.size() + " sources");
    transfer(
        session,
        failures,
        label,
        options(sparse),
        ahead -> count(session.files(), found, ahead),
        transfer -> {
          for (FileStatus status : found) {
            if (out) {
              attempt(status.path(), failures, path -> copyOut(transfer, path));
            } else {
              attempt(status.path(), failures, path -> get(transfer, status, into));
            }
          }
        });
    console().bytes().flush();
  }

  private void copyOut(Transfer transfer, WeftPath path) throws IOException {
    try (InputStream input = transfer.files().open(path)) {
      Pump.run(input, console().bytes(), transfer.progress());
    }
    transfer.progress().addItem();
  }

  private void get(Transfer transfer, FileStatus status, boolean into) throws IOException {
    Path destination = Path.of(destination());
    // The root has no name: what it holds goes straight into the destination.
    boolean below = into && !status.path().isRoot();
    Path to = below ? destination.resolve(status.path().name()) : destination;
    new RemoteTree(transfer, cluster().umask()).get(status, to, !below);
  }

  private static void count(RemoteFiles files, List<FileStatus> found, LookAhead ahead)
      throws IOException {
    // The copying meets the same failures, and says so.
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Failures unheard = new Failures("get", nowhere, false, false);
    TreeWalk.Visitor counter =
        new TreeWalk.Visitor() {
          @Override
          public boolean enter(FileStatus directory, int depth) {
            return !ahead.unwanted();
          }

          @Override
          public void file(FileStatus file, int depth) throws IOException {
            ahead.file(file.sizeBytes());
            if (ahead.unwanted()) {
              throw new IOException("the count is not wanted any more");
            }
          }
        };
    for (FileStatus status : found) {
      new TreeWalk(files, unheard, true).walk(status, counter);
    }
  }
}
