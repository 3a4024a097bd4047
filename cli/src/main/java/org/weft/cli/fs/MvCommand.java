package org.weft.cli.fs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives files and directories other names. */
@Command(
    name = "mv",
    description = {
      "Moves files and directories.",
      "They go into DEST if that is a directory, else to that name. Each move is atomic; a file that"
          + " stands at the new name is replaced."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs mv /tmp/a.csv /data/b.csv   another name",
      "  weft fs mv /tmp/a /tmp/b /data      both into /data",
      "  weft fs mv '/tmp/*.csv' /data       all that match"
    })
@JsonFields(
    shape = "an object for each move",
    value = {"from: the old path", "to: the new path"})
final class MvCommand extends PathsOperation {
  @Option(
      names = {"-n", "--no-clobber"},
      description = "Fail where something stands at the new name already.")
  private boolean noClobber;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH... DEST",
      hideParamSyntax = true,
      description = "What to move; then where to.")
  private List<String> arguments;

  @Override
  protected void check() {
    if (arguments.size() < 2) {
      throw wrong("say what to move, and where to");
    }
    checkPaths(sources());
    path(destination());
    if (sources().stream().anyMatch(source -> source.matches("[/.]*"))) {
      throw wrong("/: the root cannot be moved");
    }
  }

  private List<String> sources() {
    return arguments.subList(0, arguments.size() - 1);
  }

  private String destination() {
    return arguments.get(arguments.size() - 1);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    RemoteFiles files = session.files();
    WeftPath destination = path(destination());
    boolean into = files.find(destination).filter(FileStatus::isDirectory).isPresent();
    List<WeftPath> sources = new ArrayList<>();
    for (String source : sources()) {
      sources.addAll(expand(files, source));
    }
    if (sources.size() > 1 && !into) {
      throw new WeftException(
          ErrorCode.NOT_DIRECTORY,
          destination + ": is no directory, and several things cannot get one name");
    }
    for (WeftPath from : sources) {
      if (!failures.stop()) {
        WeftPath to = into ? destination.child(from.name()) : destination;
        attempt(from, failures, source -> move(files, source, to));
      }
    }
  }

  private void move(RemoteFiles files, WeftPath from, WeftPath to) throws IOException {
    if (from.equals(to)) {
      throw new IOException(from + ": is that already; nothing to move");
    }
    if (to.startsWith(from)) {
      throw new IOException(from + ": cannot be moved into itself, to " + to);
    }
    files.rename(from, to, !noClobber);
    report(node -> node.put("from", from.toString()).put("to", to.toString()));
  }
}
