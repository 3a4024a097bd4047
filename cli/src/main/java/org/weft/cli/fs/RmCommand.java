package org.weft.cli.fs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.Progress;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes files and trees. */
@Command(
    name = "rm",
    description =
        "Removes files, and with -r directories with all that is in them. There is no trash.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs rm /tmp/report.pdf      one file",
      "  weft fs rm -r /tmp/photos       a tree",
      "  weft fs rm -f /tmp/maybe        no error if it is not there"
    })
final class RmCommand extends TransferCommand {
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
  void check() {
    super.check();
    for (String argument : arguments) {
      if (path(argument).isRoot()) {
        throw wrong("/: the root cannot be removed; name what is in it");
      }
    }
  }

  @Override
  void run(FsConnector.Session session, Failures failures) throws IOException {
    String label = "rm " + (arguments.size() == 1 ? arguments.get(0) : arguments.size() + " paths");
    try (Progress progress = progress(session.ticker(), failures, label);
        WorkPool pool = new WorkPool(session.scheduler(), threads(), failures)) {
      Removal removal = new Removal(session.files(), pool, failures, progress);
      for (String argument : arguments) {
        if (!failures.stop()) {
          try {
            remove(session.files(), removal, path(argument));
          } catch (IOException e) {
            failures.add(e);
          }
        }
      }
      pool.await();
      finish(progress, failures, label);
    }
  }

  private void remove(RemoteFiles files, Removal removal, WeftPath path) throws IOException {
    Optional<FileStatus> found = files.find(path);
    if (found.isEmpty()) {
      if (!force) {
        throw new RpcException(ErrorCode.NOT_FOUND, path + ": no such file or directory");
      }
    } else if (!found.get().isDirectory()) {
      removal.file(path);
    } else if (recursive) {
      removal.tree(path);
    } else {
      throw new RpcException(
          ErrorCode.IS_DIRECTORY, path + ": is a directory; -r removes it with all that is in it");
    }
  }

  private void finish(Progress progress, Failures failures, String label) {
    failures.through(null);
    progress.finish(label + ": " + ByteText.grouped(progress.items()) + " removed");
    if (json()) {
      console()
          .text()
          .println(
              Json.line(
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("removed", progress.items())
                      .put("failed", failures.any())));
    }
  }
}
