package org.weft.cli.fs;

import java.io.IOException;
import java.util.List;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes directories. */
@Command(
    name = "mkdir",
    description = "Makes directories.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs mkdir /data                 one directory; /data must not be there yet",
      "  weft fs mkdir -p /data/2026/11      with those above it; no error if it is there"
    })
@JsonFields(
    shape = "an object for each directory",
    value = {"made: its path"})
final class MkdirCommand extends FilesOperation {
  @Option(
      names = {"-p", "--parents"},
      description = "Make missing directories above it; one that exists is no error.")
  private boolean parents;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Directories to make.")
  private List<String> arguments;

  @Override
  protected void check() {
    arguments.forEach(this::path);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    for (String argument : arguments) {
      WeftPath path = path(argument);
      try {
        session.files().mkdir(path, WeftFiles.DIRECTORY_MODE, parents);
        report(node -> node.put("made", path.toString()));
      } catch (IOException e) {
        failures.add(e);
      }
    }
  }
}
