package org.weft.cli.fs;

import java.io.IOException;
import java.util.Optional;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Answers a question about a path by its exit code. */
@Command(
    name = "test",
    description = {
      "Says by the exit code whether something holds of a path.",
      "0 if it is so, 1 if not, more if it could not be found out. Symbolic links are followed, except"
          + " with -L."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs test -e /data/_SUCCESS && echo complete",
      "  weft fs test -d /data || weft fs mkdir /data"
    })
@JsonFields(
    shape = "one object",
    value = {"path: what was asked about", "result: true or false"})
final class TestCommand extends FilesOperation {
  @ArgGroup(multiplicity = "1")
  private Question question;

  @Parameters(paramLabel = "PATH", description = "What it is about.")
  private String argument;

  private ExitCode answer = ExitCode.OK;

  /** A single test. */
  private static final class Question {
    @Option(names = "-e", description = "Is it there?")
    private boolean exists;

    @Option(names = "-f", description = "Is it a file?")
    private boolean file;

    @Option(names = "-d", description = "Is it a directory?")
    private boolean directory;

    @Option(
        names = {"-L", "-h"},
        description = "Is it a symbolic link?")
    private boolean link;

    @Option(names = "-z", description = "Is it a file without a byte?")
    private boolean empty;

    @Option(names = "-s", description = "Is it a file with bytes in it?")
    private boolean filled;

    private boolean holdsFor(FileStatus status) {
      return exists
          || file && status.isFile()
          || directory && status.isDirectory()
          || link && status.isSymlink()
          || empty && status.isFile() && status.sizeBytes() == 0
          || filled && status.isFile() && status.sizeBytes() > 0;
    }
  }

  @Override
  protected void check() {
    path(argument);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    WeftPath path = path(argument);
    boolean holds = find(session, path).filter(question::holdsFor).isPresent();
    answer = holds ? ExitCode.OK : ExitCode.FAILURE;
    report(node -> node.put("path", path.toString()).put("result", holds));
  }

  private Optional<FileStatus> find(FilesSession session, WeftPath path) throws IOException {
    try {
      return question.link ? session.files().findLink(path) : session.files().find(path);
    } catch (WeftException e) {
      // Below a file there is nothing; a loop of links leads nowhere.
      if (e.code().leadsNowhere() || e.code() == ErrorCode.LOOP) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  protected ExitCode success() {
    return answer;
  }
}
