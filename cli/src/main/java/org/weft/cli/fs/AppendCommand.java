package org.weft.cli.fs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.CreateOptions;
import org.weft.client.WeftPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes behind the end of a file. */
@Command(
    name = "append",
    description = {
      "Writes behind the end of a file.",
      "What is written comes from files of this machine or from standard input. The file is made if there"
          + " is none. Others see the new length when all is written."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  echo done | weft fs append /logs/today.log",
      "  weft fs append part1 part2 /data/all",
      "  weft fs append - /data/all < part3"
    })
@JsonFields(
    shape = "one object",
    value = {"path: the file", "appended: bytes", "created: true if it was not there"})
final class AppendCommand extends FilesOperation {
  private static final String STANDARD_INPUT = "-";
  private static final int BUFFER_BYTES = 1 << 20;

  @Option(
      names = {"-c", "--no-create"},
      description = "Fail if there is no such file.")
  private boolean noCreate;

  @Parameters(
      arity = "1..*",
      paramLabel = "LOCAL... PATH",
      hideParamSyntax = true,
      description = "What to append, `-` or nothing for standard input; then the file.")
  private List<String> arguments;

  @Override
  protected void check() {
    path(arguments.get(arguments.size() - 1));
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    WeftPath path = path(arguments.get(arguments.size() - 1));
    List<String> sources =
        arguments.size() == 1
            ? List.of(STANDARD_INPUT)
            : arguments.subList(0, arguments.size() - 1);
    for (String source : sources) {
      // Before anything is written.
      if (!source.equals(STANDARD_INPUT) && !Files.isRegularFile(Path.of(source))) {
        throw new NoSuchFileException(source);
      }
    }
    boolean create = session.files().find(path).isEmpty();
    if (create && noCreate) {
      throw notFound(path);
    }
    long appended = append(session.files(), path, create, sources);
    report(
        node -> node.put("path", path.toString()).put("appended", appended).put("created", create));
  }

  private long append(RemoteFiles files, WeftPath path, boolean create, List<String> sources)
      throws IOException {
    RemoteFiles.Output output =
        create ? files.create(path, CreateOptions.DEFAULT_MODE, false) : files.append(path);
    try {
      long appended = 0;
      byte[] buffer = new byte[BUFFER_BYTES];
      for (String source : sources) {
        try (InputStream input = open(source)) {
          for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
            output.write(buffer, 0, count);
            appended += count;
          }
        }
      }
      output.close();
      return appended;
    } catch (IOException e) {
      try {
        output.abort();
      } catch (IOException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  private InputStream open(String source) throws IOException {
    return source.equals(STANDARD_INPUT) ? console().in() : Files.newInputStream(Path.of(source));
  }
}
