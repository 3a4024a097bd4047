package org.weft.cli.manual;

import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weft reference}: the page of all commands. */
@Command(
    name = "reference",
    hidden = true,
    description = "Prints every command with its options as Markdown: docs/cli.md.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {"  weft reference > docs/cli.md"})
public final class ReferenceCommand implements Runnable {
  private final Supplier<CommandLine> weft;

  @Spec private CommandSpec spec;

  /**
   * @param weft makes the parser of every command
   */
  public ReferenceCommand(Supplier<CommandLine> weft) {
    this.weft = weft;
  }

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(CliReference.markdown(weft.get()));
    out.flush();
  }
}
