package org.weft.cli.manual;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft completion}: a script that teaches a shell the commands, options and paths. */
@Command(
    name = "completion",
    description =
        "Prints a script by which bash or zsh completes commands, options, and paths of the cluster.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(weft completion bash)       for this shell; or in ~/.bashrc",
      "  source <(weft completion zsh)        the same in zsh; or in ~/.zshrc"
    })
public final class CompletionCommand implements Runnable {
  /** Shells that are known. */
  enum Shell {
    BASH,
    ZSH
  }

  private final Supplier<CommandLine> weft;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "bash|zsh", description = "The shell.")
  private Shell shell;

  /**
   * @param weft makes the parser of every command
   */
  public CompletionCommand(Supplier<CommandLine> weft) {
    this.weft = weft;
  }

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(script(shell, weft.get()));
    out.flush();
  }

  static String script(Shell shell, CommandLine all) {
    String generated = AutoComplete.bash("weft", all);
    // zsh reads bash's completion by an emulation that the generated script switches on.
    String head = shell == Shell.ZSH ? "autoload -U +X compinit && compinit -u\n" : "";
    return head + generated + "\n" + paths();
  }

  private static String paths() {
    try (InputStream script = CompletionCommand.class.getResourceAsStream("completion.sh")) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
