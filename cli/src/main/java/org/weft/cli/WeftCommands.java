package org.weft.cli;

import java.util.List;
import org.weft.cli.balance.BalanceCommand;
import org.weft.cli.bench.BenchCommand;
import org.weft.cli.bladeset.BladeSetCommand;
import org.weft.cli.config.ConfigCommand;
import org.weft.cli.daemon.ManagerCommand;
import org.weft.cli.daemon.NfsCommand;
import org.weft.cli.daemon.OsdCommand;
import org.weft.cli.daemon.SysmgrCommand;
import org.weft.cli.demo.DemoCommand;
import org.weft.cli.events.EventsCommand;
import org.weft.cli.fs.FsCommand;
import org.weft.cli.fs.FsCommands;
import org.weft.cli.layout.LayoutCommand;
import org.weft.cli.lock.LockCommand;
import org.weft.cli.manual.CompletionCommand;
import org.weft.cli.manual.ReferenceCommand;
import org.weft.cli.output.Console;
import org.weft.cli.quickstart.PrepareCommand;
import org.weft.cli.quickstart.QuickstartCommand;
import org.weft.cli.quota.QuotaCommand;
import org.weft.cli.repair.RepairCommand;
import org.weft.cli.status.StatusCommand;
import org.weft.cli.volume.VolumeCommand;
import picocli.CommandLine;

/**
 * The commands below {@code weft} by their names. A class is loaded when its command is mounted: a
 * command line that names one does not pay for the others.
 */
final class WeftCommands {
  private static final String FS = "fs";

  /** In the order of the help. */
  private static final List<String> NAMES =
      List.of(
          "quickstart",
          "demo",
          FS,
          "layout",
          "lock",
          "quota",
          "volume",
          "balance",
          "repair",
          "bladeset",
          "status",
          "events",
          "bench",
          "sysmgr",
          "manager",
          "osd",
          "nfs",
          "config",
          "prepare",
          "completion",
          "reference");

  private WeftCommands() {}

  /** Everything, as help and completion want it. */
  static CommandLine mountAll(CommandLine weft, Console console) {
    for (String name : NAMES) {
      if (name.equals(FS)) {
        weft.addSubcommand(FsCommands.mountAll(new CommandLine(new FsCommand(console))));
      } else {
        weft.addSubcommand(command(name, console));
      }
    }
    return weft.addSubcommand(new CommandLine.HelpCommand());
  }

  /** What this command line needs; everything, if it names no command. */
  static CommandLine mountFor(CommandLine weft, Console console, String... arguments) {
    String first = arguments.length > 0 ? arguments[0] : "";
    if (!NAMES.contains(first)) {
      return mountAll(weft, console);
    }
    if (!first.equals(FS)) {
      return weft.addSubcommand(command(first, console));
    }
    CommandLine fs = new CommandLine(new FsCommand(console));
    String second = arguments.length > 1 ? arguments[1] : "";
    return weft.addSubcommand(
        FsCommands.names().contains(second)
            ? FsCommands.mount(fs, second)
            : FsCommands.mountAll(fs));
  }

  private static Object command(String name, Console console) {
    return switch (name) {
      case "quickstart" -> new QuickstartCommand();
      case "demo" -> new DemoCommand();
      case "layout" -> new LayoutCommand(console);
      case "lock" -> new LockCommand(console);
      case "quota" -> new QuotaCommand(console);
      case "volume" -> new VolumeCommand(console);
      case "balance" -> new BalanceCommand();
      case "repair" -> new RepairCommand();
      case "bladeset" -> new BladeSetCommand();
      case "status" -> new StatusCommand();
      case "events" -> new EventsCommand();
      case "bench" -> new BenchCommand();
      case "sysmgr" -> new SysmgrCommand();
      case "manager" -> new ManagerCommand();
      case "osd" -> new OsdCommand();
      case "nfs" -> new NfsCommand();
      case "config" -> new ConfigCommand();
      case "prepare" -> new PrepareCommand(WeftCommand::commandLine);
      case "completion" -> new CompletionCommand(WeftCommand::commandLine);
      case "reference" -> new ReferenceCommand(WeftCommand::commandLine);
      default -> throw new IllegalArgumentException("no command " + name + " below weft");
    };
  }
}
