package org.weft.cli.fs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows where symbolic links lead. */
@Command(
    name = "readlink",
    description = "Prints the targets of symbolic links.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs readlink /data/current        its target as it was given",
      "  weft fs readlink -f /data/current/x   the path without any links"
    })
@JsonFields(
    shape = "an object for each path",
    value = {"path: what was asked", "target: where it leads"})
final class ReadlinkCommand extends PathsOperation {
  private static final int MAX_LINKS = 40;

  @Option(
      names = {"-f", "--canonicalize"},
      description = "Follow all links; print the path where that ends.")
  private boolean canonical;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Symbolic links.")
  private List<String> arguments;

  @Override
  protected void check() {
    checkPaths(arguments);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    forEach(session.files(), arguments, failures, path -> show(session.files(), path));
  }

  private void show(RemoteFiles files, WeftPath path) throws IOException {
    String target = canonical ? canonical(files, path).toString() : target(files, path);
    console()
        .text()
        .println(
            json()
                ? Json.line(
                    JsonNodeFactory.instance
                        .objectNode()
                        .put("path", path.toString())
                        .put("target", target))
                : PrintableText.of(target));
  }

  private static String target(RemoteFiles files, WeftPath path) throws IOException {
    return requireLink(files, path)
        .symlinkTarget()
        .orElseThrow(
            () -> new WeftException(ErrorCode.INVALID_ARGUMENT, path + ": is not a symbolic link"));
  }

  private static WeftPath canonical(RemoteFiles files, WeftPath path) throws IOException {
    Deque<String> ahead = new ArrayDeque<>(path.names());
    WeftPath done = WeftPath.ROOT;
    int links = 0;
    while (!ahead.isEmpty()) {
      WeftPath next = done.resolve(ahead.pop());
      FileStatus status = requireLink(files, next);
      if (status.symlinkTarget().isEmpty()) {
        done = next;
        continue;
      }
      if (++links > MAX_LINKS) {
        throw new WeftException(ErrorCode.LOOP, path + ": more than " + MAX_LINKS + " links");
      }
      String target = status.symlinkTarget().get();
      done = target.startsWith("/") ? WeftPath.ROOT : done;
      List<String> names = List.of(target.split("/"));
      for (int index = names.size() - 1; index >= 0; index--) {
        if (!names.get(index).isEmpty()) {
          ahead.push(names.get(index));
        }
      }
    }
    return done;
  }
}
