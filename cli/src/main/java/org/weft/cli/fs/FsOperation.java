package org.weft.cli.fs;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Console;
import org.weft.cli.output.Failures;
import org.weft.client.WeftPath;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What all file commands have in common: their options, their session, how failures are shown. */
abstract class FsOperation implements Callable<Integer> {
  private static final String BROKEN_PIPE = "Broken pipe";

  @ParentCommand private FsCommand parent;
  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Write JSON for programs.")
  private boolean json;

  @Option(names = "--verbose", description = "Show the stack of a failure too.")
  private boolean verbose;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /** Does the work; what goes wrong with one of many things goes into the failures. */
  abstract void run(FsConnector.Session session, Failures failures) throws IOException;

  /** Looks at the arguments before anything is connected. */
  void check() {}

  @Override
  public final Integer call() {
    check();
    Console console = parent.console();
    Failures failures = new Failures(spec.name(), console.err(), verbose);
    try (FsConnector.Session session = parent.connector().connect(cluster)) {
      run(session, failures);
    } catch (IOException | IllegalArgumentException e) {
      if (!BROKEN_PIPE.equals(e.getMessage())) {
        failures.add(e);
      }
      return 1;
    } finally {
      console.text().flush();
    }
    return failures.any() ? 1 : 0;
  }

  Console console() {
    return parent.console();
  }

  ClusterOptions cluster() {
    return cluster;
  }

  boolean json() {
    return json;
  }

  /** A path of the cluster; one that cannot be is wrong usage. */
  WeftPath path(String text) {
    try {
      return WeftPath.of(text);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), "weft: " + spec.name() + ": " + message);
  }
}
