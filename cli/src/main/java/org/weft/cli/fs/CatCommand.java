package org.weft.cli.fs;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.weft.cli.output.Failures;
import org.weft.protocol.rpc.RpcException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Writes files to standard output. */
@Command(
    name = "cat",
    description = "Writes files to standard output, one after another.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft fs cat /logs/today.log | grep error"})
final class CatCommand extends FsOperation {
  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files to write.")
  private List<String> arguments;

  @Override
  void check() {
    arguments.forEach(this::path);
    if (json()) {
      throw wrong("--json: a file's bytes have no JSON; `weft fs stat --json` describes it");
    }
  }

  @Override
  void run(FsConnector.Session session, Failures failures) throws IOException {
    byte[] buffer = new byte[Copying.BUFFER_BYTES];
    for (String argument : arguments) {
      try (InputStream in = session.files().open(path(argument))) {
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
          console().bytes().write(buffer, 0, count);
        }
      } catch (RpcException e) {
        failures.add(e);
      }
    }
    console().bytes().flush();
  }
}
