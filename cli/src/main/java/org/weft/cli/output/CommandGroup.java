package org.weft.cli.output;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups the commands below it. */
public abstract class CommandGroup implements Runnable {
  @Spec private CommandSpec spec;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help and ends.")
  private boolean help;

  /** The commands below it, for a user who names none: "add, list or remove". */
  protected String choices() {
    List<String> names =
        spec.subcommands().values().stream()
            .map(CommandLine::getCommandName)
            .distinct()
            .filter(name -> !name.equals("help"))
            .toList();
    int last = names.size() - 1;
    return last == 0
        ? names.get(0)
        : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
  }

  @Override
  public final void run() {
    throw new ParameterException(
        spec.commandLine(),
        "weft "
            + spec.qualifiedName().replaceFirst("^weft ", "")
            + ": which command? "
            + choices());
  }
}
