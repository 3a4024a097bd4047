package org.weft.cli.fs;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathPatterns;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.files.WorkOptions;
import org.weft.cli.files.WorkPool;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.Progress;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes files and trees. */
@Command(
    name = "rm",
    description = {
      "Removes files, and with -r directories with all that is in them.",
      "There is no trash. Of a symbolic link the link itself goes."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs rm /tmp/report.pdf      one file",
      "  weft fs rm '/tmp/*.pdf'         all that match",
      "  weft fs rm -r /tmp/photos       a tree",
      "  weft fs rm -f /tmp/maybe        no error if it is not there"
    })
@JsonFields(
    shape = "one object",
    value = {
      "removed: how many files, links and directories",
      "errors: how many failures",
      "failed: true if there were any"
    })
final class RmCommand extends PathsOperation {
  private static final String ROOT_STAYS = "/: the root cannot be removed; name what is in it";

  @Mixin private WorkOptions work;

  @Option(
      names = {"-r", "-R", "--recursive"},
      description = "Remove directories with all that is in them.")
  private boolean recursive;

  @Option(
      names = {"-f", "--force"},
      description = "What is not there is no error.")
  private boolean force;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "What to remove.")
  private List<String> arguments;

  @Override
  protected void check() {
    work.check();
    checkPaths(arguments);
    for (String argument : arguments) {
      if (!PathPatterns.isPattern(argument) && path(argument).isRoot()) {
        throw wrong(ROOT_STAYS);
      }
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    String label = "rm " + (arguments.size() == 1 ? arguments.get(0) : arguments.size() + " paths");
    try (Progress progress = work.progress(session, console(), failures, label);
        WorkPool pool = work.pool(session, failures)) {
      Removal removal = new Removal(session.files(), pool, failures, progress);
      for (String argument : arguments) {
        if (!failures.stop()) {
          removeAll(session.files(), removal, argument, failures);
        }
      }
      pool.await();
      finish(progress, failures, label);
    }
  }

  private void removeAll(RemoteFiles files, Removal removal, String argument, Failures failures) {
    try {
      for (WeftPath path : expand(files, argument)) {
        attempt(path, failures, found -> remove(files, removal, found));
      }
    } catch (IOException | IllegalArgumentException e) {
      boolean absent = e instanceof WeftException rpc && rpc.code() == ErrorCode.NOT_FOUND;
      if (!force || !absent) {
        failures.add(e);
      }
    }
  }

  private void remove(RemoteFiles files, Removal removal, WeftPath path) throws IOException {
    if (path.isRoot()) {
      throw new IllegalArgumentException(ROOT_STAYS);
    }
    Optional<FileStatus> found = files.findLink(path);
    if (found.isEmpty()) {
      if (!force) {
        throw notFound(path);
      }
    } else if (!found.get().isDirectory()) {
      removal.file(path);
    } else if (recursive) {
      removal.tree(path);
    } else {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY, path + ": is a directory; -r removes it with all that is in it");
    }
  }

  private void finish(Progress progress, Failures failures, String label) {
    failures.through(null);
    progress.finish(
        label
            + ": "
            + ByteText.grouped(progress.items())
            + " removed"
            + (failures.any() ? ", " + WorkOptions.count(failures.count(), "error") : ""));
    report(
        node ->
            node.put("removed", progress.items())
                .put("errors", failures.count())
                .put("failed", failures.any()));
  }
}
