package org.weft.cli.fs;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.cli.transfer.TemporaryName;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives files further names. */
@Command(
    name = "ln",
    description = {
      "Gives a file another name, or makes a symbolic link.",
      "The new name is LINK, or below it the target's own name if LINK is a directory."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs ln /data/a.csv /data/b.csv        two names, one file",
      "  weft fs ln -s 2026-11-21 /data/current    a name that leads to its neighbour",
      "  weft fs ln -s -f 2026-11-22 /data/current to another one, at once",
    })
@JsonFields(
    shape = "an object for each link",
    value = {"path: the new name", "target: what it leads to", "symbolic: true or false"})
final class LnCommand extends FilesOperation {
  @Option(
      names = {"-s", "--symbolic"},
      description = "A symbolic link: TARGET is kept as it is, relative to the link's directory.")
  private boolean symbolic;

  @Option(
      names = {"-f", "--force"},
      description = "Replace a file or link that stands there, atomically.")
  private boolean force;

  @Option(
      names = {"-n", "--no-dereference"},
      description = "LINK is to be replaced even if it is a link to a directory.")
  private boolean noFollow;

  @Parameters(
      arity = "2..*",
      paramLabel = "TARGET... LINK",
      hideParamSyntax = true,
      description = "What to lead to; then the name.")
  private List<String> arguments;

  @Override
  protected void check() {
    path(arguments.get(arguments.size() - 1));
    if (!symbolic) {
      arguments.forEach(this::path);
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    RemoteFiles files = session.files();
    WeftPath place = path(arguments.get(arguments.size() - 1));
    Optional<FileStatus> there = noFollow ? files.findLink(place) : files.find(place);
    boolean into = there.filter(FileStatus::isDirectory).isPresent();
    List<String> targets = arguments.subList(0, arguments.size() - 1);
    if (targets.size() > 1 && !into) {
      throw new WeftException(
          ErrorCode.NOT_DIRECTORY, place + ": is no directory to make several links in");
    }
    for (String target : targets) {
      try {
        link(files, target, into ? place.child(nameOf(target)) : place);
      } catch (IOException | IllegalArgumentException e) {
        failures.add(e);
      }
    }
  }

  private static String nameOf(String target) {
    String trimmed = target.replaceFirst("/+$", "");
    return trimmed.substring(trimmed.lastIndexOf('/') + 1);
  }

  private void link(RemoteFiles files, String target, WeftPath place) throws IOException {
    Optional<FileStatus> there = force ? files.findLink(place) : Optional.empty();
    if (there.isEmpty()) {
      make(files, target, place);
    } else {
      replace(files, target, there.get());
    }
    report(
        node -> node.put("path", place.toString()).put("target", target).put("symbolic", symbolic));
  }

  private void make(RemoteFiles files, String target, WeftPath place) throws IOException {
    var unused = symbolic ? files.symlink(target, place) : files.link(WeftPath.of(target), place);
  }

  private void replace(RemoteFiles files, String target, FileStatus there) throws IOException {
    WeftPath place = there.path();
    if (there.isDirectory()) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, place + ": is a directory; remove it first");
    }
    if (!symbolic && requireLink(files, WeftPath.of(target)).objectId() == there.objectId()) {
      // Two names of one file already: renaming one to the other would do nothing.
      return;
    }
    WeftPath temporary = place.parent().orElseThrow().child(TemporaryName.of(place.name()));
    make(files, target, temporary);
    try {
      files.rename(temporary, place, true);
    } catch (IOException e) {
      try {
        files.unlink(temporary);
      } catch (IOException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }
}
