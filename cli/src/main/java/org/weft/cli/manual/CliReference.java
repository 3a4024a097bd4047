package org.weft.cli.manual;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.JsonFields;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes {@code docs/cli.md} from the commands themselves. */
final class CliReference {
  /** What every file command has; explained once. */
  private static final Set<String> COMMON =
      new TreeSet<>(
          List.of(
              "--cluster",
              "--user",
              "--timeout",
              "--wait",
              "--quiet",
              "--json",
              "--verbose",
              "--help",
              "--version"));

  private final StringBuilder page = new StringBuilder();

  private CliReference() {}

  /**
   * The page as Markdown.
   *
   * @param weft every command
   */
  static String markdown(CommandLine weft) {
    CliReference reference = new CliReference();
    reference.head(weft);
    reference.commands(weft);
    return reference.page.toString();
  }

  private void head(CommandLine weft) {
    page.append(
        """
        # Commands

        This page is made by `weft reference` from the commands themselves; a test compares the two.
        `weft COMMAND --help` says the same in the terminal, `source <(weft completion bash)` (or `zsh`)
        teaches the shell the commands, their options, and paths of the cluster.

        ## Rules for all

        - Paths in the cluster are absolute. Quoted patterns are matched against the cluster: `*`, `?`,
          `[a-z]` and `[!a-z]` in names, `{a,b}` anywhere; `\\` takes the next character as it is. As in a
          shell, a name that begins with a dot wants its dot spelt out. A pattern that matches nothing
          stands for itself, if there is such a file. `--no-glob` takes paths as they are.
        - Sizes are bytes, or numbers with k, m, g or t: powers of 1024.
        - Results go to standard output, failures and progress to standard error. A failure says what to do
          next. With many paths, what fails is named and the rest is done.
        - With `--json` results are JSON: commands that list write one array with an element on each line,
          all others one object on each line. Failures are objects on standard error, one on each line:
          `command`, `error` (a name like `not_found`), `exitCode`, `message`. Fields may be added; those
          listed here stay. Times are ISO 8601 in UTC.
        - A command that a server leaves without a reply for three seconds says on standard error which
          server that is and since when, at most every ten seconds; not with `--quiet` or `--json`. A
          cluster of which no address accepts a connection is given up after two seconds, with code 9.
        - `put` writes under the name `NAME.RANDOM._COPYING_`, `get` under a random one with mode 0600, and
          both rename when all is there: under its own name a file is always whole. What was interrupted is
          done again, or goes on with `-u`. Below the directory that was named, `get` follows no symbolic
          link. Modes that `get` sets are without the bits of the umask, but exact with `-p`.

        ## Exit codes

        | code | meaning |
        | --- | --- |
        """);
    for (ExitCode code : ExitCode.values()) {
      page.append("| ").append(code.number()).append(" | ").append(code.meaning()).append(" |\n");
    }
    page.append(
        """

        Several failures of one kind give its code, of different kinds 1. A command that is interrupted ends
        with 130, or 143 when it is told to end.

        ## Options of all file commands

        | option | meaning |
        | --- | --- |
        """);
    CommandLine ls = weft.getSubcommands().get("fs").getSubcommands().get("ls");
    ls.getCommandSpec().options().stream().filter(CliReference::isCommon).forEach(this::option);
  }

  private static boolean isCommon(OptionSpec option) {
    return COMMON.contains(option.longestName());
  }

  private void commands(CommandLine above) {
    Set<CommandLine> once = new LinkedHashSet<>(above.getSubcommands().values());
    for (CommandLine command : once) {
      CommandSpec spec = command.getCommandSpec();
      if (!spec.usageMessage().hidden() && !spec.helpCommand()) {
        command(spec);
        commands(command);
      }
    }
  }

  private void command(CommandSpec spec) {
    page.append("\n## ").append(spec.qualifiedName(" ")).append("\n\n");
    page.append(String.join(" ", spec.usageMessage().description())).append("\n");
    boolean group = spec.subcommands().values().stream().anyMatch(CliReference::isShown);
    if (!group || !spec.options().stream().allMatch(CliReference::isCommon)) {
      page.append("\n    ").append(synopsis(spec)).append("\n");
      table(spec);
    }
    json(spec);
    examples(spec);
  }

  private static boolean isShown(CommandLine command) {
    return !command.getCommandSpec().helpCommand();
  }

  private static String synopsis(CommandSpec spec) {
    String parameters =
        spec.positionalParameters().stream()
            .filter(parameter -> !parameter.hidden())
            .map(CliReference::label)
            .collect(Collectors.joining(" "));
    return (spec.qualifiedName(" ") + " [OPTIONS] " + parameters).trim();
  }

  private static String label(PositionalParamSpec parameter) {
    boolean several = parameter.arity().max() > 1 && !parameter.hideParamSyntax();
    String label = parameter.paramLabel() + (several ? "..." : "");
    return parameter.arity().min() == 0 ? "[" + label + "]" : label;
  }

  private void table(CommandSpec spec) {
    boolean file = spec.userObject() instanceof FilesOperation;
    List<OptionSpec> options =
        spec.options().stream()
            .filter(option -> !option.hidden())
            .filter(option -> !isHelp(option) && !(file && isCommon(option)))
            .toList();
    if (options.isEmpty() && spec.positionalParameters().isEmpty()) {
      return;
    }
    page.append("\n| | |\n| --- | --- |\n");
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      row(parameter.paramLabel(), parameter);
    }
    options.forEach(this::option);
  }

  private static boolean isHelp(OptionSpec option) {
    return option.usageHelp() || option.versionHelp();
  }

  private void option(OptionSpec option) {
    String names = String.join(", ", option.names());
    boolean flag = option.arity().max() == 0;
    row(flag ? names : names + " " + option.paramLabel(), option);
  }

  private void row(String label, ArgSpec argument) {
    String text = String.join(" ", argument.description());
    String value = argument.defaultValueString();
    page.append("| `")
        .append(label.replace("|", "\\|"))
        .append("` | ")
        .append(text.replace("${DEFAULT-VALUE}", value == null ? "" : value).replace("|", "\\|"))
        .append(" |\n");
  }

  private void json(CommandSpec spec) {
    JsonFields fields = spec.userObject().getClass().getAnnotation(JsonFields.class);
    if (fields != null) {
      page.append("\n`--json` writes ").append(fields.shape()).append(":\n\n");
      Arrays.stream(fields.value())
          .map(field -> field.split(": ", 2))
          .forEach(
              field ->
                  page.append("- `").append(field[0]).append("`: ").append(field[1]).append("\n"));
    }
  }

  private void examples(CommandSpec spec) {
    String[] footer = spec.usageMessage().footer();
    if (footer.length == 0) {
      return;
    }
    page.append('\n');
    for (String line : footer) {
      if (line.isEmpty()) {
        break;
      }
      page.append("    ").append(line.strip()).append('\n');
    }
  }
}
