package org.weft.cli.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.weft.cli.daemon.Logs;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code weft prepare}: loads the classes of daemons and clients by using them. It is the launcher
 * that asks the JVM to keep them, in an archive beside the jars that later JVMs map into memory.
 */
@Command(
    name = "prepare",
    description =
        "Lets daemons and commands of this machine start with half of the CPU: starts a cluster under a"
            + " temporary directory, on loopback ports that are free, uses it for a few seconds, removes it, and keeps"
            + " the classes that were loaded ready in an archive beside the jars (62 MB). The first `weft quickstart` does so by"
            + " itself. Needed once for each release and each Java; without it everything works, and starts more slowly.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {"  weft prepare             by a user that may write to the directory of the jars"})
public final class PrepareCommand implements Callable<Integer> {
  private static final int OSDS = 6;
  private static final long OSD_CAPACITY_BYTES = 1L << 30;
  private static final int FIRST_PORT = 10_000;
  private static final int LAST_PORT = 30_000;
  private static final int MAX_TRIES = 50;

  private final Supplier<CommandLine> weft;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /**
   * @param weft makes the parser of every command
   */
  public PrepareCommand(Supplier<CommandLine> weft) {
    this.weft = weft;
  }

  @Override
  public Integer call() throws Exception {
    Path scratch = Files.createTempDirectory("weft-prepare");
    try {
      QuickstartPlan plan = plan(scratch);
      Files.createDirectories(plan.logDirectory());
      Logs.toFile(plan.logDirectory().resolve("prepare.log"));
      InProcessCluster cluster =
          InProcessCluster.start(plan, new BenchParts(), new PrintWriter(Writer.nullWriter()));
      try {
        FirstSteps.prepare(plan);
        use(plan);
      } finally {
        cluster.stop();
      }
    } finally {
      delete(scratch);
    }
    spec.commandLine().getOut().println("Prepared.");
    return ExitCode.OK.number();
  }

  private static QuickstartPlan plan(Path data) {
    for (int tried = 1; ; tried++) {
      int base = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
      QuickstartPlan plan =
          new QuickstartPlan(
              data, base, OSDS, OptionalLong.of(OSD_CAPACITY_BYTES), "write-back", 1, 1, 1, false);
      try {
        PortCheck.requireFree(plan.endpoints());
        return plan;
      } catch (CommandFailure taken) {
        if (tried == MAX_TRIES) {
          throw new CommandFailure("no ports are free on loopback: " + taken.getMessage(), taken);
        }
      }
    }
  }

  private void use(QuickstartPlan plan) {
    String cluster = plan.sysmgr().toString();
    run("status", "--cluster", cluster);
    run("fs", "test", "-d", "/", "--cluster", cluster);
    run(
        "bench",
        "create,small-write,open-read,stat,list,rename,delete,append,hflush,hsync,pread,stream-write,stream-read",
        "--cluster",
        cluster,
        "--threads",
        "2",
        "--size",
        "4m",
        "--files",
        "20",
        "--count",
        "20",
        "--seconds",
        "1",
        "--reps",
        "1",
        "--warmup",
        "0");
  }

  private void run(String... arguments) {
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int code = weft.get().setOut(writer).setErr(writer).execute(arguments);
    if (code != ExitCode.OK.number()) {
      throw new CommandFailure(
          "`weft " + String.join(" ", arguments) + "` ended with " + code + ": " + said);
    }
  }

  private static void delete(Path directory) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(directory)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : deepestFirst) {
      Files.deleteIfExists(each);
    }
  }
}
