package org.weft.cli.files;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.BiFunction;
import org.weft.cli.fs.FsCommand;
import org.weft.cli.fs.FsCommands;
import org.weft.cli.output.Console;
import org.weft.protocol.system.SystemEnvironment;
import picocli.CommandLine;

/** Runs file commands as a user would, against files in memory. */
public final class CommandRun implements AutoCloseable {
  private final SystemEnvironment system = SystemEnvironment.create();
  private final RemoteFiles files;
  private final BiFunction<Console, FilesConnector, CommandLine> root;
  private byte[] input = new byte[0];
  private boolean terminal;

  /** Commands below {@code fs}. */
  public CommandRun(RemoteFiles files) {
    this(
        files,
        (console, connector) ->
            FsCommands.mountAll(new CommandLine(new FsCommand(console, connector))));
  }

  /** Commands below another one. */
  public CommandRun(RemoteFiles files, BiFunction<Console, FilesConnector, CommandLine> root) {
    this.files = files;
    this.root = root;
  }

  /** What a command said. */
  public record Outcome(int exitCode, byte[] bytes, String err) {
    public String out() {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  public CommandRun input(byte[] bytes) {
    input = bytes;
    return this;
  }

  public CommandRun onTerminal() {
    terminal = true;
    return this;
  }

  public Outcome run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console = Console.of(new ByteArrayInputStream(input), out, err, terminal, 80);
    FilesConnector connector =
        options ->
            new FilesSession(
                files, system.environment().scheduler(), system.environment().ticker(), () -> {});
    int exitCode =
        root.apply(console, connector)
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
