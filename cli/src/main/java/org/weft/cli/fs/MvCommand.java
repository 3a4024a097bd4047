package org.weft.cli.fs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives files and directories other names. */
@Command(
    name = "mv",
    description =
        "Moves files and directories: into DEST if that is a directory, else to that name. Each move"
            + " is atomic; a file that stands at the new name is replaced.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs mv /tmp/a.csv /data/b.csv   another name",
      "  weft fs mv /tmp/a /tmp/b /data      both into /data"
    })
final class MvCommand extends FsOperation {
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
  void check() {
    if (arguments.size() < 2) {
      throw wrong("say what to move, and where to");
    }
    for (String argument : arguments) {
      if (path(argument).isRoot() && !argument.equals(arguments.get(arguments.size() - 1))) {
        throw wrong("/: the root cannot be moved");
      }
    }
  }

  @Override
  void run(FsConnector.Session session, Failures failures) throws IOException {
    List<String> sources = arguments.subList(0, arguments.size() - 1);
    WeftPath destination = path(arguments.get(arguments.size() - 1));
    Optional<FileStatus> found = session.files().find(destination);
    boolean into = found.isPresent() && found.get().isDirectory();
    if (sources.size() > 1 && !into) {
      failures.add(destination + ": is no directory, and several things cannot get one name");
      return;
    }
    for (String source : sources) {
      WeftPath from = path(source);
      WeftPath to = into ? destination.child(from.name()) : destination;
      try {
        move(session.files(), from, to);
      } catch (IOException e) {
        failures.add(e);
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
    if (json()) {
      console()
          .text()
          .println(
              Json.line(
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("from", from.toString())
                      .put("to", to.toString())));
    }
  }
}
