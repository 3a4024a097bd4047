package org.weft.cli;

import java.io.PrintWriter;
import java.util.concurrent.CompletionException;
import org.weft.cli.config.ConfigException;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.Console;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The root of all commands; {@link WeftCommands} mounts them, {@link ExitCode} lists the codes. */
@Command(
    name = "weft",
    description = "A parallel file system for the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = WeftCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft quickstart                    a whole cluster on this machine",
      "  weft fs put report.pdf /tmp/       copy a file in",
      "  weft fs ls /tmp                    see it there",
      "  weft layout show /tmp/report.pdf   and on which OSDs",
      "  weft demo                          lose an OSD, read the file all the same",
      "  weft status                        what is up, what is wrong, what to do",
      "",
      "`weft COMMAND --help` explains a command; `weft completion --help` teaches them",
      "to your shell."
    })
public final class WeftCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    CommandLine weft =
        WeftCommands.mountFor(new CommandLine(new WeftCommand()), Console.system(), arguments);
    System.exit(configured(weft).execute(arguments));
  }

  /**
   * Runs a command in this process, on other streams than the process's own.
   *
   * @return its exit code
   */
  public static int run(Console console, String... arguments) {
    CommandLine weft =
        WeftCommands.mountFor(new CommandLine(new WeftCommand()), console, arguments);
    return configured(weft).setOut(console.text()).setErr(console.err()).execute(arguments);
  }

  /** The parser with every command mounted. */
  public static CommandLine commandLine() {
    return configured(WeftCommands.mountAll(new CommandLine(new WeftCommand()), Console.system()));
  }

  /** Settings reach the commands that are mounted. */
  private static CommandLine configured(CommandLine weft) {
    return weft.setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(WrongUsage::report)
        .setExecutionExceptionHandler(WeftCommand::report);
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "weft: which command? `weft --help` lists them");
  }

  /** What a person can act on gets one line; anything else is a defect and shows its trace. */
  private static int report(Exception thrown, CommandLine command, CommandLine.ParseResult parsed) {
    PrintWriter err = command.getErr();
    Exception failure = thrown instanceof CompletionException ? ofFuture(thrown) : thrown;
    if (failure instanceof ConfigException) {
      err.println("weft: " + PrintableText.of(failure.getMessage()));
      return ExitCode.USAGE.number();
    }
    if (failure instanceof WeftException || failure instanceof CommandFailure) {
      err.println("weft: " + PrintableText.of(String.valueOf(failure.getMessage())));
    } else {
      err.print(PrintableText.ofTrace(failure));
      err.flush();
    }
    return ExitCode.of(failure).number();
  }

  /** A reply's failure as it is; a defect keeps the trace of the thread that waited. */
  private static Exception ofFuture(Exception thrown) {
    WeftException failure = WeftException.of(thrown);
    return failure.code() == ErrorCode.INTERNAL ? thrown : failure;
  }

  /** Says which release this is. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = WeftCommand.class.getPackage().getImplementationVersion();
      return new String[] {
        "weft " + (version == null ? "development" : version),
        "Java " + System.getProperty("java.version")
      };
    }
  }
}
