package org.weft.cli.files;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Console;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.Lines;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all file commands have in common: their options, their session, how failures are shown. */
public abstract class FilesOperation implements Callable<Integer> {
  private static final Pattern ABOVE = Pattern.compile("^(weft )?(fs )?");

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Write JSON for programs; failures too.")
  private boolean json;

  @Option(names = "--verbose", description = "Show the stack of a failure too.")
  private boolean verbose;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /** Does the work; what goes wrong with one of many things goes into the failures. */
  protected abstract void run(FilesSession session, Failures failures) throws IOException;

  /**
   * Looks at the arguments before anything is connected; an {@link IllegalArgumentException} is
   * wrong usage.
   */
  protected void check() {}

  /** False: it opens no session with the cluster's files. */
  protected boolean isOnFiles() {
    return true;
  }

  /** Does the work of a command that is not {@link #isOnFiles}. */
  protected void runWithoutFiles(Failures failures) throws IOException {
    throw new IllegalStateException(name() + " works on files alone");
  }

  /** The exit code of a command that went well. */
  protected ExitCode success() {
    return ExitCode.OK;
  }

  @Override
  public final Integer call() {
    try {
      check();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
    Console console = console();
    Failures failures = new Failures(name(), console.err(), verbose, json);
    cluster.noticesTo(failures::notice);
    try {
      if (isOnFiles()) {
        try (FilesSession session = host().connector().connect(cluster)) {
          run(session, failures);
        }
      } else {
        runWithoutFiles(failures);
      }
    } catch (IOException | IllegalArgumentException e) {
      if (isBrokenPipe(e)) {
        return ExitCode.FAILURE.number();
      }
      failures.add(e);
    } finally {
      console.text().flush();
    }
    return (failures.any() ? failures.exitCode() : success()).number();
  }

  /** The output is not read any more: there is nothing left to do or to say. */
  static boolean isBrokenPipe(Exception failure) {
    return Lines.BROKEN_PIPE.equals(failure.getMessage());
  }

  private FilesHost host() {
    for (CommandSpec above = spec; above != null; above = above.parent()) {
      if (above.userObject() instanceof FilesHost host) {
        return host;
      }
    }
    throw new IllegalStateException(spec.qualifiedName() + " has no host above it");
  }

  /** "ls", "xattr get", "layout show". */
  private String name() {
    return ABOVE.matcher(spec.qualifiedName(" ")).replaceFirst("");
  }

  protected final Console console() {
    return host().console();
  }

  protected final ClusterOptions cluster() {
    return cluster;
  }

  protected final boolean json() {
    return json;
  }

  /** With {@code --json}, says what was done, on one line. */
  protected final void report(Consumer<ObjectNode> fields) {
    if (json) {
      ObjectNode node = JsonNodeFactory.instance.objectNode();
      fields.accept(node);
      console().text().println(Json.line(node));
    }
  }

  /** A path of the cluster; one that cannot be is wrong usage. */
  protected final WeftPath path(String text) {
    try {
      return WeftPath.of(text);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  protected final ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), "weft: " + name() + ": " + message);
  }

  /** NOT_FOUND in words. */
  public static WeftException notFound(WeftPath path) {
    return new WeftException(ErrorCode.NOT_FOUND, path + ": no such file or directory");
  }

  protected static FileStatus require(RemoteFiles files, WeftPath path) throws IOException {
    return files.find(path).orElseThrow(() -> notFound(path));
  }

  /** A symbolic link itself. */
  protected static FileStatus requireLink(RemoteFiles files, WeftPath path) throws IOException {
    return files.findLink(path).orElseThrow(() -> notFound(path));
  }
}
