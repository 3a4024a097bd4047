package org.weft.cli.fs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.weft.cli.output.Console;
import org.weft.protocol.system.SystemEnvironment;
import picocli.CommandLine;

/** Runs file commands as a user would, against files in memory. */
final class CommandRun implements AutoCloseable {
  private final SystemEnvironment system = SystemEnvironment.create();
  private final MemoryFiles files;
  private byte[] input = new byte[0];
  private boolean terminal;

  CommandRun(MemoryFiles files) {
    this.files = files;
  }

  /** What a command said. */
  record Outcome(int exitCode, byte[] bytes, String err) {
    String out() {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  CommandRun input(byte[] bytes) {
    input = bytes;
    return this;
  }

  CommandRun onTerminal() {
    terminal = true;
    return this;
  }

  Outcome run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console = Console.of(new ByteArrayInputStream(input), out, err, terminal, 80);
    FsConnector connector =
        options ->
            new FsConnector.Session(
                files, system.environment().scheduler(), system.environment().ticker(), () -> {});
    int exitCode =
        new CommandLine(new FsCommand(console, connector))
            .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
            .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
            .execute(arguments);
    return new Outcome(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    system.close();
  }
}
