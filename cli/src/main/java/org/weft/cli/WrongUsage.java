package org.weft.cli;

import java.io.PrintWriter;
import java.util.List;
import org.weft.cli.output.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The text that a user reads after a wrong use of a command: what is wrong, and where to read on.
 */
final class WrongUsage {
  private static final String WEFT = "weft";

  private WrongUsage() {}

  static int report(ParameterException failure, String[] arguments) {
    CommandLine command = failure.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName(" ");
    String message = String.valueOf(failure.getMessage());
    // What the commands themselves refuse says already which one it is.
    err.println(message.startsWith(WEFT + ":") ? message : name + ": " + message);
    if (failure instanceof UnmatchedArgumentException unmatched) {
      List<String> nearest = unmatched.getSuggestions();
      if (!nearest.isEmpty()) {
        err.println("  did you mean " + String.join(" or ", nearest) + "?");
      }
    }
    err.println("  `" + name + " --help` explains it");
    return ExitCode.USAGE.number();
  }
}
