package org.weft.cli.files;

import java.io.IOException;
import java.util.List;
import org.weft.cli.output.Failures;
import org.weft.client.WeftPath;
import picocli.CommandLine.Option;

/** A command on any number of paths, in which patterns stand for matching files in the cluster. */
public abstract class PathsOperation extends FilesOperation {
  @Option(
      names = "--no-glob",
      description = "Take * ? [ ] { } in paths as they are, not as patterns.")
  private boolean literal;

  /** The work on one path. */
  @FunctionalInterface
  protected interface Action {
    void on(WeftPath path) throws IOException;
  }

  /** Refuses paths that cannot be. */
  protected final void checkPaths(List<String> arguments) {
    for (String argument : arguments) {
      if (literal || !PathPatterns.isPattern(argument)) {
        path(argument);
      } else if (!argument.startsWith("/")) {
        throw wrong(argument + ": a path must begin with '/'");
      }
    }
  }

  /** The paths that the arguments stand for; an argument that stands for none is a failure. */
  protected final List<WeftPath> expand(RemoteFiles files, String argument) throws IOException {
    return literal ? List.of(path(argument)) : PathPatterns.expand(files, argument);
  }

  /** Each path in turn; a failure with one does not keep the others waiting. */
  protected final void forEach(
      RemoteFiles files, List<String> arguments, Failures failures, Action action)
      throws IOException {
    for (String argument : arguments) {
      for (WeftPath path : expandOrFail(files, argument, failures)) {
        if (failures.stop()) {
          return;
        }
        attempt(path, failures, action);
      }
    }
  }

  private List<WeftPath> expandOrFail(RemoteFiles files, String argument, Failures failures) {
    try {
      return expand(files, argument);
    } catch (IOException | IllegalArgumentException e) {
      failures.add(e);
      return List.of();
    }
  }

  /** Failures other than a reader that has gone are noted. */
  protected static void attempt(WeftPath path, Failures failures, Action action)
      throws IOException {
    try {
      action.on(path);
    } catch (IllegalArgumentException e) {
      failures.add(e);
    } catch (IOException e) {
      if (isBrokenPipe(e)) {
        throw e;
      }
      failures.add(e);
    }
  }
}
