package org.weft.cli;

import java.io.PrintWriter;
import org.weft.cli.bench.BenchCommand;
import org.weft.cli.config.ConfigCommand;
import org.weft.cli.config.ConfigException;
import org.weft.cli.daemon.ManagerCommand;
import org.weft.cli.daemon.OsdCommand;
import org.weft.cli.daemon.SysmgrCommand;
import org.weft.cli.demo.DemoCommand;
import org.weft.cli.fs.FsCommand;
import org.weft.cli.quickstart.QuickstartCommand;
import org.weft.cli.status.StatusCommand;
import org.weft.protocol.rpc.RpcException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The root of all commands. Exit codes: 0 done, 1 failed, 2 used wrongly. */
@Command(
    name = "weft",
    description = "A parallel file system for the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = WeftCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      QuickstartCommand.class,
      DemoCommand.class,
      FsCommand.class,
      StatusCommand.class,
      BenchCommand.class,
      SysmgrCommand.class,
      ManagerCommand.class,
      OsdCommand.class,
      ConfigCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft quickstart                    a whole cluster on this machine",
      "  weft fs put report.pdf /tmp/       copy a file in",
      "  weft fs ls /tmp                    see it there",
      "  weft demo                          lose an OSD, read the file all the same",
      "  weft status                        what is up, what is wrong, what to do",
      "",
      "`weft COMMAND --help` explains a command."
    })
public final class WeftCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** The parser with every command mounted. */
  public static CommandLine commandLine() {
    return new CommandLine(new WeftCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(WeftCommand::report);
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "weft: which command?");
  }

  /** What a person can act on gets one line; anything else is a defect and shows its trace. */
  private static int report(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    PrintWriter err = command.getErr();
    if (failure instanceof ConfigException) {
      err.println("weft: " + failure.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
    if (failure instanceof RpcException || failure instanceof CommandFailure) {
      err.println("weft: " + failure.getMessage());
    } else {
      failure.printStackTrace(err);
    }
    return CommandLine.ExitCode.SOFTWARE;
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
