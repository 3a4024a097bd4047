package org.weft.cli.fs;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.output.Failures;
import org.weft.client.WeftPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Writes files to standard output. */
@Command(
    name = "cat",
    description = "Writes files to standard output, one after another.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs cat /logs/today.log | grep error",
      "  weft fs cat '/logs/2026-11-*.log' > november.log"
    })
final class CatCommand extends PathsOperation {
  private static final int BUFFER_BYTES = 1 << 20;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files to write.")
  private List<String> arguments;

  @Override
  protected void check() {
    checkPaths(arguments);
    if (json()) {
      throw wrong("--json: a file's bytes have no JSON; `weft fs stat --json` describes it");
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    forEach(session.files(), arguments, failures, path -> copy(session, path, buffer));
    console().bytes().flush();
  }

  private void copy(FilesSession session, WeftPath path, byte[] buffer) throws IOException {
    try (InputStream in = session.files().open(path)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        console().bytes().write(buffer, 0, count);
      }
    }
  }
}
